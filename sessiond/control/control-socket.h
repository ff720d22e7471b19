/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-socket.h - RUNTIME/control.sock, where the command asks: the
 * daemon's end of common/protocol/protocol-control.h. control-verbs.c has the table of
 * verbs.
 *
 * The socket serves root and the daemon's own user. The system's instance (root's, not private)
 * also serves members of the group "tracing", where there is one, each for sessions of its own.
 *
 * Main thread.
 */
#ifndef SESSIOND_CONTROL_CONTROL_SOCKET_H
#define SESSIOND_CONTROL_CONTROL_SOCKET_H

struct control_socket;
struct daemon;

int control_socket_create(struct daemon *daemon, const char *path, struct control_socket **control);
/* NULL is allowed. */
void control_socket_destroy(struct control_socket *control);

#endif /* SESSIOND_CONTROL_CONTROL_SOCKET_H */
