/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-report.c - lttngmap report [DIR]: a trace as a page of HTML, to look at in a browser. */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/output-file.h"
#include "cli/report/page.h"
#include "cli/symbols/symbols.h"
#include "common/base/beneath.h"

#define EVENTS_DEFAULT 10000000

static char *file_name;
static long long most = EVENTS_DEFAULT;
static long long rows = -1;
static int as_text;
#define ROWS_DEFAULT 15

static const struct poptOption options[] = {
	{ "output", 'o', POPT_ARG_STRING, &file_name, 0,
	  "Write the page there (default: DIR.html; - is standard output)", "FILE" },
	{ "events", '\0', POPT_ARG_LONGLONG, &most, 0,
	  "Keep so many events one by one; of others, counts (default: 10000000)", "COUNT" },
	{ "text", 't', POPT_ARG_NONE, &as_text, 0,
	  "No page: sums as text, of events, durations, files and memory", NULL },
	{ "rows", '\0', POPT_ARG_LONGLONG, &rows, 0,
	  "Of each table of text so many rows, the largest; 0: all (default: 15)", "COUNT" },
	VIEW_FILTER_OPTIONS,
	SYMBOLS_OPTIONS,
	POPT_TABLEEND
};

/* DIR.html beside the trace, whatever way DIR was given. */
static int name_file(const char *path, char *name, size_t size)
{
	char *real = file_name ? NULL : realpath(path, NULL);
	int length;

	if (!file_name && !real) {
		message_error("report: '%s': %s", path, strerror(errno));
		return -errno;
	}
	if (real && strcmp(real, "/") == 0)
		length = snprintf(name, size, "/trace.html");
	else
		length = snprintf(name, size, "%s%s", real ? real : file_name, real ? ".html" : "");
	free(real);
	if (length >= 0 && (size_t)length < size)
		return 0;
	message_error("report: the name of the page is too long; name one by --output");
	return -ENAMETOOLONG;
}

static int open_file(const char *name)
{
	/* Devices and pipes are written as they are, if the user named them. */
	int fd = output_file_open(name, file_name != NULL);

	if (fd < 0) {
		message_error("report: cannot write '%s': %s", name, beneath_why(fd));
		if (!file_name)
			message_hint("name another file by --output");
	}
	return fd;
}

static void tell(const struct export *export, const char *name)
{
	const struct page *page = page_of(export);

	if (export->view.events > 0 && export->has_pairs && !export->has_threads) {
		message_note(
			"report: no durations: the trace does not tell the thread of an event");
		message_hint("`record --context vtid,ip` does, or `lttngmap context vtid,ip` in a "
			     "session");
	} else if (page->memory.calls > 0 && page->callers.is_nobody) {
		message_note("report: the trace does not tell who called malloc and its kin");
		message_hint("`record --context vtid,ip` does, or `lttngmap context vtid,ip` in a "
			     "session");
	} else if (page->memory.calls > 0 && symbols_untold(export->view.symbols) > 0) {
		message_note("report: callers without a name: the trace does not tell what their "
			     "processes had loaded");
		message_hint("the family dl tells it (`record --preload libc,dl`), unless other "
			     "events overwrite that");
	}
	if (!as_text && page->kept < page->events) {
		message_note("report: the table has the first %llu of %llu events",
			     (unsigned long long)page->kept, (unsigned long long)page->events);
		message_hint("--from and --to choose others, --events more of them");
	}
	view_streams_report(&export->view.streams);
	/* The text has that line. */
	if (!as_text)
		view_losses_report(&export->view);
	if (!as_text && strcmp(name, "-") != 0)
		message_note("report: open %s in a browser", name);
}

/*
 * 0, or -errno after a message; -ENOENT: nothing that was asked for is in the traces, and
 * there is no page.
 */
static int write_page(struct export *export, const struct view_traces *traces,
		      const char *const *paths, size_t nr_paths, const char *name)
{
	int error, output_error, fd;

	if (as_text && !file_name) {
		text_output_open(&export->view.output);
		view_progress_begin();
		error = view_graph_run(&export->view, traces);
		view_progress_clear();
		export_finish(export);
		output_error = text_output_close(&export->view.output);
		if (output_error)
			message_error("report: cannot write: %s", strerror(-output_error));
		if (!error && !output_error && view_missed_report(&export->view, paths, nr_paths))
			error = -ENOENT;
		return error ? error : output_error;
	}
	fd = open_file(name);
	if (fd < 0)
		return fd;
	text_output_open_file(&export->view.output, fd);
	view_progress_begin();
	error = view_graph_run(&export->view, traces);
	view_progress_clear();
	export_finish(export);
	output_error = text_output_close(&export->view.output);
	if (!error && !output_error && view_missed_report(&export->view, paths, nr_paths)) {
		output_file_close(fd, true, -ENOENT);
		return -ENOENT;
	}
	output_error = output_file_close(fd, true, output_error);
	if (output_error)
		message_error("report: cannot write '%s': %s", name, strerror(-output_error));
	return error ? error : output_error;
}

static int check_options(void)
{
	if (most < 0)
		message_error("report: --events %lld is not a number of events", most);
	else if (rows < -1)
		message_error("report: --rows %lld is not a number of rows", rows);
	else if (rows >= 0 && !as_text)
		message_error("report: --rows is for --text");
	else
		return 0;
	return -EINVAL;
}

static int run(int argc, const char **argv)
{
	static struct export export;
	struct view_traces traces = { 0 };
	char newest[PATH_MAX], name[PATH_MAX];
	const char *the_newest = newest, *const *paths = argc > 0 ? argv : &the_newest;
	const size_t nr_paths = argc > 0 ? (size_t)argc : 1;
	int error;

	view_verb = "report";
	if (check_options() || view_filter_set(&export.view.filter))
		return verb_usage_error(&verb_report);
	if (argc == 0 && view_find_newest(newest, sizeof(newest)))
		return CLI_STATUS_FAILED;
	if (view_find_all(paths, nr_paths, &traces) || name_file(paths[0], name, sizeof(name))) {
		view_traces_free(&traces);
		return CLI_STATUS_FAILED;
	}
	export.format = &export_page;
	export.view.printer = &export_printer;
	export.view.previous_ns = INT64_MIN;
	export.view.symbols = symbols_create();
	page_set(&export, paths[0], (uint64_t)most,
		 !as_text   ? 0
		 : rows < 0 ? ROWS_DEFAULT
		 : rows > 0 ? (uint64_t)rows
			    : UINT64_MAX);
	view_losses_find(&export.view.losses, &traces);
	error = write_page(&export, &traces, paths, nr_paths, name);
	if (!error)
		tell(&export, name);
	symbols_report(export.view.symbols, view_verb);
	symbols_destroy(export.view.symbols);
	view_streams_free(&export.view.streams);
	view_threads_free(&export.view.threads);
	view_traces_free(&traces);
	if (error)
		return CLI_STATUS_FAILED;
	return export.view.broken ? CLI_STATUS_BROKEN : CLI_STATUS_OK;
}

const struct verb verb_report = {
	.name = "report",
	.arguments = "[OPTIONS] [DIR...]",
	.summary = "Make a page of a trace, to look at in a browser",
	.example = "lttngmap report trace",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
