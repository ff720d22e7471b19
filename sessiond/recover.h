/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * recover.h - `lttngmap-sessiond --recover`: what daemon and keeper left that
 * were killed together, or that was in a ring directory when the machine was
 * started again, brought into its traces (doc/design/recovering.md).
 *
 *   recover.c           finds the ledger, lives the next life on it, tells
 *   recover-ledger.c    the ledger, checked
 *   recover-process.c   processes, with their rings' memories
 *   recover-source.c    where those are
 *   ring-set-import.c, ring-set-copy.c   the rings
 *
 * It is a life of the daemon as any other, on a ledger of its own that begins
 * with what the old one says, with every process dead and its rings copied. So
 * what is there stays as it was until all is done, and the consumer writes
 * what is not on disk yet, and nothing twice.
 */
#ifndef SESSIOND_RECOVER_H
#define SESSIOND_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include <json-c/json.h>

#include "sessiond/recover-ledger.h"
#include "sessiond/recover-source.h"

struct daemon;
struct options;

struct recovery {
	const char *path; /* as it was given */
	int dir;          /* with the ledger, and with ring files where there are any */
	char *name;       /* the ledger's in it */
	struct recover_ledger old;
	struct recover_sources *sources;
	struct json_object *problems; /* array of texts */
	bool again;                   /* a problem that may be mended: nothing is removed */
	uint64_t processes;           /* with rings that were read */
	uint64_t lost;                /* … and whose rings were not found */
};

/* options->recover. An exit status; what there is to say was said. */
int recover_run(const struct options *options);

/* Said, and told at the end. `again`: another try may succeed. */
void recover_problem(struct recovery *recovery, bool again, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Sessions are there: now their rings. */
void recover_processes(struct daemon *daemon);

#endif /* SESSIOND_RECOVER_H */
