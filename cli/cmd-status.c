/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-status.c - lttngmap status [SESSION]: what it has recorded and lost so far. */
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
	int status = session_verb_check_argument(&verb_status, argc), error;

	if (status)
		return status;
	error = session_verb_open(&self, &verb_status, false);
	if (!error)
		error = session_verb_choose(&self, argc ? argv[0] : NULL);
	if (!error)
		error = session_counts_ask(&self, &answer);
	if (!error && !session_options.json) {
		message_line("session %s: %s", self.session,
			     control_answer_flag(answer, "active") ? "active" : "stopped");
		session_counts_print(&self, answer);
		session_counts_hint(answer);
	}
	if (!error && control_answer_text(answer, "trouble")[0] != '\0')
		status = CLI_STATUS_BROKEN;
	error = session_verb_close(&self, error, answer);
	return error ? error : status;
}

const struct verb verb_status = {
	.name = "status",
	.arguments = "[OPTIONS] [SESSION]",
	.summary = "Show what a session has recorded, and lost, so far",
	.example = "lttngmap status orders",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
