/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* untraced-tally.h - the processes that a session lacks, as its saved state has them (untraced.h).
 */
#ifndef SESSIOND_STORAGE_UNTRACED_TALLY_H
#define SESSIOND_STORAGE_UNTRACED_TALLY_H

#include <stdint.h>

#include "common/base/name.h"

/* Numbers are never reused: they stand in the saved state. */
enum untraced_why {
	UNTRACED_LATE = 1,     /* it did not wait until the daemon answered its registration */
	UNTRACED_REFUSED = 2,  /* limits, another version */
	UNTRACED_SHORT = 3,    /* the daemon had no descriptors for it */
	UNTRACED_FORKED = 4,   /* a child that could not come to the daemon */
	UNTRACED_EXECUTED = 5, /* a program into which no library is preloaded */
	UNTRACED_ALONE = 6,    /* it closed its descriptors, or is under a seccomp filter */
	UNTRACED_OTHERS = 7,   /* no reason: all of a user that go beyond its share */
};

/* Entries of a session's tally, for all users. One entry is a name, a reason and a user. */
#define UNTRACED_NAMES 64u
/* A user's, the last one for its others. Root, and the daemon's own user, may have all. */
#define UNTRACED_SHARE 8u
/* In the saved state. `why` is set last; 0: free. */
struct untraced_tally {
	struct {
		char name[NAME_PROGRAM_SIZE]; /* clean */
		uint64_t count;
		uint32_t why;
		uint32_t uid; /* whose processes; of a subordinate id, its user */
	} names[UNTRACED_NAMES];
	uint64_t others; /* of users that no place was left for */
};

#endif /* SESSIOND_STORAGE_UNTRACED_TALLY_H */
