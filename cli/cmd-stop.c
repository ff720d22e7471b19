/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-stop.c - lttngmap stop [SESSION]: complete the trace, say what it holds. */
#include <config.h>

#include "cli/verbs.h"

#include "cli/base/message.h"
#include "cli/client/control-client.h"
#include "cli/client/session-counts.h"

static const struct poptOption options[] = { SESSION_INCLUDE(session_table), POPT_TABLEEND };

static int run(int argc, const char **argv)
{
	struct session_verb self;
	struct json_object *answer = NULL;
	int status = session_verb_check_argument(&verb_stop, argc), error;

	if (status)
		return status;
	error = session_verb_open(&self, &verb_stop, false);
	if (!error)
		error = session_verb_choose(&self, argc ? argv[0] : NULL);
	if (!error)
		error = session_counts_stop(&self, &answer);
	if (!error && !session_options.json) {
		message_line("stopped session %s", self.session);
		session_counts_print(&self, answer);
	}
	return session_verb_close(&self, error, answer);
}

const struct verb verb_stop = {
	.name = "stop",
	.arguments = "[OPTIONS] [SESSION]",
	.summary = "Stop recording; the trace on disk is complete then",
	.example = "lttngmap stop orders",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
