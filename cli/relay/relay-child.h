/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * relay-child.h - `lttngmap relay` beside what is recorded, for the verbs that
 * are told of a collector. One thread; functions return 0, or -errno after a message
 * that begins with the verb's name.
 */
#ifndef LTTNGMAP_CLI_RELAY_RELAY_CHILD_H
#define LTTNGMAP_CLI_RELAY_RELAY_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/base/output-dir.h"
#include "relay/url.h"

/* What may wait for a collector, unless told otherwise. */
#define RELAY_SPOOL_SIZE "256M"
#define RELAY_SPOOL_LEAST (UINT64_C(16) << 20)

struct relay_options {
	char *url;        /* NULL: no collector; the others mean nothing then */
	char *spool_size; /* as typed, or NULL */
	char *live;       /* likewise */
	uint64_t spool;   /* bytes; 0: the output stays */
	uint64_t live_ms; /* 0: nobody watches meanwhile */
};

/*
 * Are they as they should be? `keeps`: the trace's folder was chosen, and is no spool.
 * No collector is asked.
 */
int relay_options_check(const char *verb, struct relay_options *options, bool keeps);
/* What --live is given. */
int relay_live_parse(const char *verb, const char *text, uint64_t *ms);
/* Is somebody there who speaks our protocol? */
int relay_child_check(const char *verb, const struct relay_options *options);
/* A new folder that only we can read, for a spool. */
int relay_spool_create(const char *verb, struct output_dir *dir);
/*
 * Send the trace in `output` from now on. `detached`: it is nobody's child, and ends by
 * itself; *pid is 0 then.
 */
int relay_child_start(const char *verb, const struct relay_options *options, const char *output,
		      const char *session, bool detached, pid_t *pid);

#endif /* LTTNGMAP_CLI_RELAY_RELAY_CHILD_H */
