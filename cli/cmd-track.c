/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-track.c - lttngmap track: trace only these processes. */
#include <config.h>

#include "cli/verbs.h"

#include "cli/client/session-trackers.h"

static const struct poptOption options[] = { SESSION_INCLUDE(session_trackers_table),
					     POPT_TABLEEND };

static int run(int argc, const char **argv)
{
	(void)argv;
	return session_trackers_run(&verb_track, false, false, argc);
}

const struct verb verb_track = {
	.name = "track",
	.arguments = "[OPTIONS]",
	.summary = "Trace these processes only",
	.example = "lttngmap track --pid 4711",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
