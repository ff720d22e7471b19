/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * query-database.c - SQLite's connection: an empty database in memory, the tables of the traces,
 * and views of them. Nothing is written: an authorizer denies all but reading.
 */
#include <config.h>

#include "cli/query/query.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/base/suggest.h"

/* SQLite's steps between two looks at `query_interrupted`. */
#define STEPS 1000
#define SPACES " \t\r\n;"

/* ---- what is denied --------------------------------------------------------------------- */

/* A table's columns are being declared, which SQLite asks about, too. */
static bool is_declaring;

int query_declare(sqlite3 *db, const char *sql)
{
	int status;

	is_declaring = true;
	status = sqlite3_declare_vtab(db, sql);
	is_declaring = false;
	return status;
}

static bool is_among(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (sqlite3_stricmp(*names, name) == 0)
			return true;
	return false;
}

/* Some event tells its thread: the context vtid, or a kernel's event. */
static bool has_threads(const struct query *query)
{
	for (uint32_t i = 0; i < query->nr_classes; i++)
		if (query->classes[i]->format->vtid >= 0 || query->classes[i]->common_pid >= 0)
			return true;
	return false;
}

/* The tables of threads are empty where no event tells its thread. `view`: the one that reads. */
static void tell_empty(struct query *query, const char *table, const char *view)
{
	if (query->has_told_no_thread || !table ||
	    (sqlite3_stricmp(table, "spans") != 0 &&
	     (!view || sqlite3_stricmp(view, "threads") != 0)))
		return;
	query->has_told_no_thread = true;
	if (has_threads(query))
		return;
	message_note(
		"query: no event tells its thread: the tables 'spans' and 'threads' are empty");
	message_hint("record with the context vtid, which 'lttngmap record' takes by default");
}

static int authorize(void *data, int action, const char *first, const char *second,
		     const char *database, const char *view)
{
	static const char *const pragmas[] = { "table_info",    "table_xinfo",     "table_list",
					       "function_list", "compile_options", NULL };
	static const char *const functions[] = { "load_extension", "fts3_tokenizer", NULL };

	(void)database;
	if (is_declaring)
		return SQLITE_OK;
	switch (action) {
	case SQLITE_READ:
		tell_empty(data, first, view);
		return SQLITE_OK;
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return second && is_among(functions, second) ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_PRAGMA:
		return first && is_among(pragmas, first) ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

static int look_for_interrupt(void *data)
{
	(void)data;
	return query_interrupted != 0;
}

/* ---- tables ------------------------------------------------------------------------------ */

/* Those that are no event's. */
static const char *const own_tables[] = { "events", "spans",   "processes", "threads",
					  "losses", "packets", "counts",    "classes" };

/* Names that a trace may not take from SQLite. */
static bool is_reserved(const char *name)
{
	return !*name || sqlite3_strnicmp(name, "sqlite_", 7) == 0 ||
	       sqlite3_strnicmp(name, "pragma_", 7) == 0 || sqlite3_strnicmp(name, "json_", 5) == 0;
}

/* Own tables come last, in the place of an event's of the same name. */
static int add_modules(struct query *query)
{
	int status = SQLITE_OK;

	for (size_t i = 0; status == SQLITE_OK && i < query->nr_tables; i++)
		if (!is_reserved(query->tables[i]->name))
			status = sqlite3_create_module(query->db, query->tables[i]->name,
						       &query_events_module, query->tables[i]);
	if (status == SQLITE_OK)
		status = sqlite3_create_module(query->db, "events", &query_events_module,
					       &query->all);
	if (status == SQLITE_OK)
		status = sqlite3_create_module(query->db, "packets", &query_packets_module, query);
	if (status == SQLITE_OK)
		status = sqlite3_create_module(query->db, "spans", &query_spans_module, query);
	return status;
}

/* Some stream is of several processes, which only its events name. */
static bool has_shared_streams(const struct query *query)
{
	for (size_t i = 0; i < query->nr_streams; i++)
		if (query->streams[i].pid == 0 && !query->streams[i].trace->format.trace.is_kernel)
			return true;
	return false;
}

static int add_views(struct query *query)
{
	/* The user of the packet that ends last: a process may have become another one's. */
	static const char of_packets[] =
		"CREATE TEMP VIEW processes AS SELECT pid, process AS name, min(\"begin\") AS "
		"\"begin\", max(\"end\") AS \"end\", "
		"CAST(substr(max(printf('%020d', \"end\") || uid), 21) AS INTEGER) AS uid, "
		"host FROM packets "
		"WHERE pid IS NOT NULL GROUP BY host, pid, process;";
	static const char of_events[] =
		"CREATE TEMP VIEW processes AS SELECT pid, process AS name, min(time) AS "
		"\"begin\", max(time) AS \"end\", NULL AS uid, host FROM events "
		"WHERE pid IS NOT NULL GROUP BY host, pid, process;";
	static const char others[] =
		"CREATE TEMP VIEW threads AS SELECT tid, pid, process, min(time) AS \"begin\", "
		"max(time) AS \"end\", count(*) AS events, host FROM events "
		"WHERE tid IS NOT NULL GROUP BY host, pid, tid, process;"
		"CREATE TEMP VIEW losses AS SELECT \"end\" AS time, process, pid, cpu, "
		"lost_events AS events, lost_packets AS packets, host FROM packets "
		"WHERE lost_events > 0 OR lost_packets > 0 UNION ALL "
		"SELECT NULL, NULL, NULL, NULL, untold, 0, NULL FROM "
		"(SELECT lttngmap_lost() - coalesce(sum(lost_events), 0) AS untold FROM packets) "
		"WHERE untold > 0;"
		"CREATE TEMP VIEW classes AS SELECT json_extract(value, '$.name') AS name, "
		"json_extract(value, '$.level') AS level, json_extract(value, '$.fields') AS "
		"fields FROM json_each(lttngmap_classes());"
		"CREATE TEMP VIEW counts AS SELECT json_extract(value, '$.name') AS name, "
		"sum(json_extract(value, '$.events')) AS events, "
		"min(json_extract(value, '$.begin')) AS \"begin\", "
		"max(json_extract(value, '$.end')) AS \"end\" "
		"FROM json_each(lttngmap_counts()) GROUP BY 1;";
	int status = sqlite3_exec(query->db, has_shared_streams(query) ? of_events : of_packets,
				  NULL, NULL, NULL);

	return status ? status : sqlite3_exec(query->db, others, NULL, NULL, NULL);
}

int query_database_open(struct query *query)
{
	int status = sqlite3_open_v2(
		":memory:", &query->db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, NULL);

	if (status == SQLITE_OK)
		status = add_modules(query);
	if (status == SQLITE_OK)
		status = query_functions_add(query);
	if (status == SQLITE_OK)
		status = add_views(query);
	if (status != SQLITE_OK) {
		message_error("query: cannot make the tables: %s",
			      query->db ? sqlite3_errmsg(query->db) : sqlite3_errstr(status));
		return -EIO;
	}
	sqlite3_db_config(query->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_set_authorizer(query->db, authorize, query);
	sqlite3_progress_handler(query->db, STEPS, look_for_interrupt, NULL);
	return 0;
}

void query_database_close(struct query *query)
{
	sqlite3_close(query->db);
	query_spans_free(query);
	query->db = NULL;
}

/* ---- statements --------------------------------------------------------------------------- */

/* The name that SQLite did not find, as its message `said` ends; NULL: it misses none. */
static const char *missed(const char *said, const char *what)
{
	size_t length = strlen(what);

	return strncmp(said, what, length) == 0 ? said + length : NULL;
}

static void hint_table(const struct query *query, const char *name)
{
	struct suggestion best = suggestion_begin(name, strlen(name));

	for (size_t i = 0; i < sizeof(own_tables) / sizeof(own_tables[0]); i++)
		suggestion_offer(&best, own_tables[i]);
	for (size_t i = 0; i < query->nr_tables; i++)
		suggestion_offer(&best, query->tables[i]->name);
	if (best.word)
		message_hint(strchr(best.word, ':') ? "did you mean \"%s\"?" : "did you mean %s?",
			     best.word);
	else
		message_hint("`lttngmap query DIR .tables` lists them");
}

/* True: *table, a class, has a field of that name. */
static bool find_field(const struct query *query, const char *name, const char **table)
{
	for (uint32_t i = 0; i < query->nr_classes; i++)
		for (uint32_t j = 0; j < query->classes[i]->fields.count; j++)
			if (strcmp(query->classes[i]->fields.all[j].name, name) == 0) {
				*table = query->classes[i]->name;
				return true;
			}
	return false;
}

static bool has_context(const struct query *query, const char *name)
{
	for (uint32_t i = 0; i < query->nr_classes; i++) {
		const struct query_fields *contexts = &query->classes[i]->format->contexts;

		for (uint32_t j = 0; j < contexts->count; j++)
			if (strcmp(contexts->all[j].name, name) == 0)
				return true;
	}
	return false;
}

#define NAME_MOST 256 /* of names that are suggested */

/* Offers a word that is gone soon: what is the best one then is in `kept`. */
static void offer_copy(struct suggestion *best, const char *word, char kept[NAME_MOST])
{
	suggestion_offer(best, word);
	if (best->word == word) {
		snprintf(kept, NAME_MOST, "%s", word);
		best->word = kept;
	}
}

/* Offers the texts in that column of the pragma's rows, but those that views alone call. */
static void offer_rows(const struct query *query, const char *pragma, int column,
		       struct suggestion *best, char kept[NAME_MOST])
{
	static const char of_views[] = "lttngmap_";
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(query->db, pragma, -1, &statement, NULL) == SQLITE_OK)
		while (sqlite3_step(statement) == SQLITE_ROW) {
			const char *word = (const char *)sqlite3_column_text(statement, column);

			if (word && strncmp(word, of_views, strlen(of_views)) != 0)
				offer_copy(best, word, kept);
		}
	sqlite3_finalize(statement);
}

/* Offers the columns of the table, if the statement `sql` names it. */
static void offer_columns(const struct query *query, const char *sql, const char *table,
			  struct suggestion *best, char kept[NAME_MOST])
{
	char *pragma;

	if (!strstr(sql, table))
		return;
	pragma = sqlite3_mprintf("PRAGMA table_info(\"%w\")", table);
	if (pragma)
		offer_rows(query, pragma, 1, best, kept);
	sqlite3_free(pragma);
}

static void hint_function(const struct query *query, const char *name)
{
	struct suggestion best = suggestion_begin(name, strlen(name));
	char kept[NAME_MOST];

	offer_rows(query, "PRAGMA function_list", 0, &best, kept);
	if (best.word)
		message_hint("did you mean %s()?", best.word);
	else
		message_hint("`man lttngmap-query` has those that SQLite has not; "
			     "PRAGMA function_list lists all");
}

static void hint_column(const struct query *query, const char *sql, const char *name)
{
	const char *own = strrchr(name, '.'), *table;
	struct suggestion best;
	char kept[NAME_MOST];

	own = own ? own + 1 : name;
	best = suggestion_begin(own, strlen(own));
	for (size_t i = 0; i < sizeof(own_tables) / sizeof(own_tables[0]); i++)
		offer_columns(query, sql, own_tables[i], &best, kept);
	for (size_t i = 0; i < query->nr_tables; i++)
		offer_columns(query, sql, query->tables[i]->name, &best, kept);
	if (has_context(query, own))
		message_hint("context->>'%s' has that context, and the table of an event's name "
			     "a column of it",
			     own);
	else if (find_field(query, own, &table))
		message_hint("it is a field of \"%s\": a column there, fields->>'%s' in events",
			     table, own);
	else if (best.word)
		message_hint("did you mean %s?", best.word);
	else
		message_hint("PRAGMA table_info(TABLE) lists a table's columns");
}

static void tell_error(const struct query *query, const char *sql)
{
	int code = sqlite3_errcode(query->db), offset = sqlite3_error_offset(query->db);
	const char *table, *column, *function;
	char said[NAME_MOST + 32];

	if (code == SQLITE_INTERRUPT || query_interrupted) {
		message_error("query: interrupted");
		return;
	}
	message_error("query: %s", sqlite3_errmsg(query->db));
	/* A hint's own statements have messages, too. */
	snprintf(said, sizeof(said), "%s", sqlite3_errmsg(query->db));
	table = missed(said, "no such table: ");
	column = missed(said, "no such column: ");
	function = missed(said, "no such function: ");
	if (code == SQLITE_AUTH)
		message_hint("traces are only read: SELECT, WITH, VALUES and EXPLAIN are allowed");
	else if (table)
		hint_table(query, table);
	else if (column)
		hint_column(query, sql, column);
	else if (function)
		hint_function(query, function);
	else if (offset >= 0)
		message_hint("at '%.40s'", sql + offset);
}

static int run_statement(struct query *query, sqlite3_stmt *statement, enum query_format_kind kind,
			 struct text_output *output)
{
	int status = kind == QUERY_AS_PLOT ? query_plot_rows(statement, output)
					   : query_output_rows(statement, kind, output);

	if (status == SQLITE_DONE || output->error)
		return 0;
	tell_error(query, "");
	return query_interrupted ? -EINTR : -EIO;
}

/* True: the text is `.tables`, which users of SQLite's shell type, and is answered. */
static bool answer_command(struct query *query, const char *sql, struct text_output *output)
{
	static const char command[] = ".tables";
	size_t begin = strspn(sql, SPACES), length = strlen(command);

	if (strncmp(sql + begin, command, length) != 0 ||
	    sql[begin + length + strspn(sql + begin + length, SPACES)] != '\0')
		return false;
	for (size_t i = 0; i < sizeof(own_tables) / sizeof(own_tables[0]); i++) {
		text_output_text(output, own_tables[i]);
		text_output_char(output, '\n');
	}
	for (size_t i = 0; i < query->nr_tables; i++) {
		text_output_char(output, '"');
		query_output_text(output, query->tables[i]->name);
		text_output_text(output, "\"\n");
	}
	return true;
}

int query_run(struct query *query, const char *sql, enum query_format_kind kind,
	      struct text_output *output)
{
	int error = 0;

	query_interrupted = 0;
	if (answer_command(query, sql, output))
		return 0;
	while (!error && *sql && !output->error) {
		sqlite3_stmt *statement = NULL;
		const char *rest;

		if (sqlite3_prepare_v2(query->db, sql, -1, &statement, &rest) != SQLITE_OK) {
			tell_error(query, sql);
			return query_interrupted ? -EINTR : -EINVAL;
		}
		/* Spaces and comments are no statement. */
		if (statement)
			error = run_statement(query, statement, kind, output);
		sqlite3_finalize(statement);
		sql = rest;
	}
	return error;
}
