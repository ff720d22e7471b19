/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-start.c - lttngmap start [SESSION] */
#include <config.h>

#include "cli/verbs.h"

#include "cli/base/message.h"
#include "cli/client/session-counts.h"
#include "cli/client/session-verb.h"

static const struct poptOption options[] = { SESSION_INCLUDE(session_table), POPT_TABLEEND };

static int run(int argc, const char **argv)
{
	struct session_verb self;
	struct json_object *answer = NULL;
	int status = session_verb_check_argument(&verb_start, argc), error;

	if (status)
		return status;
	error = session_verb_open(&self, &verb_start, false);
	if (!error)
		error = session_verb_choose(&self, argc ? argv[0] : NULL);
	if (!error)
		error = session_verb_ask(&self, session_verb_request(&self, "start"), &answer);
	if (!error && !session_options.json)
		message_line("started session %s", self.session);
	if (!error) {
		session_counts_start(&self);
		session_verb_trouble(&self, answer);
	}
	return session_verb_close(&self, error, answer);
}

const struct verb verb_start = {
	.name = "start",
	.arguments = "[OPTIONS] [SESSION]",
	.summary = "Record from now on",
	.example = "lttngmap start orders",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
