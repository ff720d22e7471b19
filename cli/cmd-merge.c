/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-merge.c - lttngmap merge DIR...: one trace of what several connections left at a collector.
 */
#include <config.h>

#include "cli/verbs.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/losses.h"
#include "cli/base/message.h"
#include "cli/base/output-dir.h"
#include "cli/merge/merge.h"
#include "cli/view/view.h"
#include "common/base/amount.h"

static char *output;
static int quiet;

static const struct poptOption options[] = {
	{ "output", 'o', POPT_ARG_STRING, &output, 0,
	  "Write the trace there (new or empty; default: ./merged-DATE-TIME)", "DIR" },
	{ "quiet", 'q', POPT_ARG_NONE, &quiet, 0, "No summary", NULL },
	POPT_TABLEEND
};

static void print(const char *path, const struct merge_result *result)
{
	char packets[32], repeated[32], bytes[16], repeated_bytes[16];

	message_line("%s: %s packet%s of %" PRIu64 " stream%s, %s", path,
		     amount_format_count(result->packets, packets), message_plural(result->packets),
		     result->streams, message_plural(result->streams),
		     amount_format_size(result->bytes, bytes));
	if (result->repeated)
		message_line("  %s packet%s there more than once, %s",
			     amount_format_count(result->repeated, repeated),
			     result->repeated == 1 ? " was" : "s were",
			     amount_format_size(result->repeated_bytes, repeated_bytes));
}

/* Warns of facts that a reader of the trace should know, with remedies. */
static void warn(const struct merge_result *result)
{
	char count[32];

	if (result->missing) {
		message_note("merge: %s packet%s missing between others of their streams",
			     amount_format_count(result->missing, count),
			     result->missing == 1 ? " is" : "s are");
		message_hint("are all directories of the session named?");
	}
	if (result->torn)
		message_error("merge: %s packet%s cannot be read, and no directory has them whole",
			      amount_format_count(result->torn, count),
			      message_plural(result->torn));
	if (result->changed) {
		message_error(
			"merge: %s packets are not the same everywhere; one of each was taken",
			amount_format_count(result->changed, count));
		message_hint("is the disk in order that they lie on?");
	}
}

/*
 * Notes in the merged trace what the session lost, and tells it. The directories are copies or
 * chunks of one session: each that has its sums has the sums of the whole, up to its time.
 */
static void keep_losses(const char **directories, int count, const char *path)
{
	struct losses most = { 0 };
	char text[LOSSES_TEXT_SIZE];

	for (int i = 0; i < count; i++) {
		struct losses losses = { 0 };

		if (losses_add(directories[i], &losses) &&
		    losses.kept + losses_sum(&losses) > most.kept + losses_sum(&most))
			most = losses;
	}
	if (!losses_any(&most))
		return;
	message_note("merge: lost: %s", losses_describe(&most, text));
	if (losses_write_path(path, &most))
		message_note("merge: losses are not noted in '%s'", path);
}

static int run(int argc, const char **argv)
{
	struct merge_result result;
	struct output_dir dir;

	if (argc < 1) {
		message_error("merge: directories are missing");
		return verb_usage_error(&verb_merge);
	}
	if (output_dir_create("merge", output, "merged", &dir) != 0)
		return CLI_STATUS_FAILED;
	view_verb = "merge";
	if (merge_traces("merge", argv, (size_t)argc, dir.path, &result) != 0) {
		output_dir_remove(&dir);
		return CLI_STATUS_FAILED;
	}
	if (!quiet)
		print(dir.path, &result);
	warn(&result);
	keep_losses(argv, argc, dir.path);
	if (message_flush_output() || result.changed)
		return CLI_STATUS_FAILED;
	return result.torn ? CLI_STATUS_BROKEN : CLI_STATUS_OK;
}

const struct verb verb_merge = {
	.name = "merge",
	.arguments = "[OPTIONS] DIR...",
	.summary = "Make one trace of what several connections left at a collector",
	.example = "lttngmap merge -o trace lttng-traces/web*",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
