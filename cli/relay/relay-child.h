/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * relay-child.h - starts `lttngmap relay` beside a recording, for verbs with --relay. One thread;
 * functions return 0, or -errno after a message that begins with the verb's name.
 */
#ifndef CLI_RELAY_RELAY_CHILD_H
#define CLI_RELAY_RELAY_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/base/output-dir.h"
#include "relay/url.h"

/* Default limit for bytes that wait for the collector. */
#define RELAY_SPOOL_SIZE "256M"
#define RELAY_SPOOL_LEAST (UINT64_C(16) << 20)

struct relay_options {
	char *url;        /* NULL: no collector; the other members are unused */
	char *spool_size; /* as typed, or NULL */
	char *live;       /* as typed, or NULL */
	uint64_t spool;   /* bytes; 0: the trace stays */
	uint64_t live_ms; /* 0: no live view */
};

/*
 * Checks the options without asking the collector. `keeps`: the user chose the trace's folder, so
 * it is no spool.
 */
int relay_options_check(const char *verb, struct relay_options *options, bool keeps);
/* Parses the value of --live. */
int relay_live_parse(const char *verb, const char *text, uint64_t *ms);
/* Checks that a collector answers and speaks the protocol. */
int relay_child_check(const char *verb, const struct relay_options *options);
/* Creates a folder for a spool that only this user can read. */
int relay_spool_create(const char *verb, struct output_dir *dir);
/*
 * Starts to send the trace in `output`. `detached`: the sender is no child, ends by itself, and
 * *pid is 0.
 */
int relay_child_start(const char *verb, const struct relay_options *options, const char *output,
		      const char *session, bool detached, pid_t *pid);

#endif /* CLI_RELAY_RELAY_CHILD_H */
