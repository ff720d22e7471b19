/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * recovery.h - makes the processes of a killed daemon again, with their ring memories, so that
 * their events can be written into its traces (recover.h).
 */
#ifndef SESSIOND_RECOVER_RECOVERY_H
#define SESSIOND_RECOVER_RECOVERY_H

#include <stdbool.h>
#include <stdint.h>

#include <json-c/json.h>

#include "sessiond/storage/recover-saved.h"
#include "sessiond/recover/recover-source.h"

struct daemon;

struct recovery {
	const char *path; /* as it was given */
	int dir;          /* with the saved state, and with ring files where there are any */
	char *name;       /* the saved state's in it */
	struct recover_saved old;
	struct recover_sources *sources;
	struct json_object *problems; /* array of texts */
	bool again;                   /* a problem that may be mended: nothing is removed */
	uint64_t processes;           /* with rings that were read */
	uint64_t lost;                /* … and whose rings were not found */
};

/*
 * Logs a problem, and keeps it for the report at the end. `again`: another recovery may succeed
 * where this one did not.
 */
void recover_problem(struct recovery *recovery, bool again, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Restores the processes and their rings, once the sessions are there: daemon->restore_recovered.
 */
void recover_processes(struct daemon *daemon);

#endif /* SESSIOND_RECOVER_RECOVERY_H */
