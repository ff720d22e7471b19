/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * close-untrusted.h - closing a connection of somebody's whom the daemon does not trust.
 *
 * Messages that were not read are freed by who closes their socket, and descriptors in them are
 * closed by that thread, which can take for ever (doc/design/security.md). Where the kernel cannot
 * refuse such messages (socket_refuse_fds()), a child process closes the connection, by ending:
 * the kernel lets no process that ends wait for a lingering TCP socket, and nobody waits for it.
 */
#ifndef SESSIOND_BASE_CLOSE_UNTRUSTED_H
#define SESSIOND_BASE_CLOSE_UNTRUSTED_H

/*
 * Closes `fd` like close(). `fd` is such a connection, or anything that no untrusted process sends
 * to.
 */
void close_untrusted(int fd);

#endif /* SESSIOND_BASE_CLOSE_UNTRUSTED_H */
