/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * app-socket.h - RUNTIME/app.sock, where processes register: the daemon's end
 * of common/protocol/protocol-app.h.
 *
 * Nothing that a process sends is trusted. A request is answered by one
 * message, but for those that want no answer, or the connection is closed; a
 * connection that has not registered after 4 s is closed; no connection is ever
 * waited for.
 *
 * Main thread.
 */
#ifndef SESSIOND_APP_APP_SOCKET_H
#define SESSIOND_APP_APP_SOCKET_H

#include <stdint.h>

struct app_socket;
struct daemon;
struct process;

/* Listens. 0 or -errno. */
int app_socket_create(struct daemon *daemon, const char *path, struct app_socket **app);
/* Closes all connections. NULL is allowed. */
void app_socket_destroy(struct app_socket *app);
/* Functions that processes call on their connections: for daemon->process_ops. */
extern const struct process_ops app_socket_ops;
/* Registrations refused so far. */
uint64_t app_socket_refused(const struct app_socket *app);
/* Those who did not wait for an answer to theirs. */
uint64_t app_socket_unanswered(const struct app_socket *app);
/* Messages that were ignored: another user's process sent them than the one that connected. */
uint64_t app_socket_foreign(const struct app_socket *app);

/*
 * A session is to be stopped: it counts who came before that and was not answered yet, be it in
 * the queue of those who are not accepted.
 */
void app_socket_settle(struct app_socket *app);

/*
 * A process was refused, or has no rings in a channel, for want of descriptors: it is tried again
 * when there are some. NULL is allowed.
 */
void app_socket_retry_soon(struct app_socket *app);

#endif /* SESSIOND_APP_APP_SOCKET_H */
