/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * app-connection.h - one connection of a process at app.sock, from accepted to
 * closed. For app-socket.c, which listens, alone.
 *
 * It waits for its turn (run-queue.h), is served one message, and is listened
 * to again. One that has not registered is *pending*, and is closed when it
 * takes too long about it or when its user has too many of them.
 *
 * A message counts for the process that connected only where that process sent it, or another one
 * of its user, by the kernel's word on each message (SCM_CREDENTIALS): forked children share the
 * socket.
 *
 * Main thread.
 */
#ifndef SESSIOND_APP_APP_CONNECTION_H
#define SESSIOND_APP_APP_CONNECTION_H

#include <stdint.h>
#include <sys/socket.h>

#include <systemd/sd-event.h>
#include <urcu/list.h>

#include "sessiond/mediator/run-queue.h"

struct daemon;
struct process;

/* All that are there. */
struct app_connections {
	struct daemon *daemon;
	sd_event_source *timeout;     /* the oldest pending one's */
	struct cds_list_head pending; /* oldest first */
	struct cds_list_head registered;
	unsigned int nr_pending;
	uint64_t refused;
	uint64_t unanswered; /* first answers that no process read */
	uint64_t foreign;    /* messages of other users' processes, which were ignored */
};

/* 0 or -errno; app_connections_fini() in any case. */
int app_connections_init(struct app_connections *all, struct daemon *daemon);
/* Close all connections. */
void app_connections_fini(struct app_connections *all);

/* Somebody connected; takes fd. */
void app_connection_open(struct app_connections *all, int fd);
/*
 * The connection of a process that was registered before a restart; takes fd. Requests that it sent
 * and that were not answered are still to be read. 0 or -errno.
 */
int app_connection_restore(struct app_connections *all, struct process *process, int fd);
/* Close the connection of a process that is gone. */
void app_connection_close(struct process *process);
/* Count the processes that asked for a registration, and have no answer, as not traced. */
void app_connections_settle(struct app_connections *all);
/* Tell who connected that there are no descriptors for it, and close; takes fd. */
void app_connection_refuse_short(struct app_connections *all, int fd, int error);

#endif /* SESSIOND_APP_APP_CONNECTION_H */
