/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * peer.h - the very process that connected to a socket. Its number alone names nobody:
 * the process may have ended, a child may hold its end of the socket, and another
 * process may have its number.
 */
#ifndef SESSIOND_BASE_PEER_H
#define SESSIOND_BASE_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/*
 * A pidfd of the process that connected `socket`, whose credentials at that time are
 * `peer`, and which lives. -ESRCH: it has ended; another -errno.
 *
 * Linux before 6.5 does not answer SO_PEERPIDFD. There the process that has the number
 * now is taken where its effective user is the peer's: no user can be mistaken for another.
 */
int peer_open_pidfd(int socket, const struct ucred *peer);
/* Has the process of the pidfd ended? */
bool peer_has_ended(int pidfd);

/*
 * A number that no other process has had since boot, also for a socket's peer that has ended. 0:
 * the kernel does not tell (before Linux 6.9; for a reaped peer before 6.16).
 */
uint64_t peer_identity(int socket);
uint64_t peer_identity_of(int pidfd);

#endif /* SESSIOND_BASE_PEER_H */
