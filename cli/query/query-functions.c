/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* query-functions.c - trace_time(), symbol(), percentile(), and what the views `classes` and
 * `counts` are made of. */
#include <config.h>

#include "cli/query/query.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/symbols/symbols.h"

/* Values of one percentile(): 2 GiB of memory. */
#define VALUES_MAX (UINT64_C(1) << 28)

static struct query *query_of(sqlite3_context *context)
{
	return sqlite3_user_data(context);
}

/* ---- time ---------------------------------------------------------------------------- */

static void call_trace_time(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const char *text = (const char *)sqlite3_value_text(argv[0]);
	int64_t first = query_of(context)->first_event;
	struct view_time time;

	(void)argc;
	if (!text)
		return;
	if (view_time_parse(text, &time) != 0) {
		char *error = sqlite3_mprintf("trace_time('%s') is no time: [YYYY-MM-DD ]"
					      "HH:MM:SS[.FRACTION] or +SECONDS[.FRACTION]",
					      text);

		sqlite3_result_error(context, error, -1);
		sqlite3_free(error);
		return;
	}
	view_time_resolve(&time, first == INT64_MAX ? 0 : first);
	sqlite3_result_int64(context, time.ns);
}

/* ---- symbols -------------------------------------------------------------------------- */

static uint64_t machine_of(const char *host)
{
	uint64_t hash = 1;

	for (; *host; host++)
		hash = (hash ^ (unsigned char)*host) * UINT64_C(1099511628211);
	return hash | 1;
}

static const struct record_member *find(const struct query_class *class, const char *name,
					int64_t *number)
{
	for (uint32_t i = 0; i < class->fields.count; i++)
		if (strcmp(class->fields.all[i].name, name) == 0) {
			*number = i;
			return &class->fields.all[i].member;
		}
	return NULL;
}

static bool take_address(const struct query_reader *event, const char *name, uint64_t *value)
{
	const struct query_class *class = event->class;
	const struct record_member *member;
	int64_t number, found;

	member = find(class, name, &number);
	if (!member || member->is_array || member->type != RECORD_TYPE_UNSIGNED ||
	    !query_integer(&class->fields, number, event->fields, event->fields_end, &found))
		return false;
	*value = (uint64_t)found;
	return true;
}

static const char *take_bytes(const struct query_reader *event, const char *name, size_t *size)
{
	const struct record_member *member;
	int64_t number;

	member = find(event->class, name, &number);
	if (!member)
		return NULL;
	return query_field_find(&event->class->fields, (uint32_t)number, event->fields,
				event->fields_end, size);
}

static const char *take_path(const struct query_reader *event)
{
	int64_t number;
	const struct record_member *member = find(event->class, "path", &number);
	size_t size;

	return member && member->type == RECORD_TYPE_STRING ? take_bytes(event, "path", &size)
							    : NULL;
}

/* A build ID is a sequence of bytes. */
static const uint8_t *take_build_id(const struct query_reader *event, size_t *size)
{
	int64_t number;
	const struct record_member *member = find(event->class, "build_id", &number);
	const char *bytes;

	if (!member || !member->is_array || member->size != 1 ||
	    member->type != RECORD_TYPE_UNSIGNED)
		return NULL;
	bytes = take_bytes(event, "build_id", size);
	if (!bytes || member->part.kind != RECORD_PART_SEQUENCE)
		return (const uint8_t *)bytes;
	*size -= sizeof(uint32_t);
	return (const uint8_t *)bytes + sizeof(uint32_t);
}

static void tell(struct query *query, const struct query_reader *event)
{
	struct symbols_fact fact = { .telling = symbols_telling_of(event->class->name) };

	if (fact.telling > SYMBOLS_TELLS_END && !take_address(event, "baddr", &fact.baddr))
		return;
	if (fact.telling == SYMBOLS_TELLS_OBJECT) {
		fact.path = take_path(event);
		if (!fact.path || !take_address(event, "memsz", &fact.memsz))
			return;
	} else if (fact.telling == SYMBOLS_TELLS_BUILD_ID) {
		fact.build_id = take_build_id(event, &fact.build_id_size);
		if (!fact.build_id)
			return;
	} else if (fact.telling == SYMBOLS_TELLS_UNLOAD || fact.telling == SYMBOLS_TELLS_END) {
		/* Objects that are gone are asked for, too: one ends when another lies in its
		 * place. */
		return;
	}
	symbols_tell(query->symbols, machine_of(event->trace->format.trace.host),
		     query_event_pid(event), &fact);
}

int query_status(int error)
{
	return error == -EINTR ? SQLITE_INTERRUPT : SQLITE_NOMEM;
}

static int tell_all(struct query *query)
{
	struct query_wanted wanted = { .from = INT64_MIN, .to = INT64_MAX, .pid = -1, .cpu = -1 };
	struct query_scan scan;
	int got;

	wanted.classes = calloc(query->nr_classes + 1, 1);
	if (!wanted.classes)
		return -ENOMEM;
	for (uint32_t i = 0; i < query->nr_classes; i++)
		wanted.classes[i] = symbols_telling_of(query->classes[i]->name) !=
				    SYMBOLS_TELLS_NOTHING;
	got = query_scan_begin(&scan, query, &wanted);
	while (got > 0) {
		tell(query, query_scan_event(&scan));
		got = query_scan_next(&scan);
	}
	query_scan_end(&scan);
	return got;
}

/* Reads what lay where in the memory of each process, once. 0; -errno: a later call tries again. */
static int read_symbols(struct query *query)
{
	int error;

	if (query->has_symbols)
		return 0;
	query->symbols = symbols_create();
	if (!query->symbols && !symbols_option_none)
		return -ENOMEM;
	error = query->symbols ? tell_all(query) : 0;
	if (error) {
		symbols_destroy(query->symbols);
		query->symbols = NULL;
		return error;
	}
	query->has_symbols = true;
	return 0;
}

int query_symbol(struct query *query, const char *host, int64_t pid, uint64_t address,
		 const char **text)
{
	struct symbol *symbol;
	int error = read_symbols(query);

	*text = NULL;
	if (error)
		return query_status(error);
	if (!query->symbols)
		return SQLITE_OK;
	symbol = symbols_at(query->symbols, machine_of(host), pid, address);
	*text = symbol ? symbols_text(symbol) : NULL;
	return SQLITE_OK;
}

/* Without a process: the name that all processes have there which have one. */
static const char *find_anywhere(struct query *query, uint64_t address, int64_t wanted)
{
	const char *found = NULL;
	uint64_t machine;
	size_t number = 0;
	int64_t pid;

	while (query->symbols && symbols_each(query->symbols, &number, &machine, &pid)) {
		struct symbol *symbol;
		const char *text;

		if (wanted >= 0 && pid != wanted)
			continue;
		symbol = symbols_at(query->symbols, machine, pid, address);
		text = symbol ? symbols_text(symbol) : NULL;
		if (text && found && strcmp(text, found) != 0)
			return NULL;
		if (text)
			found = text;
	}
	return found;
}

static void call_symbol(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const char *text;
	int error;

	if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER)
		return;
	if (argc > 1 && sqlite3_value_type(argv[1]) != SQLITE_INTEGER)
		return;
	error = read_symbols(query_of(context));
	if (error) {
		sqlite3_result_error_code(context, query_status(error));
		return;
	}
	text = find_anywhere(query_of(context), (uint64_t)sqlite3_value_int64(argv[0]),
			     argc > 1 ? sqlite3_value_int64(argv[1]) : -1);
	if (text)
		sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

/* ---- percentile ------------------------------------------------------------------------ */

struct values {
	double *all;
	uint64_t count, room;
	double percent;
};

static int add_value(struct values *values, double value)
{
	uint64_t room = values->room ? 2 * values->room : 1024;
	double *all;

	if (values->count == values->room) {
		all = room <= VALUES_MAX ? sqlite3_realloc64(values->all, room * sizeof(*all))
					 : NULL;
		if (!all)
			return -ENOMEM;
		values->all = all;
		values->room = room;
	}
	values->all[values->count++] = value;
	return 0;
}

static void step_percentile(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct values *values = sqlite3_aggregate_context(context, sizeof(*values));
	double percent = sqlite3_value_double(argv[1]);

	(void)argc;
	if (!values)
		return;
	if (!(percent >= 0 && percent <= 100)) {
		sqlite3_result_error(context, "percentile(VALUE, PERCENT): from 0 to 100", -1);
		return;
	}
	values->percent = percent;
	if (sqlite3_value_numeric_type(argv[0]) == SQLITE_NULL)
		return;
	if (add_value(values, sqlite3_value_double(argv[0])) != 0)
		sqlite3_result_error_nomem(context);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Between two values, as much nearer to the one as the percentage is. */
static void finish_percentile(sqlite3_context *context)
{
	struct values *values = sqlite3_aggregate_context(context, 0);
	double place, below;
	char text[32];
	uint64_t low;

	if (!values || values->count == 0)
		return;
	qsort(values->all, values->count, sizeof(*values->all), compare);
	place = values->percent / 100 * (double)(values->count - 1);
	low = (uint64_t)place;
	below = values->all[low];
	if (low + 1 < values->count && place > (double)low) {
		below += (values->all[low + 1] - below) * (place - (double)low);
		/* The last two digits are the interpolation's error. */
		snprintf(text, sizeof(text), "%.15g", below);
		below = strtod(text, NULL);
	}
	sqlite3_result_double(context, below);
	sqlite3_free(values->all);
}

/* ---- classes --------------------------------------------------------------------------- */

static void add_text(sqlite3_str *json, const char *text)
{
	query_json_text(json, text, strlen(text));
}

static void add_class(sqlite3_str *json, struct query_table *table)
{
	const struct query_class *class = table->classes[0];
	bool is_first = true;

	sqlite3_str_appendall(json, "{\"name\":");
	add_text(json, table->name);
	if (class->level >= 0)
		sqlite3_str_appendf(json, ",\"level\":%lld", (long long)class->level);
	sqlite3_str_appendall(json, ",\"fields\":[");
	for (int i = 0; i < table->nr_columns; i++) {
		if (table->columns[i].kind != QUERY_MEMBER)
			continue;
		if (!is_first)
			sqlite3_str_appendchar(json, 1, ',');
		is_first = false;
		add_text(json, table->columns[i].name);
	}
	sqlite3_str_appendall(json, "]}");
}

static void call_classes(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct query *query = query_of(context);
	sqlite3_str *json = sqlite3_str_new(sqlite3_context_db_handle(context));
	int error = 0;

	(void)argc;
	(void)argv;
	sqlite3_str_appendchar(json, 1, '[');
	for (size_t i = 0; i < query->nr_tables; i++) {
		error = query_interrupted ? -EINTR : query_table_fill(query->tables[i]);
		if (error)
			break;
		if (i > 0)
			sqlite3_str_appendchar(json, 1, ',');
		add_class(json, query->tables[i]);
	}
	sqlite3_str_appendchar(json, 1, ']');
	sqlite3_result_text(context, sqlite3_str_finish(json), -1, sqlite3_free);
	if (error)
		sqlite3_result_error_code(context, query_status(error));
}

/* ---- counts ---------------------------------------------------------------------------- */

struct count {
	uint64_t events;
	int64_t first, last;
};

static int count_all(struct query *query, struct count *counts)
{
	const struct query_wanted wanted = {
		.from = INT64_MIN, .to = INT64_MAX, .pid = -1, .cpu = -1
	};
	struct query_scan scan;
	int got = query_scan_begin(&scan, query, &wanted);

	for (; got > 0; got = query_scan_next(&scan)) {
		const struct query_reader *event = query_scan_event(&scan);
		struct count *count = &counts[event->class->number];

		if (count->events++ == 0)
			count->first = event->ns;
		count->last = event->ns;
	}
	query_scan_end(&scan);
	return got;
}

/* The events of each name, in one go: SQLite would sort them to group them. */
static void call_counts(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct query *query = query_of(context);
	struct count *counts = calloc(query->nr_classes + 1, sizeof(*counts));
	sqlite3_str *json = sqlite3_str_new(sqlite3_context_db_handle(context));
	int error = counts ? count_all(query, counts) : -ENOMEM;
	bool is_first = true;

	(void)argc;
	(void)argv;
	sqlite3_str_appendchar(json, 1, '[');
	for (uint32_t i = 0; !error && i < query->nr_classes; i++) {
		if (counts[i].events == 0)
			continue;
		sqlite3_str_appendall(json, is_first ? "{\"name\":" : ",{\"name\":");
		is_first = false;
		add_text(json, query->classes[i]->name);
		sqlite3_str_appendf(json, ",\"events\":%lld,\"begin\":%lld,\"end\":%lld}",
				    (long long)counts[i].events, (long long)counts[i].first,
				    (long long)counts[i].last);
	}
	sqlite3_str_appendchar(json, 1, ']');
	free(counts);
	sqlite3_result_text(context, sqlite3_str_finish(json), -1, sqlite3_free);
	if (error)
		sqlite3_result_error_code(context, query_status(error));
}

/* All events that the sessions counted as lost. */
static void call_lost(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	uint64_t lost = losses_sum(&query_of(context)->losses);

	(void)argc;
	(void)argv;
	sqlite3_result_int64(context, lost > INT64_MAX ? INT64_MAX : (sqlite3_int64)lost);
}

int query_functions_add(struct query *query)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
	sqlite3 *db = query->db;
	int status;

	status = sqlite3_create_function(db, "trace_time", 1, flags, query, call_trace_time, NULL,
					 NULL);
	if (!status)
		status = sqlite3_create_function(db, "symbol", 1, flags, query, call_symbol, NULL,
						 NULL);
	if (!status)
		status = sqlite3_create_function(db, "symbol", 2, flags, query, call_symbol, NULL,
						 NULL);
	if (!status)
		status = sqlite3_create_function(db, "lttngmap_classes", 0, flags, query,
						 call_classes, NULL, NULL);
	if (!status)
		status = sqlite3_create_function(db, "lttngmap_counts", 0, flags, query,
						 call_counts, NULL, NULL);
	if (!status)
		status = sqlite3_create_function(db, "lttngmap_lost", 0, flags, query, call_lost,
						 NULL, NULL);
	if (!status)
		status = sqlite3_create_function(db, "percentile", 2, flags, query, NULL,
						 step_percentile, finish_percentile);
	return status;
}
