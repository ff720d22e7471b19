/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * query-events.c - the tables of events: `events`, and one for each event's name.
 *
 * Rows come in the order of time. SQLite gives the conditions on time, name, pid and cpu before a
 * scan, and looks at each row once more, so that a scan may give too much. The plan has two
 * letters for each: which column, and how it is compared.
 */
#include <config.h>

#include "cli/query/query.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLAN_MAX 32
/* Bytes that a record is taken to need, to guess how many there are. */
#define BYTES_OF_EVENT 32

struct table {
	sqlite3_vtab base;
	struct query_table *table;
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct query_scan scan;
	bool is_begun, has_event;
	sqlite3_int64 row;
};

static struct query_table *table_of(const sqlite3_vtab *base)
{
	return ((const struct table *)base)->table;
}

/* ---- the table ------------------------------------------------------------------------ */

/* Names are quoted: a trace may have made them. */
static char *declaration(const struct query_table *table)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);

	sqlite3_str_appendall(sql, "CREATE TABLE events(");
	for (int i = 0; i < table->nr_columns; i++)
		sqlite3_str_appendf(sql, "%s\"%w\" %s", i ? ", " : "", table->columns[i].name,
				    table->columns[i].type);
	sqlite3_str_appendchar(sql, 1, ')');
	return sqlite3_str_finish(sql);
}

static int connect(sqlite3 *db, void *data, int argc, const char *const *argv, sqlite3_vtab **base,
		   char **error)
{
	struct query_table *query_table = data;
	struct table *table;
	char *sql;
	int status;

	(void)argc;
	(void)argv;
	(void)error;
	if (query_table_fill(query_table) != 0)
		return query_interrupted ? SQLITE_INTERRUPT : SQLITE_NOMEM;
	sql = declaration(query_table);
	if (!sql)
		return SQLITE_NOMEM;
	status = query_declare(db, sql);
	sqlite3_free(sql);
	if (status != SQLITE_OK)
		return status;
	table = sqlite3_malloc(sizeof(*table));
	if (!table)
		return SQLITE_NOMEM;
	*table = (struct table){ .table = query_table };
	*base = &table->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *base)
{
	sqlite3_free(base);
	return SQLITE_OK;
}

/* ---- the plan --------------------------------------------------------------------------- */

static char letter_of_column(const struct query_table *table, int column)
{
	if (column < 0)
		return 0;
	switch (table->columns[column].kind) {
	case QUERY_TIME:
		return 't';
	case QUERY_NAME:
		return 'n';
	case QUERY_PID:
		return 'p';
	case QUERY_CPU:
		return 'c';
	default:
		return 0;
	}
}

/* How a column is compared, as far as a scan knows it. */
static char letter_of_comparison(char column, unsigned char op)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
		return '=';
	case SQLITE_INDEX_CONSTRAINT_GT:
	case SQLITE_INDEX_CONSTRAINT_GE:
		return column == 't' ? '>' : 0;
	case SQLITE_INDEX_CONSTRAINT_LT:
	case SQLITE_INDEX_CONSTRAINT_LE:
		return column == 't' ? '<' : 0;
	case SQLITE_INDEX_CONSTRAINT_GLOB:
		return column == 'n' ? '*' : 0;
	case SQLITE_INDEX_CONSTRAINT_LIKE:
		return column == 'n' ? '%' : 0;
	default:
		return 0;
	}
}

/* The share of all events that such a condition leaves, guessed. */
static double share_of(char column, char comparison)
{
	if (column == 't')
		return comparison == '=' ? 1e-6 : 0.1;
	return 0.1;
}

static void estimate(const struct query_table *table, sqlite3_index_info *info, double share)
{
	const struct query *query = table->query;
	double events = (double)query->bytes / BYTES_OF_EVENT + 1;

	if (table->name && query->nr_classes > 0)
		share *= (double)table->nr_classes / query->nr_classes;
	/* Other events are walked over. */
	info->estimatedCost = events * share + events * 0.1 + 1000;
	info->estimatedRows = (sqlite3_int64)(events * share) + 1;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct query_table *table = table_of(base);
	char plan[PLAN_MAX + 1] = "";
	size_t length = 0;
	double share = 1;

	for (int i = 0; i < info->nConstraint && length + 2 <= PLAN_MAX; i++) {
		char column = letter_of_column(table, info->aConstraint[i].iColumn);
		char comparison = letter_of_comparison(column, info->aConstraint[i].op);

		if (!column || !comparison || !info->aConstraint[i].usable)
			continue;
		if (column == 'n' && comparison == '=' &&
		    strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0)
			continue;
		/* A list of names is one scan. */
		if (comparison == '=' && sqlite3_vtab_in(info, i, -1))
			comparison = sqlite3_vtab_in(info, i, 1) ? '@' : '=';
		plan[length++] = column;
		plan[length++] = comparison;
		info->aConstraintUsage[i].argvIndex = (int)length / 2;
		share *= share_of(column, comparison);
	}
	estimate(table, info, share);
	info->idxStr = sqlite3_mprintf("%s", plan);
	if (!info->idxStr)
		return SQLITE_NOMEM;
	info->needToFreeIdxStr = 1;
	if (info->nOrderBy == 1 && !info->aOrderBy[0].desc &&
	    letter_of_column(table, info->aOrderBy[0].iColumn) == 't')
		info->orderByConsumed = 1;
	return SQLITE_OK;
}

/* ---- the scan ----------------------------------------------------------------------------- */

void query_wanted_time(struct query_wanted *wanted, char op, sqlite3_value *value)
{
	double real = sqlite3_value_double(value);
	int64_t from, to;

	if (sqlite3_value_type(value) == SQLITE_INTEGER)
		from = to = sqlite3_value_int64(value);
	else if (sqlite3_value_type(value) == SQLITE_FLOAT && fabs(real) < 0x1p62)
		from = to = (int64_t)floor(real), to++;
	else
		return;
	if (op != '<' && from > wanted->from)
		wanted->from = from;
	if (op != '>' && to < wanted->to)
		wanted->to = to;
}

static void want_number(int64_t *wanted, sqlite3_value *value)
{
	int64_t number = sqlite3_value_int64(value);

	if (sqlite3_value_type(value) == SQLITE_INTEGER && number >= 0)
		*wanted = number;
}

/* One name of several: from the second on, names are added. */
static bool is_name(char comparison, const char *wanted, const char *name)
{
	if (comparison == '*')
		return sqlite3_strglob(wanted, name) == 0;
	if (comparison == '%')
		return sqlite3_strlike(wanted, name, 0) == 0;
	return strcmp(wanted, name) == 0;
}

/* Marks by `mark` the classes of that name. */
static void mark_names(const struct query *query, uint8_t *marks, char comparison,
		       sqlite3_value *value)
{
	const char *name = (const char *)sqlite3_value_text(value);

	for (uint32_t i = 0; name && i < query->nr_classes; i++)
		if (is_name(comparison, name, query->classes[i]->name))
			marks[i] = 1;
}

static int want_names(struct query_wanted *wanted, const struct query *query, char comparison,
		      sqlite3_value *value)
{
	uint8_t *marks = calloc(query->nr_classes + 1, 1);
	sqlite3_value *one;

	if (!marks)
		return SQLITE_NOMEM;
	if (comparison != '@')
		mark_names(query, marks, comparison, value);
	else
		for (int status = sqlite3_vtab_in_first(value, &one); status == SQLITE_OK && one;
		     status = sqlite3_vtab_in_next(value, &one))
			mark_names(query, marks, '=', one);
	for (uint32_t i = 0; wanted->classes && i < query->nr_classes; i++)
		marks[i] &= wanted->classes[i];
	free(wanted->classes);
	wanted->classes = marks;
	return SQLITE_OK;
}

static int want_table(struct query_wanted *wanted, const struct query_table *table)
{
	if (!table->name)
		return SQLITE_OK;
	wanted->classes = calloc(table->query->nr_classes + 1, 1);
	if (!wanted->classes)
		return SQLITE_NOMEM;
	for (size_t i = 0; i < table->nr_classes; i++)
		wanted->classes[table->classes[i]->number] = 1;
	return SQLITE_OK;
}

static int begin(struct cursor *cursor, const struct query_wanted *wanted)
{
	struct query *query = table_of(cursor->base.pVtab)->query;
	int got = query_scan_begin(&cursor->scan, query, wanted);

	cursor->is_begun = true;
	cursor->has_event = got > 0;
	cursor->row = 0;
	if (got >= 0)
		return SQLITE_OK;
	return query_status(got);
}

static void end(struct cursor *cursor)
{
	if (cursor->is_begun)
		query_scan_end(&cursor->scan);
	cursor->is_begun = false;
	cursor->has_event = false;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
		  sqlite3_value **argv)
{
	struct cursor *cursor = (struct cursor *)base;
	const struct query_table *table = table_of(base->pVtab);
	struct query_wanted wanted = { .from = INT64_MIN, .to = INT64_MAX, .pid = -1, .cpu = -1 };
	int status = want_table(&wanted, table);

	(void)number;
	end(cursor);
	for (int i = 0; status == SQLITE_OK && i < argc; i++) {
		char column = plan[2 * i], comparison = plan[2 * i + 1];

		if (column == 't' && comparison != '@')
			query_wanted_time(&wanted, comparison, argv[i]);
		else if (column == 'n')
			status = want_names(&wanted, table->query, comparison, argv[i]);
		else if (comparison == '=')
			want_number(column == 'p' ? &wanted.pid : &wanted.cpu, argv[i]);
	}
	if (status == SQLITE_OK)
		return begin(cursor, &wanted);
	free(wanted.classes);
	return status;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)base;
	int got = query_scan_next(&cursor->scan);

	cursor->has_event = got > 0;
	cursor->row++;
	if (got >= 0)
		return SQLITE_OK;
	return query_status(got);
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return !((struct cursor *)base)->has_event;
}

static void result_number(sqlite3_context *context, int64_t number)
{
	if (number >= 0)
		sqlite3_result_int64(context, number);
}

static void result_process(sqlite3_context *context, const struct query_reader *event)
{
	char name[CTF_PROCNAME_SIZE + 1];

	query_event_process(event, name);
	if (name[0])
		sqlite3_result_text(context, name, -1, SQLITE_TRANSIENT);
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	const struct query_reader *event = query_scan_event(&((struct cursor *)base)->scan);
	const struct query_class *class = event->class;

	switch (table_of(base->pVtab)->columns[number].kind) {
	case QUERY_TIME:
		sqlite3_result_int64(context, event->ns);
		break;
	case QUERY_NAME:
		sqlite3_result_text(context, class->name, -1, SQLITE_STATIC);
		break;
	case QUERY_PROCESS:
		result_process(context, event);
		break;
	case QUERY_PID:
		result_number(context, query_event_pid(event));
		break;
	case QUERY_TID:
		result_number(context, query_event_tid(event));
		break;
	case QUERY_CPU:
		if (event->header.cpu_id != CTF_CPU_UNKNOWN)
			sqlite3_result_int64(context, event->header.cpu_id);
		break;
	case QUERY_LEVEL:
		result_number(context, class->level);
		break;
	case QUERY_FIELDS:
		query_result_fields(context, event);
		break;
	case QUERY_CONTEXT:
		query_result_contexts(context, event);
		break;
	case QUERY_HOST:
		sqlite3_result_text(context, event->trace->format.trace.host, -1, SQLITE_STATIC);
		break;
	case QUERY_TRACE:
		sqlite3_result_text(context, event->trace->path, -1, SQLITE_STATIC);
		break;
	case QUERY_MEMBER:
		query_result_member(context, event, class->member_of[number]);
		break;
	}
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *row)
{
	*row = ((struct cursor *)base)->row;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **cursor)
{
	struct cursor *new = sqlite3_malloc(sizeof(*new));

	(void)base;
	if (!new)
		return SQLITE_NOMEM;
	*new = (struct cursor){ .is_begun = false };
	*cursor = &new->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	end((struct cursor *)base);
	sqlite3_free(base);
	return SQLITE_OK;
}

/* Without xCreate: the tables are there under the names of their modules. */
const sqlite3_module query_events_module = {
	.xConnect = connect,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next,
	.xEof = is_at_end,
	.xColumn = column,
	.xRowid = row_id,
};
