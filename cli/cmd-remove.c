/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-remove.c - lttngmap remove RULE: takes a rule out of a channel */
#include <config.h>

#include "cli/verbs.h"

#include "cli/client/session-rules.h"

static const struct poptOption options[] = { SESSION_INCLUDE(session_rules_table), POPT_TABLEEND };

static int run(int argc, const char **argv)
{
	return session_rules_run(&verb_remove, false, argc, argv);
}

const struct verb verb_remove = {
	.name = "remove",
	.arguments = "[OPTIONS] [RULE]",
	.summary = "Remove a rule from a channel",
	.example = "lttngmap remove 'shop:*'",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
