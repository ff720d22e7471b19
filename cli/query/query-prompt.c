/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * query-prompt.c - statements from a terminal, by libedit: lines up to a semicolon, a history, and
 * TAB, which completes tables, columns and SQL's words.
 */
#include <config.h>

#include "cli/query/query.h"

#include <editline/readline.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/message.h"

#define HISTORY_MOST 1000

static struct query *completed; /* the editor's function has no argument */

/* ---- completion -------------------------------------------------------------------------- */

static const char *const words[] = {
	"SELECT",   "FROM",     "WHERE",   "GROUP BY",  "ORDER BY",      "HAVING",  "LIMIT",
	"JOIN",     "DISTINCT", "BETWEEN", "GLOB",      "LIKE",          "NULL",    "COUNT(",
	"SUM(",     "AVG(",     "MIN(",    "MAX(",      "percentile(",   "symbol(", "trace_time('",
	"events",   "spans",    "packets", "processes", "threads",       "losses",  "classes",
	"duration", "process",  "name",    "fields",    "json_extract(", "context", "level",
	".help",    ".quit",    ".tables", NULL
};

static const char *word_at(size_t number)
{
	size_t nr_words = sizeof(words) / sizeof(words[0]) - 1;

	if (number < nr_words)
		return words[number];
	number -= nr_words;
	return number < completed->nr_tables ? completed->tables[number]->name : NULL;
}

/* A table's name is completed within its quotes, which the editor would escape. */
static char *next_match(const char *text, int state)
{
	static size_t number;
	const char *word;

	if (state == 0)
		number = 0;
	while ((word = word_at(number++)))
		/* Letters that act on a terminal are not offered. */
		if (strncasecmp(word, text, strlen(text)) == 0 &&
		    query_output_text(NULL, word) == strlen(word))
			return strdup(word);
	return NULL;
}

/* ---- lines --------------------------------------------------------------------------------- */

/* In a folder where no other user can put a link or a FIFO in its place. */
static bool is_own(const char *path)
{
	int length = (int)(strrchr(path, '/') - path);
	char folder[PATH_MAX];
	struct stat status;

	snprintf(folder, sizeof(folder), "%.*s", length ? length : 1, path);
	if (stat(folder, &status) < 0 || status.st_uid != geteuid() || status.st_mode & 022)
		return false;
	if (lstat(path, &status) < 0)
		return errno == ENOENT;
	return S_ISREG(status.st_mode) && status.st_uid == geteuid() && status.st_nlink == 1;
}

/* "" without a home, or in another user's. */
static void name_history(char path[PATH_MAX])
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int length = -1;

	if (state && *state == '/')
		length = snprintf(path, PATH_MAX, "%s/lttngmap-query", state);
	else if (home && *home == '/')
		length = snprintf(path, PATH_MAX, "%s/.lttngmap-query", home);
	if (length < 0 || length >= PATH_MAX || !is_own(path))
		path[0] = '\0';
}

static void help(void)
{
	puts("SQL, up to a semicolon, of these tables:\n"
	     "  events     time, name, process, pid, tid, cpu, level, fields, context\n"
	     "  \"NAME\"     the events of one name, a column for each field\n"
	     "  spans      begin, duration, name, process, pid, tid, depth, id, parent\n"
	     "  processes, threads, losses, packets\n"
	     "  counts     how many events there are of each name\n"
	     "  classes    the events' names, and their fields\n"
	     "functions: trace_time('+1.5'), symbol(ADDRESS, PID), percentile(VALUE, PERCENT)\n"
	     ".tables lists the events' names; .quit, or Ctrl-D, ends.");
}

static void run(struct query *query, const char *sql, enum query_format_kind kind)
{
	static struct text_output output;

	fflush(stdout);
	text_output_open_file(&output, STDOUT_FILENO);
	query_run(query, sql, kind, &output);
	text_output_flush(&output);
}

/* True: the line is no SQL. */
static bool take_command(struct query *query, const char *line, bool *is_end)
{
	if (strcmp(line, ".quit") == 0 || strcmp(line, ".exit") == 0) {
		*is_end = true;
	} else if (strcmp(line, ".tables") == 0) {
		run(query, line, QUERY_AS_TABLE);
	} else if (line[0] == '.') {
		help();
	} else {
		return false;
	}
	return true;
}

/* Appends the line. NULL without memory. */
static char *append(char *sql, const char *line)
{
	size_t before = sql ? strlen(sql) : 0;
	char *longer = realloc(sql, before + strlen(line) + 2);

	if (!longer) {
		free(sql);
		return NULL;
	}
	if (before)
		longer[before++] = '\n';
	strcpy(longer + before, line);
	return longer;
}

/* A line without a statement before it may be a command. True: it was one, or is empty. */
static bool take_alone(struct query *query, const char *sql, const char *line, bool *is_end)
{
	if (*line)
		add_history(line);
	return !sql && (!*line || take_command(query, line, is_end));
}

static void read_lines(struct query *query, enum query_format_kind kind)
{
	bool is_end = false;
	char *sql = NULL;

	while (!is_end) {
		char *line = readline(sql ? "   ...> " : "query> ");

		/* Ctrl-C gives up the statement, and Ctrl-D all. */
		if (!line && query_interrupted != SIGINT)
			break;
		if (!line || query_interrupted) {
			query_interrupted = 0;
			free(sql);
			sql = NULL;
			puts("");
		} else if (!take_alone(query, sql, line, &is_end)) {
			sql = append(sql, line);
			if (sql && sqlite3_complete(sql)) {
				run(query, sql, kind);
				free(sql);
				sql = NULL;
				/* Ctrl-C ends the statement alone; other signals end all. */
				is_end = query_interrupted && query_interrupted != SIGINT;
				if (!is_end)
					query_interrupted = 0;
			}
		}
		free(line);
	}
	free(sql);
}

int query_prompt_run(struct query *query, enum query_format_kind kind)
{
	char path[PATH_MAX] = "";
	mode_t before;

	name_history(path);
	completed = query;
	rl_readline_name = "lttngmap";
	rl_completion_entry_function = next_match;
	rl_completion_append_character = '\0';
	rl_basic_word_break_characters = " \t\n(),;=<>+-*/\"";
	using_history();
	stifle_history(HISTORY_MOST);
	if (path[0])
		read_history(path);
	printf("%zu kind%s of events may be in %zu stream%s; .help helps\n", query->nr_tables,
	       message_plural(query->nr_tables), query->nr_streams,
	       message_plural(query->nr_streams));
	read_lines(query, kind);
	puts("");
	/* Ctrl-C ended a statement, or a line. */
	if (query_interrupted == SIGINT)
		query_interrupted = 0;
	before = umask(077);
	if (path[0])
		write_history(path);
	umask(before);
	return 0;
}
