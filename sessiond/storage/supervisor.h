/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * supervisor.h - the small parent that keeps what the daemon has when the daemon
 * is killed, and makes the next one (doc/design/surviving.md).
 *
 * The daemon is a child with the supervisor's own table of descriptors, not
 * exec'd: so all that it opens, and all that was mapped before the first
 * child, is there for the next.
 */
#ifndef SESSIOND_STORAGE_SUPERVISOR_H
#define SESSIOND_STORAGE_SUPERVISOR_H

#include "sessiond/storage/saved-state.h"

/* The daemon's second thread, in /proc/PID/task/TID/comm; the supervisor waits for its end, too. */
#define RING_THREAD_NAME "rings"

struct supervisor_config {
	struct saved_state *saved_state;
	const char *rings_dir; /* a mount there is taken away when the daemon dies */
	/* The daemon, in a process of its own; returns an exit status. */
	int (*serve)(void *data);
	void *data;
};

/*
 * Run the daemon until it ends by itself or is told to: SIGTERM, SIGINT and
 * SIGHUP, which are blocked already, are passed on. Only thread. Returns the
 * daemon's exit status.
 */
int supervisor_run(const struct supervisor_config *config);

#endif /* SESSIOND_STORAGE_SUPERVISOR_H */
