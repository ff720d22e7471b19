/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * relay-run.h - a trace is sent by this very process, for the verbs that do nothing else
 * meanwhile. One thread.
 */
#ifndef LTTNGMAP_CLI_RELAY_RELAY_RUN_H
#define LTTNGMAP_CLI_RELAY_RELAY_RUN_H

#include <stdbool.h>

#include "relay/relay.h"

/* Of --timeout; NULL: what it is by default. 0; -EINVAL after a message. */
int relay_run_parse_timeout(const char *verb, const char *text, int *timeout_ms);
/*
 * relay_run(), which can be ended by signals as lttngmap-relay(1) tells; these are ours
 * from then on. `is_complete`: nobody writes to the trace any more. Sets finish and stop
 * of `config`, whose url `url` is, as typed. 0, or -errno after a message that begins with
 * the verb's name, and what to do about it.
 */
int relay_run_verb(const char *verb, const char *url, struct relay_config *config, bool is_complete,
		   struct relay_result *result);

/* The message of an error of relay_run(), and what to do about it. */
void relay_run_explain(const char *verb, const char *url, const struct relay_config *config,
		       int error);

#endif /* LTTNGMAP_CLI_RELAY_RELAY_RUN_H */
