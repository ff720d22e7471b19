/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * cmd-detach.c - lttngmap detach PID: take out of a process what `attach` led
 * through tracing.
 */
#include <config.h>

#include "cli/verbs.h"

#include <limits.h>
#include <stdio.h>

#include "cli/attach/reach.h"
#include "cli/base/locate.h"
#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/record/record.h"

static int quiet;

static const struct poptOption options[] = {
	{ "quiet", 'q', POPT_ARG_NONE, &quiet, 0, "Do not say what was done", NULL }, POPT_TABLEEND
};

static void add(struct inside_request *request, enum inside_kind kind, const char *name)
{
	struct inside_library *library = &request->libraries[request->nr_libraries];
	char path[PATH_MAX];

	if (request->nr_libraries == INSIDE_LIBRARIES_MAX ||
	    locate_library(name, path, sizeof(path)) != 0 ||
	    (size_t)snprintf(library->path, sizeof(library->path), "%s", path) >=
		    sizeof(library->path))
		return;
	library->kind = kind;
	request->nr_libraries++;
}

/* All families, and SDT probes: which of them are there the process knows. */
static void fill(struct inside_request *request)
{
	const char *library;

	*request = (struct inside_request){ .magic = INSIDE_MAGIC,
					    .version = INSIDE_VERSION,
					    .size = sizeof(*request),
					    .action = INSIDE_DETACH };
	for (size_t i = 0; record_family(i, &library); i++)
		add(request, INSIDE_FAMILY, library);
	add(request, INSIDE_SDT, RECORD_SDT_LIBRARY);
}

static int tell(const struct inside_request *request, pid_t pid)
{
	uint32_t changed = 0, refused = 0, loaded = 0;

	for (uint32_t i = 0; i < request->nr_libraries; i++) {
		changed += request->libraries[i].changed;
		refused += request->libraries[i].refused;
		loaded += request->libraries[i].was_loaded;
	}
	if (refused) {
		message_error("detach: process %d: %u place%s could not be changed back", (int)pid,
			      refused, message_plural(refused));
		message_hint("calls from there go on through tracing, as before: try again");
		return CLI_STATUS_FAILED;
	}
	if (!quiet && changed)
		message_note("process %d: %u place%s lead where they led before", (int)pid, changed,
			     message_plural(changed));
	else if (!quiet)
		message_note("process %d: %s", (int)pid,
			     loaded ? "nothing leads through tracing" : "nothing was attached");
	return CLI_STATUS_OK;
}

static int run(int argc, const char **argv)
{
	static struct inside_request request;
	struct problem problem;
	uint64_t pid;

	if (argc != 1 || options_parse_number(argv[0], INT_MAX, &pid) != 0 || pid == 0) {
		message_error(argc == 0  ? "detach: a process's number is missing"
			      : argc > 1 ? "detach: one process at a time"
					 : "detach: '%s' is no process's number",
			      argc == 1 ? argv[0] : "");
		return verb_usage_error(&verb_detach);
	}
	fill(&request);
	if (reach_run((pid_t)pid, &request, &problem) != 0) {
		message_error("detach: %s", problem.why);
		if (problem.hint[0])
			message_hint("%s", problem.hint);
		return CLI_STATUS_FAILED;
	}
	return tell(&request, (pid_t)pid);
}

const struct verb verb_detach = {
	.name = "detach",
	.arguments = "[OPTIONS] PID",
	.summary = "Take out of a process what `attach` brought in",
	.example = "lttngmap detach 4711",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
