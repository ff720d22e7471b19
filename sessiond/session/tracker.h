/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * tracker.h - which processes a session takes: sets of pids, uids, gids and
 * program names. A kind without a set takes all; a process is taken when every
 * kind takes it.
 *
 * Pids, uids and gids are those that the daemon sees; a process's uid and gid
 * are those that it registered with. A name is a shell pattern (fnmatch(3)) for the program's
 * name, as `lttngmap list --processes` shows it.
 *
 * One thread.
 */
#ifndef SESSIOND_SESSION_TRACKER_H
#define SESSIOND_SESSION_TRACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACKERS_MAX 1024u
#define TRACKER_NAME_MAX 255u

enum tracker_kind { TRACKER_PID, TRACKER_UID, TRACKER_GID, TRACKER_NAME, TRACKER_KINDS };

struct tracker {
	enum tracker_kind kind;
	uint32_t value;
	char *pattern; /* NAME */
};

/* All zeros: every process. */
struct trackers {
	struct tracker *trackers;
	size_t nr_trackers;
};

struct process;

/* "pid", "uid", "gid", "name". */
const char *tracker_kind_name(enum tracker_kind kind);
/* -EINVAL: no such kind. */
int tracker_kind_parse(const char *name, enum tracker_kind *kind);

/* The pattern is copied; NULL but for NAME. 0, -EEXIST, -ENOSPC or -ENOMEM. */
int trackers_add(struct trackers *trackers, enum tracker_kind kind, uint32_t value,
		 const char *pattern);
/* 0 or -ENOENT. */
int trackers_remove(struct trackers *trackers, enum tracker_kind kind, uint32_t value,
		    const char *pattern);
bool trackers_take(const struct trackers *trackers, const struct process *process);
void trackers_clear(struct trackers *trackers);

#endif /* SESSIOND_SESSION_TRACKER_H */
