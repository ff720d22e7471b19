/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-query.c - lttngmap query [DIR...] ['SELECT ...']: SQL over traces as they lie. */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/query/query.h"
#include "cli/symbols/symbols.h"

static int as_csv, as_json, as_plot;

static const struct poptOption options[] = {
	{ "csv", 'c', POPT_ARG_NONE, &as_csv, 0, "Comma-separated values", NULL },
	{ "json", 'j', POPT_ARG_NONE, &as_json, 0, "One JSON object a line", NULL },
	{ "plot", 'p', POPT_ARG_NONE, &as_plot, 0,
	  "Bars, or a line: of one number, a text and a number, two numbers", NULL },
	SYMBOLS_OPTIONS,
	POPT_TABLEEND
};

static void on_signal(int number)
{
	query_interrupted = number;
}

/* Ctrl-C ends a statement, and then the command, except at the prompt. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

/* SQL is no name of a file, and no single word; `.tables` is taken as SQL. */
static bool is_sql(const char *text)
{
	struct stat status;

	return stat(text, &status) < 0 &&
	       (text[strcspn(text, " \t\n;(")] != '\0' || strcmp(text, ".tables") == 0);
}

/* All of standard input, to be freed. NULL after a message. */
static char *read_input(void)
{
	size_t size = 0, room = 4096;
	char *text = malloc(room);

	while (text) {
		size_t got = fread(text + size, 1, room - size - 1, stdin);
		char *larger;

		size += got;
		text[size] = '\0';
		if (got == 0)
			return text;
		if (room - size > 1)
			continue;
		larger = realloc(text, room *= 2);
		if (!larger)
			free(text);
		text = larger;
	}
	message_error("query: %s", strerror(ENOMEM));
	return NULL;
}

static int run_text(struct query *query, const char *sql, enum query_format_kind kind)
{
	static struct text_output output;
	int error, output_error;

	text_output_open(&output);
	error = query_run(query, sql, kind, &output);
	output_error = text_output_close(&output);
	if (output_error)
		message_error("query: cannot write the output: %s", strerror(-output_error));
	return error ? error : output_error;
}

/* `sql` NULL: from the terminal, or from standard input. */
static int run_sql(struct query *query, const char *sql, enum query_format_kind kind)
{
	char *input;
	int error;

	if (sql)
		return run_text(query, sql, kind);
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return query_prompt_run(query, kind);
	input = read_input();
	error = input ? run_text(query, input, kind) : -ENOMEM;
	free(input);
	return error;
}

static int run_query(const char *const *paths, size_t nr_paths, const char *sql,
		     enum query_format_kind kind)
{
	static struct query query;
	char text[LOSSES_TEXT_SIZE];
	int error = query_open(&query, paths, nr_paths);

	if (!error)
		error = query_database_open(&query);
	if (!error && losses_any(&query.losses))
		message_note("query: lost: %s", losses_describe(&query.losses, text));
	if (!error)
		error = run_sql(&query, sql, kind);
	query_database_close(&query);
	if (query.broken > QUERY_BROKEN_NAMED)
		message_error("query: %zu more streams are broken",
			      query.broken - QUERY_BROKEN_NAMED);
	symbols_report(query.symbols, "query");
	symbols_destroy(query.symbols);
	if (!error && query.broken)
		message_hint("all else was read; 'lttngmap view' says more");
	query_close(&query);
	if (query_interrupted) {
		signal(query_interrupted, SIG_DFL);
		raise(query_interrupted);
	}
	if (error)
		return CLI_STATUS_FAILED;
	return query.broken ? CLI_STATUS_BROKEN : CLI_STATUS_OK;
}

static int run(int argc, const char **argv)
{
	enum query_format_kind kind = as_csv    ? QUERY_AS_CSV
				      : as_json ? QUERY_AS_JSON
				      : as_plot ? QUERY_AS_PLOT
						: QUERY_AS_TABLE;
	const char *sql = NULL, *path;
	char newest[PATH_MAX];

	view_verb = "query";
	if (as_csv + as_json + as_plot > 1) {
		message_error("query: --csv, --json and --plot exclude one another");
		return verb_usage_error(&verb_query);
	}
	if (argc > 0 && is_sql(argv[argc - 1]))
		sql = argv[--argc];
	if (argc == 0) {
		if (view_find_newest(newest, sizeof(newest)))
			return CLI_STATUS_FAILED;
		path = newest;
		argv = &path;
		argc = 1;
	}
	catch_signals();
	return run_query(argv, (size_t)argc, sql, kind);
}

const struct verb verb_query = {
	.name = "query",
	.arguments = "[OPTIONS] [DIR...] ['SELECT ...']",
	.summary = "Ask a trace questions in SQL",
	.example = "lttngmap query trace 'SELECT name, count(*) FROM events GROUP BY name'",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
