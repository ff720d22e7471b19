/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * clock-watch.h - notices that the machine slept, or that the clock of events was reset
 * (common/base/clock.h), and rotates all sessions (session-clock.c).
 *
 * The kernel cancels a timer of CLOCK_REALTIME when the machine resumes and when somebody
 * sets the time of day. So nobody wakes up for this while nothing happens. A change
 * that the kernel reports to nobody, as in a migrated guest, is noticed at the next command.
 *
 * Main thread.
 */
#ifndef SESSIOND_STATE_CLOCK_WATCH_H
#define SESSIOND_STATE_CLOCK_WATCH_H

struct clock_watch;
struct daemon;

/* 0 or -errno. */
int clock_watch_create(struct daemon *daemon, struct clock_watch **watch);
/* NULL is allowed. */
void clock_watch_destroy(struct clock_watch *watch);
/* Look now. Sessions may begin to rotate. NULL is allowed. */
void clock_watch_look(struct clock_watch *watch);

#endif /* SESSIOND_STATE_CLOCK_WATCH_H */
