/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-clear.c - lttngmap clear [SESSION] */
#include <config.h>

#include "cli/verbs.h"

#include "cli/base/message.h"
#include "cli/client/session-verb.h"

static const struct poptOption options[] = { SESSION_INCLUDE(session_table), POPT_TABLEEND };

static int run(int argc, const char **argv)
{
	struct session_verb self;
	struct json_object *answer = NULL;
	int status = session_verb_check_argument(&verb_clear, argc), error;

	if (status)
		return status;
	error = session_verb_open(&self, &verb_clear, false);
	if (!error)
		error = session_verb_choose(&self, argc ? argv[0] : NULL);
	if (!error)
		error = session_verb_ask(&self, session_verb_request(&self, "clear"), &answer);
	if (!error && !session_options.json)
		message_line("cleared session %s", self.session);
	return session_verb_close(&self, error, answer);
}

const struct verb verb_clear = {
	.name = "clear",
	.arguments = "[OPTIONS] [SESSION]",
	.summary = "Forget what a session has recorded, keep its set-up",
	.example = "lttngmap clear orders",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
