/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * listen.h - the daemon's listening sockets: those that systemd listened at
 * before the daemon ran (sd_listen_fds(3)), else made here. A socket of
 * systemd's is known by its path, and stays when the daemon ends.
 *
 * Main thread.
 */
#ifndef SESSIOND_LISTEN_H
#define SESSIOND_LISTEN_H

#include <stdbool.h>
#include <sys/types.h>

/* Take what was passed, before any child or thread is made. 0 or -errno. */
int listen_init(void);
/* Is there a socket of systemd's at this path? */
bool listen_is_passed(const char *path);
/* A SOCK_SEQPACKET socket that does not block; as socket_listen(). */
int listen_at(const char *path, mode_t mode, int *fd);

#endif /* SESSIOND_LISTEN_H */
