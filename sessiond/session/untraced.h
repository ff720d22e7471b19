/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * untraced.h - the processes that a session lacks: each is counted once, with its name and why.
 *
 * A session's tally stands in its record of the saved state, so it outlives a daemon that is
 * killed. The tally remembers each counted process, as far as there is room: a process counts once
 * however often it tries, by the name of its last program, and not at all if it registers later.
 *
 * doc/design/left-out.md says how each way of being left out leads here. Main thread.
 */
#ifndef SESSIOND_SESSION_UNTRACED_H
#define SESSIOND_SESSION_UNTRACED_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/name.h"
#include "sessiond/storage/untraced-tally.h"

struct daemon;
struct process;
struct session;
struct untraced;

/* So many names that a process says of others are believed, where nobody knows whose they are. */
#define UNTRACED_UNPROVED 16u
/* Places that these two leave to nobody else. */
#define UNTRACED_RESERVED 16u

struct untraced_process {
	uint32_t pid; /* 0: nobody knows it; it is counted by its name alone */
	uint32_t uid;
	uint32_t gid;
	uint64_t identity;            /* as of peer.h */
	char name[NAME_PROGRAM_SIZE]; /* clean */
};

/* 0 or -errno. */
int untraced_create(struct daemon *daemon, struct untraced **untraced);
/* NULL is allowed. */
void untraced_destroy(struct untraced *untraced);

/* Each session that records, and would take the process, counts it. */
void untraced_count(struct untraced *untraced, const struct untraced_process *process,
		    enum untraced_why why);
/*
 * The process was traced, and ends. The registration of a later program of it may still wait to be
 * read: where that comes to nothing, it counts as not traced alone.
 */
void untraced_ended(struct untraced *untraced, const struct process *process);
/* The process has registered: where it was counted, it is not any more. */
void untraced_forget(struct untraced *untraced, uint32_t pid, uint64_t identity);
/* The process could not execute what it was counted for, as that user's. */
void untraced_unsay(struct untraced *untraced, const struct untraced_process *process);

/* That session alone counts it, or not any more: it is registered, and has no rings there. */
void untraced_count_in(struct session *session, const struct process *process,
		       enum untraced_why why, bool take_back);

/*
 * Takes the process out of the counts: another program of it is running, or it is counted
 * otherwise.
 */
void untraced_take_back(struct process *process);

uint64_t untraced_total(const struct session *session);
/*
 * [{"name", "count", "why", "uid"}], the most frequent ones first. Processes beyond a user's
 * share are "others of user UID"; those for which no place was left are "?", without "uid".
 */
struct json_object *untraced_list(const struct session *session);
/* Text for people: "ls (2), cc1 of user 1001 (1)", or "". The caller frees it. NULL: no memory. */
char *untraced_text(const struct session *session);

#endif /* SESSIOND_SESSION_UNTRACED_H */
