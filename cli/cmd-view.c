/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-view.c - lttngmap view [DIR]: a trace as readable lines, or as JSON. */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/symbols/symbols.h"
#include "cli/view/view.h"

static int as_json;
static int with_date;
static int follow;
static char *colour;

static const struct poptOption options[] = {
	{ "json", 'j', POPT_ARG_NONE, &as_json, 0, "One JSON object a line", NULL },
	{ "date", 'd', POPT_ARG_NONE, &with_date, 0, "Show the date before each time", NULL },
	{ "follow", 'F', POPT_ARG_NONE, &follow, 0,
	  "Go on with what comes, until it is recorded no more", NULL },
	VIEW_FILTER_OPTIONS,
	{ "fields", 'f', POPT_ARG_ARGV, &view_option_fields, 0,
	  "Only these fields and contexts; may be repeated", "NAME,..." },
	SYMBOLS_OPTIONS,
	{ "color", '\0', POPT_ARG_STRING, &colour, 0,
	  "Colours: always, never, or auto (on a terminal; the default)", "WHEN" },
	POPT_TABLEEND
};

/*
 * Not where somebody does not want them (no-color.org), nor where they go through a pager
 * that might show what they are made of.
 */
static bool is_coloured_terminal(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM"), *pager = getenv("PAGER");

	if (!isatty(STDOUT_FILENO) || (no_color && *no_color) || !term || strcmp(term, "dumb") == 0)
		return false;
	return !pager || !*pager || strstr(pager, "less") || strcmp(pager, "cat") == 0;
}

static int choose_colours(bool *show)
{
	if (!colour || strcmp(colour, "auto") == 0)
		*show = is_coloured_terminal();
	else if (strcmp(colour, "always") == 0)
		*show = true;
	else if (strcmp(colour, "never") == 0)
		*show = false;
	else
		goto unknown;
	return 0;
unknown:
	message_error("view: --color '%s' is none of always, never and auto", colour);
	return -EINVAL;
}

static int run(int argc, const char **argv)
{
	static struct view view;
	struct view_traces traces = { 0 };
	struct stat status;
	char newest[PATH_MAX];
	const char *the_newest = newest, *const *paths = argc > 0 ? argv : &the_newest;
	const size_t nr_paths = argc > 0 ? (size_t)argc : 1;
	int error, output_error;
	bool is_missing = false;

	if (follow && argc > 1) {
		message_error("view: --follow follows one directory, not %d", argc);
		return verb_usage_error(&verb_view);
	}
	if (view_filter_set(&view.filter) || choose_colours(&view.show_colours))
		return verb_usage_error(&verb_view);
	if (argc == 0 && view_find_newest(newest, sizeof(newest)))
		return CLI_STATUS_FAILED;
	if (!follow && view_find_all(paths, nr_paths, &traces)) {
		view_traces_free(&traces);
		return CLI_STATUS_FAILED;
	}
	view.printer = as_json ? &view_json_printer : &view_text_printer;
	view.show_date = with_date;
	view.symbols = symbols_create();
	view.previous_ns = INT64_MIN;
	if (follow) {
		text_output_open_file(&view.output, STDOUT_FILENO);
		error = view_follow_run(&view, paths[0]);
	} else {
		view_losses_find(&view.losses, &traces);
		text_output_open(&view.output);
		/* Lines in a file are no sign of life to who waits; to a pager they are. */
		if (fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode))
			view_progress_begin();
		error = view_graph_run(&view, &traces);
		view_progress_clear();
	}
	output_error = text_output_close(&view.output);
	if (output_error)
		message_error("view: cannot write the output: %s", strerror(-output_error));
	if (!error && !output_error)
		is_missing = view_missed_report(&view, paths, nr_paths);
	view_streams_report(&view.streams);
	view_losses_report(&view);
	symbols_report(view.symbols, view_verb);
	symbols_destroy(view.symbols);
	view_streams_free(&view.streams);
	view_threads_free(&view.threads);
	view_traces_free(&traces);
	if (error || output_error || is_missing)
		return CLI_STATUS_FAILED;
	return view.broken ? CLI_STATUS_BROKEN : CLI_STATUS_OK;
}

const struct verb verb_view = {
	.name = "view",
	.arguments = "[OPTIONS] [DIR...]",
	.summary = "Show a trace as readable lines",
	.example = "lttngmap view trace --event malloc --process python3 --from +0.5",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
