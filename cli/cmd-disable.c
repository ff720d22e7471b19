/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-disable.c - lttngmap disable RULE: turns a rule off, and keeps it */
#include <config.h>

#include "cli/verbs.h"

#include "cli/client/session-rules.h"

static const struct poptOption options[] = { SESSION_INCLUDE(session_rules_table), POPT_TABLEEND };

static int run(int argc, const char **argv)
{
	return session_rules_run(&verb_disable, true, argc, argv);
}

const struct verb verb_disable = {
	.name = "disable",
	.arguments = "[OPTIONS] [RULE]",
	.summary = "Stop recording by a rule, and keep it",
	.example = "lttngmap disable 'shop:*'",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
