/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* process-private.h - what the files of process.h share. Main thread. */
#ifndef SESSIOND_SESSION_PROCESS_PRIVATE_H
#define SESSIOND_SESSION_PROCESS_PRIVATE_H

#include "sessiond/session/process.h"

/* Tokens kept of the processes that ended last: until then a child may register by its parent's
 * token. */
#define ENDED_TOKENS 4096u

struct processes {
	struct cds_lfht *table; /* by pid */
	struct cds_list_head list;
	unsigned long count;
	/* Tokens of processes that have ended, the latest ones. */
	uint64_t ended[ENDED_TOKENS];
	unsigned int next_ended;
};

/* The key of `table`: pids are dense, so they are spread over all bits. */
static inline unsigned long process_pid_hash(uint32_t pid)
{
	return pid * 0x9e3779b97f4a7c15ul;
}

#endif /* SESSIOND_SESSION_PROCESS_PRIVATE_H */
