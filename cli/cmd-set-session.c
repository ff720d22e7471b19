/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-set-session.c - lttngmap set-session SESSION: the one that other verbs mean from now on. */
#include <config.h>

#include "cli/verbs.h"

#include "cli/base/message.h"
#include "cli/client/session-verb.h"

static const struct poptOption options[] = { SESSION_INCLUDE(session_daemon_table), POPT_TABLEEND };

static int run(int argc, const char **argv)
{
	struct session_verb self;
	struct json_object *answer = NULL;
	int error;

	if (argc != 1) {
		message_error("set-session: %s", argc ? "one session at a time" : "which session?");
		return verb_usage_error(&verb_set_session);
	}
	error = session_verb_open(&self, &verb_set_session, false);
	if (!error)
		error = session_verb_choose(&self, argv[0]);
	if (!error)
		error = session_verb_ask(&self, session_verb_request(&self, "choose"), &answer);
	if (!error && !session_options.json)
		message_line("session %s is the current one", self.session);
	return session_verb_close(&self, error, answer);
}

const struct verb verb_set_session = {
	.name = "set-session",
	.arguments = "[OPTIONS] SESSION",
	.summary = "Make it the session that verbs mean where none is named",
	.example = "lttngmap set-session orders",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
