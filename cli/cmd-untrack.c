/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-untrack.c - lttngmap untrack: take back what `track` said. */
#include <config.h>

#include "cli/verbs.h"

#include "cli/client/session-trackers.h"

static int all;

static const struct poptOption options[] = {
	{ "all", 'a', POPT_ARG_NONE, &all, 0, "All trackers: every process is traced again", NULL },
	SESSION_INCLUDE(session_trackers_table),
	POPT_TABLEEND
};

static int run(int argc, const char **argv)
{
	(void)argv;
	return session_trackers_run(&verb_untrack, true, all, argc);
}

const struct verb verb_untrack = {
	.name = "untrack",
	.arguments = "[OPTIONS]",
	.summary = "Take back what `track` said",
	.example = "lttngmap untrack --pid 4711",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
