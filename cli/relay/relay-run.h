/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * relay-run.h - sends a trace in this process, for verbs that do nothing else meanwhile. One
 * thread.
 */
#ifndef CLI_RELAY_RELAY_RUN_H
#define CLI_RELAY_RELAY_RUN_H

#include <stdbool.h>

#include "relay/relay.h"

/* Parses --timeout; NULL: the default. 0; -EINVAL after a message. */
int relay_run_parse_timeout(const char *verb, const char *text, int *timeout_ms);
/*
 * Calls relay_run(), and handles the signals of lttngmap-relay(1) from then on. `is_complete`: no
 * process writes to the trace any more. `url`: as typed. Sets `finish` and `stop` of `config`. 0,
 * or -errno after a message and a hint.
 */
int relay_run_verb(const char *verb, const char *url, struct relay_config *config, bool is_complete,
		   struct relay_result *result);

/* Prints the message and the hint for an error of relay_run(). */
void relay_run_explain(const char *verb, const char *url, const struct relay_config *config,
		       int error);

#endif /* CLI_RELAY_RELAY_RUN_H */
