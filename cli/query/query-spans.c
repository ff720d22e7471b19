/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * query-spans.c - the table `spans`: pairs of events on a thread, by the rules of `report` and
 * `export` (export-event.c). Rows come in the order of their ends. A span that did not end is no
 * row. One that something else ended, as longjmp(), an exception or lost events, is cut.
 *
 * Memory: the open spans of each thread, of which DEPTH_MAX may lie in one another. Deeper ones are
 * counted, and are no rows.
 */
#include <config.h>

#include "cli/query/query.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/export/export.h"

#define DEPTH_MAX 4096
#define PLACES_AT_FIRST 256

/* The part that a class has in spans. */
struct query_span_class {
	enum export_kind kind;
	char *category, *name;
	int64_t duration, function; /* fields; -1: none */
	uint32_t pair;              /* the same of a begin and its ends */
};

struct span {
	const struct query_span_class *class;
	int64_t id, parent; /* parent 0: none */
	int64_t begin, end;
	uint64_t function;
	bool is_cut;
	size_t depth;
};

struct thread {
	int64_t pid, tid;
	const char *host;
	char process[CTF_PROCNAME_SIZE + 1];
	struct span *open;
	size_t depth, room;
	uint64_t deeper; /* open spans in those, of which only the number is known */
};

struct table {
	sqlite3_vtab base;
	struct query *query;
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct query_scan scan;
	bool is_begun, has_event, has_span, is_taken;
	struct thread **threads; /* open addressing */
	size_t places, count;
	int64_t last_id;
	struct span span;      /* the current row */
	struct thread *thread; /* whose it is */
	size_t keep;           /* depth down to which its spans are ended first */
	size_t losing;         /* threads before this one were looked at, after a loss */
	struct span complete;  /* after those */
	bool has_complete, has_end;
	sqlite3_int64 row;
};

/* ---- classes ------------------------------------------------------------------------ */

/* Classes of that name and stream are found by halves. */
static bool has_class(const struct query *query, const struct query_class *class, const char *name)
{
	size_t low = 0, high = query->nr_classes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(query->sorted[middle]->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < query->nr_classes && strcmp(query->sorted[low]->name, name) == 0; low++)
		if (query->sorted[low]->format == class->format)
			return true;
	return false;
}

struct beside {
	const struct query *query;
	const struct query_class *class;
};

static bool has_event(const void *data, const char *head, size_t length, const char *tail)
{
	const struct beside *beside = data;
	char *name = sqlite3_mprintf("%.*s%s", (int)length, head, tail);
	bool has = name && has_class(beside->query, beside->class, name);

	sqlite3_free(name);
	return has;
}

static int64_t find_number(const struct query_fields *fields, const char *name)
{
	for (uint32_t i = 0; i < fields->count; i++)
		if (strcmp(fields->all[i].name, name) == 0 && !fields->all[i].member.is_array &&
		    fields->all[i].member.type <= RECORD_TYPE_SIGNED)
			return i;
	return -1;
}

static int make_class(struct query *query, const struct query_class *class,
		      struct query_span_class *span)
{
	struct beside beside = { query, class };
	const char *name = class->name, *colon = strchr(name, ':');
	struct export_pair pair = export_pair_of(name, has_event, &beside);

	span->kind = pair.kind;
	span->duration =
		strncmp(name, "lttngmap_", 9) == 0 ? find_number(&class->fields, "duration") : -1;
	if (span->kind == EXPORT_INSTANT && span->duration >= 0)
		span->kind = EXPORT_COMPLETE;
	span->function = span->kind != EXPORT_INSTANT && strstr(name, ":func_")
				 ? find_number(&class->fields, "addr")
				 : -1;
	if (span->kind == EXPORT_INSTANT)
		return 0;
	span->category = strndup(name, colon ? (size_t)(colon - name) : 0);
	span->name = strndup(pair.name, pair.length);
	return span->category && span->name ? 0 : -ENOMEM;
}

static int make_classes(struct query *query)
{
	int error = 0;

	if (query->span_classes)
		return 0;
	query->span_classes = calloc(query->nr_classes + 1, sizeof(*query->span_classes));
	if (!query->span_classes)
		return -ENOMEM;
	for (uint32_t i = 0; !error && i < query->nr_classes; i++)
		error = make_class(query, query->classes[i], &query->span_classes[i]);
	return error;
}

void query_spans_free(struct query *query)
{
	for (uint32_t i = 0; query->span_classes && i < query->nr_classes; i++) {
		free(query->span_classes[i].category);
		free(query->span_classes[i].name);
	}
	free(query->span_classes);
	query->span_classes = NULL;
}

static bool is_pair(const struct query_span_class *a, const struct query_span_class *b)
{
	return a == b || (strcmp(a->name, b->name) == 0 && strcmp(a->category, b->category) == 0);
}

/* ---- threads ------------------------------------------------------------------------ */

static struct thread **place_of(const struct cursor *cursor, const char *host, int64_t pid,
				int64_t tid)
{
	uint64_t hash = ((uint64_t)pid << 32 ^ (uint64_t)tid) * UINT64_C(0x9e3779b97f4a7c15);
	size_t place = (hash >> 32) & (cursor->places - 1);

	while (cursor->threads[place] &&
	       (cursor->threads[place]->pid != pid || cursor->threads[place]->tid != tid ||
		strcmp(cursor->threads[place]->host, host) != 0))
		place = (place + 1) & (cursor->places - 1);
	return &cursor->threads[place];
}

static int grow(struct cursor *cursor)
{
	struct cursor larger = { .places = cursor->places ? 2 * cursor->places : PLACES_AT_FIRST };

	larger.threads = calloc(larger.places, sizeof(struct thread *));
	if (!larger.threads)
		return -ENOMEM;
	for (size_t i = 0; i < cursor->places; i++) {
		struct thread *thread = cursor->threads[i];

		if (thread)
			*place_of(&larger, thread->host, thread->pid, thread->tid) = thread;
	}
	free(cursor->threads);
	cursor->threads = larger.threads;
	cursor->places = larger.places;
	return 0;
}

/* NULL without memory. */
static struct thread *get_thread(struct cursor *cursor, const struct query_reader *event,
				 int64_t tid)
{
	const char *host = event->trace->format.trace.host;
	int64_t pid = query_event_pid(event);
	struct thread **place;

	if (2 * cursor->count >= cursor->places && grow(cursor) != 0)
		return NULL;
	place = place_of(cursor, host, pid, tid);
	if (*place)
		return *place;
	*place = calloc(1, sizeof(**place));
	if (!*place)
		return NULL;
	**place = (struct thread){ .pid = pid, .tid = tid, .host = host };
	query_event_process(event, (*place)->process);
	cursor->count++;
	return *place;
}

/* ---- from an event to rows -------------------------------------------------------------- */

/* Ends the innermost span, which becomes the row. */
static void end_innermost(struct cursor *cursor, struct thread *thread, int64_t ns, bool is_cut)
{
	cursor->span = thread->open[--thread->depth];
	cursor->span.end = ns;
	cursor->span.is_cut = is_cut;
	cursor->thread = thread;
	cursor->has_span = true;
}

static struct query *query_of(const struct cursor *cursor)
{
	return ((const struct table *)cursor->base.pVtab)->query;
}

static void tell_depth(struct query *query, const struct thread *thread)
{
	if (!query->has_told_depth)
		message_note("query: %d spans lie in one another on thread %" PRId64
			     " of process %" PRId64 ": deeper ones are not in the table 'spans'",
			     DEPTH_MAX, thread->tid, thread->pid);
	query->has_told_depth = true;
}

static int open_span(struct cursor *cursor, struct thread *thread,
		     const struct query_span_class *class, uint64_t function, int64_t ns)
{
	struct span *open = thread->open;

	if (thread->depth == DEPTH_MAX) {
		thread->deeper++;
		tell_depth(query_of(cursor), thread);
		return 0;
	}
	if (thread->depth == thread->room) {
		open = reallocarray(open, thread->room ? 2 * thread->room : 2, sizeof(*open));
		if (!open)
			return -ENOMEM;
		thread->open = open;
		thread->room = thread->room ? 2 * thread->room : 2;
	}
	open[thread->depth] = (struct span){
		.class = class,
		.id = ++cursor->last_id,
		.parent = thread->depth ? open[thread->depth - 1].id : 0,
		.begin = ns,
		.function = function,
		.depth = thread->depth,
	};
	thread->depth++;
	return 0;
}

/* The depth of the span that such an event ends, and one more; 0: there is none. */
static size_t find_begin(const struct thread *thread, const struct query_span_class *class,
			 uint64_t function)
{
	for (size_t depth = thread->depth; depth > 0; depth--)
		if (is_pair(thread->open[depth - 1].class, class) &&
		    (function == 0 || thread->open[depth - 1].function == function))
			return depth;
	return 0;
}

static void make_complete(struct cursor *cursor, const struct thread *thread,
			  const struct query_span_class *class, int64_t duration, int64_t ns)
{
	size_t depth = thread->depth;

	if (duration < 0 || duration > ns)
		return;
	while (depth > 0 && thread->open[depth - 1].begin > ns - duration)
		depth--;
	cursor->complete = (struct span){
		.class = class,
		.id = ++cursor->last_id,
		.parent = depth ? thread->open[depth - 1].id : 0,
		.begin = ns - duration,
		.end = ns,
		.depth = depth,
	};
	cursor->has_complete = true;
}

/* Takes the event in: what is to be ended is noted in the cursor. 0 or -ENOMEM. */
static int take(struct cursor *cursor, const struct query_reader *event)
{
	const struct query_span_class *class = &event->query->span_classes[event->class->number];
	const struct query_fields *fields = &event->class->fields;
	int64_t tid = query_event_tid(event), function = 0, duration = -1;
	struct thread *thread;
	size_t depth;

	cursor->has_end = false;
	cursor->is_taken = true;
	/* Nobody knows which end belongs to which begin. */
	if (tid < 0 || class->kind == EXPORT_INSTANT)
		return 0;
	thread = get_thread(cursor, event, tid);
	if (!thread)
		return -ENOMEM;
	cursor->thread = thread;
	query_integer(fields, class->function, event->fields, event->fields_end, &function);
	query_integer(fields, class->duration, event->fields, event->fields_end, &duration);
	if (class->kind == EXPORT_BEGIN)
		return open_span(cursor, thread, class, (uint64_t)function, event->ns);
	if (class->kind == EXPORT_COMPLETE) {
		make_complete(cursor, thread, class, duration, event->ns);
		return 0;
	}
	/* Such an end belongs to the last begin that was only counted. */
	if (thread->deeper > 0) {
		thread->deeper--;
		return 0;
	}
	depth = find_begin(thread, class, (uint64_t)function);
	cursor->has_end = depth > 0;
	cursor->keep = depth - (depth > 0);
	return 0;
}

/* Ends one span of a process that lost events. False: there is none left. */
static bool end_lost(struct cursor *cursor, const struct query_reader *event)
{
	int64_t pid = query_event_pid(event);
	const char *host = event->trace->format.trace.host;

	for (; cursor->losing < cursor->places; cursor->losing++) {
		struct thread *thread = cursor->threads[cursor->losing];

		if (!thread || thread->depth == 0 || strcmp(thread->host, host) != 0)
			continue;
		/* Processes that share a ring: any of them. */
		if (event->header.pid > 0 && thread->pid != pid)
			continue;
		thread->deeper = 0;
		end_innermost(cursor, thread, event->ns, true);
		return true;
	}
	return false;
}

/* One more row of the current event. False: it has no more. 0 or 1, or -ENOMEM. */
static int take_row(struct cursor *cursor)
{
	struct query_reader *event = query_scan_event(&cursor->scan);

	if (event->has_losses) {
		if (end_lost(cursor, event))
			return 1;
		event->has_losses = false;
		cursor->losing = 0;
	}
	if (!cursor->is_taken && take(cursor, event) != 0)
		return -ENOMEM;
	if (cursor->has_end && cursor->thread->depth > cursor->keep) {
		end_innermost(cursor, cursor->thread, event->ns,
			      cursor->thread->depth > cursor->keep + 1);
		return 1;
	}
	if (!cursor->has_complete)
		return 0;
	cursor->span = cursor->complete;
	cursor->has_complete = false;
	cursor->has_span = true;
	return 1;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)base;
	int got = 0;

	cursor->has_span = false;
	cursor->row++;
	while (cursor->has_event) {
		got = take_row(cursor);
		if (got != 0)
			break;
		got = query_scan_next(&cursor->scan);
		cursor->is_taken = false;
		cursor->has_event = got > 0;
		if (got < 0)
			break;
	}
	if (got >= 0)
		return SQLITE_OK;
	return query_status(got);
}

/* ---- the table ------------------------------------------------------------------------ */

enum column {
	COLUMN_BEGIN,
	COLUMN_DURATION,
	COLUMN_NAME,
	COLUMN_PROCESS,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_DEPTH,
	COLUMN_ID,
	COLUMN_PARENT,
	COLUMN_CATEGORY,
	COLUMN_FUNCTION,
	COLUMN_CUT,
	COLUMN_HOST,
};

static const char declaration[] =
	"CREATE TABLE spans(\"begin\" INTEGER, duration INTEGER, name TEXT, process TEXT, "
	"pid INTEGER, tid INTEGER, depth INTEGER, id INTEGER, parent INTEGER, category TEXT, "
	"function INTEGER, cut INTEGER, host TEXT HIDDEN)";

static int connect(sqlite3 *db, void *data, int argc, const char *const *argv, sqlite3_vtab **base,
		   char **error)
{
	struct table *table;
	int status = query_declare(db, declaration);

	(void)argc;
	(void)argv;
	(void)error;
	if (status != SQLITE_OK)
		return status;
	table = sqlite3_malloc(sizeof(*table));
	if (!table)
		return SQLITE_NOMEM;
	*table = (struct table){ .query = data };
	*base = &table->base;
	return make_classes(table->query) == 0 ? SQLITE_OK : SQLITE_NOMEM;
}

static int disconnect(sqlite3_vtab *base)
{
	sqlite3_free(base);
	return SQLITE_OK;
}

/* Only a process chooses packets: a span that begins at some time may end at any. */
static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct query *query = ((struct table *)base)->query;

	info->estimatedCost = (double)query->bytes + 1000;
	info->estimatedRows = (sqlite3_int64)(query->bytes / 64) + 1;
	for (int i = 0; i < info->nConstraint; i++) {
		if (!info->aConstraint[i].usable || info->aConstraint[i].iColumn != COLUMN_PID ||
		    info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		info->aConstraintUsage[i].argvIndex = 1;
		info->estimatedCost /= 10;
		info->estimatedRows = info->estimatedRows / 10 + 1;
		break;
	}
	return SQLITE_OK;
}

static void end(struct cursor *cursor)
{
	for (size_t i = 0; i < cursor->places; i++) {
		if (cursor->threads[i])
			free(cursor->threads[i]->open);
		free(cursor->threads[i]);
	}
	free(cursor->threads);
	if (cursor->is_begun)
		query_scan_end(&cursor->scan);
	*cursor = (struct cursor){ .base = cursor->base };
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
		  sqlite3_value **argv)
{
	struct cursor *cursor = (struct cursor *)base;
	struct query *query = ((struct table *)base->pVtab)->query;
	struct query_wanted wanted = { .from = INT64_MIN, .to = INT64_MAX, .pid = -1, .cpu = -1 };
	int got;

	(void)number;
	(void)plan;
	end(cursor);
	if (argc > 0 && sqlite3_value_type(argv[0]) == SQLITE_INTEGER &&
	    sqlite3_value_int64(argv[0]) >= 0)
		wanted.pid = sqlite3_value_int64(argv[0]);
	wanted.classes = calloc(query->nr_classes + 1, 1);
	if (!wanted.classes)
		return SQLITE_NOMEM;
	for (uint32_t i = 0; i < query->nr_classes; i++)
		wanted.classes[i] = query->span_classes[i].kind != EXPORT_INSTANT;
	got = query_scan_begin(&cursor->scan, query, &wanted);
	cursor->is_begun = true;
	cursor->has_event = got > 0;
	if (got < 0)
		return query_status(got);
	return next(base);
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return !((struct cursor *)base)->has_span;
}

/* A function's name is that of the code at its address. */
static int result_name(sqlite3_context *context, const struct cursor *cursor)
{
	const struct thread *thread = cursor->thread;
	const struct span *span = &cursor->span;
	const char *symbol;
	char text[32];
	int status;

	if (!span->function) {
		sqlite3_result_text(context, span->class->name, -1, SQLITE_STATIC);
		return SQLITE_OK;
	}
	status = query_symbol(query_of(cursor), thread->host, thread->pid, span->function, &symbol);
	if (status != SQLITE_OK)
		return status;
	snprintf(text, sizeof(text), "0x%" PRIx64, span->function);
	sqlite3_result_text(context, symbol ? symbol : text, -1, SQLITE_TRANSIENT);
	return SQLITE_OK;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	const struct cursor *cursor = (const struct cursor *)base;
	const struct span *span = &cursor->span;
	const struct thread *thread = cursor->thread;

	switch ((enum column)number) {
	case COLUMN_BEGIN:
		sqlite3_result_int64(context, span->begin);
		break;
	case COLUMN_DURATION:
		sqlite3_result_int64(context, span->end - span->begin);
		break;
	case COLUMN_NAME:
		return result_name(context, cursor);
	case COLUMN_PROCESS:
		if (thread->process[0])
			sqlite3_result_text(context, thread->process, -1, SQLITE_TRANSIENT);
		break;
	case COLUMN_PID:
		if (thread->pid >= 0)
			sqlite3_result_int64(context, thread->pid);
		break;
	case COLUMN_TID:
		sqlite3_result_int64(context, thread->tid);
		break;
	case COLUMN_DEPTH:
		sqlite3_result_int64(context, (sqlite3_int64)span->depth);
		break;
	case COLUMN_ID:
		sqlite3_result_int64(context, span->id);
		break;
	case COLUMN_PARENT:
		if (span->parent)
			sqlite3_result_int64(context, span->parent);
		break;
	case COLUMN_CATEGORY:
		sqlite3_result_text(context, span->class->category, -1, SQLITE_STATIC);
		break;
	case COLUMN_FUNCTION:
		if (span->function)
			sqlite3_result_int64(context, (sqlite3_int64)span->function);
		break;
	case COLUMN_CUT:
		sqlite3_result_int64(context, span->is_cut);
		break;
	case COLUMN_HOST:
		sqlite3_result_text(context, thread->host, -1, SQLITE_STATIC);
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

const sqlite3_module query_spans_module = {
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
