/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* daemon.h - making and ending the session daemon as a whole. Main thread. */
#ifndef SESSIOND_DAEMON_H
#define SESSIOND_DAEMON_H

#include <systemd/sd-event.h>

struct daemon;
struct saved_state;
struct options;
struct recovery;

/*
 * Everything up and listening, in a registered RCU thread: anew, or as the
 * saved state has it; with a `recovery` (recovery.h, else NULL) for its consumer alone. 0 or
 * -errno; what failed was said.
 */
int daemon_create(const struct options *options, struct saved_state *saved_state, sd_event *event,
		  struct recovery *recovery, struct daemon **daemon);
/*
 * Stop all sessions, wait for their traces for a few seconds at most, then
 * leave the event loop. The saved state has those that were active as active.
 */
void daemon_exit(struct daemon *daemon);
/* NULL is allowed. */
void daemon_destroy(struct daemon *daemon);

#endif /* SESSIOND_DAEMON_H */
