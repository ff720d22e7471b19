/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-help.c - lttngmap help [VERB] */
#include <config.h>

#include "cli/verbs.h"

#include "cli/base/message.h"
#include "cli/usage.h"

static int run(int argc, const char **argv)
{
	const struct verb *verb;

	if (argc > 1) {
		message_error("help: one verb at a time, not %d", argc);
		return verb_usage_error(&verb_help);
	}
	if (argc == 0) {
		verbs_print(stdout);
		return message_flush_output() ? CLI_STATUS_FAILED : CLI_STATUS_OK;
	}
	verb = verbs_find(argv[0]);
	if (!verb) {
		message_error("help: there is no verb '%s'", argv[0]);
		verb = verbs_suggest(argv[0]);
		if (verb)
			message_hint("did you mean '%s'?", verb->name);
		else
			message_hint("`lttngmap help` lists the verbs");
		return CLI_STATUS_USAGE;
	}
	usage_print(verb, stdout);
	return message_flush_output() ? CLI_STATUS_FAILED : CLI_STATUS_OK;
}

const struct verb verb_help = {
	.name = "help",
	.arguments = "[VERB]",
	.summary = "Show the verbs, or the options of one",
	.options = NULL,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
