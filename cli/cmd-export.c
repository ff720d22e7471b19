/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-export.c - lttngmap export [DIR] --FORMAT FILE: a trace for other viewers. */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/output-file.h"
#include "cli/export/export.h"
#include "cli/symbols/symbols.h"
#include "common/base/beneath.h"

static char *perfetto, *chrome, *folded, *json;
static char *counter, *flow;

static const struct poptOption options[] = {
	{ "perfetto", '\0', POPT_ARG_STRING, &perfetto, 0,
	  "For ui.perfetto.dev: TrackEvents as protocol buffers", "FILE" },
	{ "chrome", '\0', POPT_ARG_STRING, &chrome, 0, "JSON of Chrome's trace viewer", "FILE" },
	{ "folded", '\0', POPT_ARG_STRING, &folded, 0, "Call stacks for flame graphs", "FILE" },
	{ "json", '\0', POPT_ARG_STRING, &json, 0, "One JSON object a line, as of view --json",
	  "FILE" },
	{ "counter", '\0', POPT_ARG_STRING, &counter, 0, "Show this field as a counter",
	  "PROVIDER:EVENT.FIELD" },
	{ "flow", '\0', POPT_ARG_STRING, &flow, 0,
	  "Join events that have the same in this field (for --perfetto)", "FIELD" },
	VIEW_FILTER_OPTIONS,
	SYMBOLS_OPTIONS,
	POPT_TABLEEND
};

static const struct {
	char **file;
	const struct export_format *format; /* NULL: lines of JSON */
} formats[] = {
	{ &perfetto, &export_perfetto },
	{ &chrome, &export_chrome },
	{ &folded, &export_folded },
	{ &json, NULL },
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

/* The one format that was asked for; FORMATS where that is not one. */
static size_t choose(void)
{
	size_t chosen = FORMATS;

	for (size_t i = 0; i < FORMATS; i++) {
		if (!*formats[i].file)
			continue;
		if (chosen != FORMATS)
			return FORMATS;
		chosen = i;
	}
	return chosen;
}

static int check_options(void)
{
	if (choose() == FORMATS)
		message_error("export: give one of --perfetto, --chrome, --folded and --json");
	else if (counter && (!strchr(counter, ':') || !strrchr(counter, '.')))
		message_error("export: --counter '%s' is not PROVIDER:EVENT.FIELD", counter);
	else
		return 0;
	return -EINVAL;
}

/* Stacks are made of slices alone, so the file is empty. */
static bool has_nothing(const struct export *export)
{
	return export->format == &export_folded && export->slices == 0;
}

/* Slices need to know whose they are. 0, or -errno: there is no file, for the reason printed. */
static int tell_what_is_missing(const struct export *export, const char *const *paths,
				size_t nr_paths)
{
	bool is_missing = view_missed_report(&export->view, paths, nr_paths);

	if (export->view.events == 0)
		return is_missing ? -ENOENT : 0;
	if (export->format && export->has_pairs && !export->has_threads && export->slices == 0) {
		message_note("export: no slices: the trace does not tell the thread of an event");
		message_hint("record with --context vtid");
	} else if (export->format == &export_folded && export->slices == 0) {
		message_note("export: no call stacks in '%s'", paths[0]);
		message_hint(
			"lttngmap record --preload cyg-profile --context vtid records those of "
			"programs built with -finstrument-functions");
	}
	if (export->counter && !export->has_counter)
		message_note("export: --counter: no event has '%s', as a number", export->counter);
	if (export->unpaired > 0)
		message_note("export: %llu ends without a begin are single events",
			     (unsigned long long)export->unpaired);
	return has_nothing(export) ? -ENODATA : 0;
}

static int export_to(struct export *export, const struct view_traces *traces, const char *file)
{
	int error, output_error, fd = output_file_open(file, true);

	if (fd < 0) {
		message_error("export: cannot write '%s': %s", file, beneath_why(fd));
		return fd;
	}
	text_output_open_file(&export->view.output, fd);
	view_progress_begin();
	error = view_graph_run(&export->view, traces);
	view_progress_clear();
	if (export->format)
		export_finish(export);
	output_error = text_output_close(&export->view.output);
	if (!error && !output_error && has_nothing(export)) {
		output_file_close(fd, true, -ENODATA);
		return 0;
	}
	output_error = output_file_close(fd, true, output_error);
	if (output_error)
		message_error("export: cannot write '%s': %s", file, strerror(-output_error));
	return error ? error : output_error;
}

static int run(int argc, const char **argv)
{
	static struct export export;
	struct view_traces traces = { 0 };
	char newest[PATH_MAX];
	const char *the_newest = newest, *const *paths = argc > 0 ? argv : &the_newest;
	const size_t nr_paths = argc > 0 ? (size_t)argc : 1;
	int error;

	view_verb = "export";
	if (check_options())
		return verb_usage_error(&verb_export);
	if (view_filter_set(&export.view.filter))
		return verb_usage_error(&verb_export);
	if (argc == 0 && view_find_newest(newest, sizeof(newest)))
		return CLI_STATUS_FAILED;
	if (view_find_all(paths, nr_paths, &traces)) {
		view_traces_free(&traces);
		return CLI_STATUS_FAILED;
	}
	export.format = formats[choose()].format;
	export.view.printer = export.format ? &export_printer : &view_json_printer;
	export.view.previous_ns = INT64_MIN;
	export.view.symbols = symbols_create();
	export.counter = counter;
	export.flow = flow;
	view_losses_find(&export.view.losses, &traces);
	error = export_to(&export, &traces, *formats[choose()].file);
	if (!error)
		error = tell_what_is_missing(&export, paths, nr_paths);
	view_losses_report(&export.view);
	symbols_report(export.view.symbols, view_verb);
	symbols_destroy(export.view.symbols);
	view_streams_free(&export.view.streams);
	view_threads_free(&export.view.threads);
	view_traces_free(&traces);
	if (error)
		return CLI_STATUS_FAILED;
	return export.view.broken ? CLI_STATUS_BROKEN : CLI_STATUS_OK;
}

const struct verb verb_export = {
	.name = "export",
	.arguments = "--FORMAT FILE [OPTIONS] [DIR...]",
	.summary = "Write a trace for other viewers",
	.example = "lttngmap export trace --perfetto trace.perfetto",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
