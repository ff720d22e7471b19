/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-events.c - lttngmap events: the event classes that the daemon knows. */
#include <config.h>

#include "options.h"
#include "report.h"
#include "session-events.h"

static char *pid;

static const struct poptOption options[] = { { "pid", 'p', POPT_ARG_STRING, &pid, 0,
					       "Only those that this process has", "PID" },
					     SESSION_INCLUDE(session_daemon_table),
					     POPT_TABLEEND };

static int run(int argc, const char **argv)
{
	struct session_verb self;
	struct json_object *answer = NULL;
	uint64_t number = 0;
	int error;

	(void)argv;
	if (argc > 0) {
		report_error("events: no argument is expected");
		return verb_usage_error(&verb_events);
	}
	if (pid && (options_parse_number(pid, INT32_MAX, &number) || number == 0)) {
		report_error("events: --pid: '%s' is no process's number", pid);
		return verb_usage_error(&verb_events);
	}
	error = session_verb_open(&self, &verb_events, false);
	if (!error)
		error = session_events_ask(&self, number, &answer);
	if (!error && !session_options.json)
		session_events_print(answer, "");
	return session_verb_close(&self, error, answer);
}

const struct verb verb_events = {
	.name = "events",
	.arguments = "[OPTIONS]",
	.summary = "Show the known events and their fields",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
