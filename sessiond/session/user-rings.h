/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * user-rings.h - rings that one user's processes share (doc/design/user-rings.md).
 *
 * In a shared channel it is not the process that has a process channel, but a ring owner:
 * a process object without a process, with memories, a doorbell and process channels
 * like any other. A user has one for the processes that write by restartable
 * sequences, and one for those that write by trylock, since the two must not
 * meet on a ring. It is made when the first such process is let into a shared
 * channel, and ends when there is neither such a process nor such a channel.
 *
 * Main thread.
 */
#ifndef SESSIOND_SESSION_USER_RINGS_H
#define SESSIOND_SESSION_USER_RINGS_H

#include <stdbool.h>

struct daemon;
struct process;

/*
 * The process's ring owner, made where it is not there; from now on the process's
 * doorbell is also that one's. 0 or -errno; -EPROTO: its library is too old.
 */
int user_rings_join(struct process *process);
/*
 * The process is gone: releases the locks of shared rings that name it. If the process is a ring
 * owner, all processes that share its rings forget it.
 */
void user_rings_leave(struct process *process);
/* After a restart, with all processes there: what held shared rings may have ended since. */
void user_rings_restore(struct daemon *daemon);
/* End ring owners that nobody needs any more. Not from within a walk over processes. */
void user_rings_reap(struct daemon *daemon);

#endif /* SESSIOND_SESSION_USER_RINGS_H */
