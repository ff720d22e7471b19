/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * query-class.c - event classes and fields from the metadata, and the tables that are made of
 * them: one of all events, and one for each name. Classes of one name in several traces or
 * channels share a table, which has the columns of all.
 */
#include <config.h>

#include "cli/query/query.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ------------------------------------------------------------------------- */

char *query_text(const char *text, size_t length)
{
	char *copy = malloc(length + 1), *out = copy;

	for (size_t i = 0; copy && i < length; i++) {
		unsigned value = 0, digits = 0;

		if (text[i] != '\\' || i + 1 == length) {
			*out++ = text[i];
			continue;
		}
		while (digits < 3 && i + 1 < length && text[i + 1] >= '0' && text[i + 1] <= '7') {
			value = value * 8 + (unsigned)(text[++i] - '0');
			digits++;
		}
		/* A NUL would end the name. */
		if (digits > 0)
			*out++ = value & 0xff ? (char)value : '?';
		else
			*out++ = text[++i];
	}
	if (copy)
		*out = '\0';
	return copy;
}

/* ---- fields ------------------------------------------------------------------------ */

static void free_fields(struct query_fields *fields)
{
	for (uint32_t i = 0; i < fields->count; i++)
		free(fields->all[i].name);
	free(fields->all);
	*fields = (struct query_fields){ 0 };
}

static int take_fields(struct query_fields *fields, const struct record_member *members,
		       size_t count)
{
	uint64_t offset = 0;

	*fields = (struct query_fields){ .all = calloc(count + 1, sizeof(*fields->all)) };
	if (!fields->all)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct query_field *field = &fields->all[i];

		field->member = members[i];
		field->name = strndup(members[i].name, members[i].name_length);
		if (!field->name)
			return -ENOMEM;
		fields->count++;
		field->offset = offset < QUERY_OFFSET_UNKNOWN ? (uint32_t)offset
							      : QUERY_OFFSET_UNKNOWN;
		if (members[i].part.kind != RECORD_PART_FIXED)
			offset = UINT64_MAX;
		else if (offset != UINT64_MAX)
			offset += members[i].part.size;
	}
	fields->size = offset;
	return 0;
}

static int64_t find_integer(const struct query_fields *fields, const char *name)
{
	for (uint32_t i = 0; i < fields->count; i++) {
		const struct record_member *member = &fields->all[i].member;

		if (strcmp(fields->all[i].name, name) == 0 && !member->is_array &&
		    member->type <= RECORD_TYPE_SIGNED)
			return i;
	}
	return -1;
}

/* ---- what the metadata says ---------------------------------------------------------- */

struct reading {
	struct query *query;
	struct query_trace *trace;
};

static int take_stream(void *data, uint32_t stream_id, const struct record_member *contexts,
		       size_t nr_contexts)
{
	struct query_trace *trace = ((struct reading *)data)->trace;
	struct query_format *format = trace->formats[stream_id];
	int error;

	if (!format)
		format = trace->formats[stream_id] = calloc(1, sizeof(*format));
	if (!format)
		return -ENOMEM;
	format->trace = trace;
	free_fields(&format->contexts);
	error = take_fields(&format->contexts, contexts, nr_contexts);
	format->vpid = find_integer(&format->contexts, "vpid");
	format->vtid = find_integer(&format->contexts, "vtid");
	format->procname = -1;
	for (uint32_t i = 0; i < format->contexts.count; i++)
		if (strcmp(format->contexts.all[i].name, "procname") == 0)
			format->procname = i;
	return error;
}

static int make_place(struct query_format *format, uint32_t id)
{
	uint32_t count = format->nr_classes ? format->nr_classes : 64;
	struct query_class **classes;

	if (id < format->nr_classes)
		return 0;
	while (count <= id)
		count *= 2;
	classes = reallocarray(format->classes, count, sizeof(*classes));
	if (!classes)
		return -ENOMEM;
	memset(classes + format->nr_classes, 0, (count - format->nr_classes) * sizeof(*classes));
	format->classes = classes;
	format->nr_classes = count;
	return 0;
}

static int add_class(struct query *query, struct query_class *class)
{
	uint32_t room = query->classes_room ? 2 * query->classes_room : 64;
	struct query_class **classes = query->classes;

	if (query->nr_classes == query->classes_room) {
		classes = reallocarray(classes, room, sizeof(*classes));
		if (!classes)
			return -ENOMEM;
		query->classes = classes;
		query->classes_room = room;
	}
	class->number = query->nr_classes;
	classes[query->nr_classes++] = class;
	return 0;
}

/* An id never changes its meaning: the first event of it stays, as in record_layout. */
static int take_event(void *data, const struct record_event *event)
{
	struct reading *reading = data;
	struct query_format *format = reading->trace->formats[event->stream_id];
	struct query_class *class;
	int error = format ? make_place(format, event->id) : -EINVAL;

	if (error || format->classes[event->id])
		return error;
	class = calloc(1, sizeof(*class));
	if (!class)
		return -ENOMEM;
	format->classes[event->id] = class;
	class->format = format;
	class->level = event->level;
	class->name = query_text(event->name ? event->name : "", event->name_length);
	error = take_fields(&class->fields, event->fields, event->nr_fields);
	class->common_pid = reading->trace->format.trace.is_kernel
				    ? find_integer(&class->fields, "common_pid")
				    : -1;
	if (!class->name)
		error = -ENOMEM;
	return error ? error : add_class(reading->query, class);
}

int query_classes_read(struct query *query, struct query_trace *trace)
{
	struct reading reading = { query, trace };
	const struct record_visitor visitor = { &reading, take_stream, take_event };

	trace->format.layout = record_layout_create();
	if (!trace->format.layout)
		return -ENOMEM;
	return record_layout_visit(trace->format.layout, trace->text, trace->text_size,
				   &trace->format.trace, &visitor);
}

void query_classes_free(struct query_trace *trace)
{
	for (unsigned i = 0; i < LTTNGMAP_CHANNELS; i++) {
		struct query_format *format = trace->formats[i];

		if (!format)
			continue;
		for (uint32_t id = 0; id < format->nr_classes; id++) {
			struct query_class *class = format->classes[id];

			if (!class)
				continue;
			free_fields(&class->fields);
			free(class->member_of);
			free(class->name);
			free(class);
		}
		free(format->classes);
		free_fields(&format->contexts);
		free(format);
	}
}

/* ---- tables ------------------------------------------------------------------------- */

static bool has_column(const struct query_table *table, const char *name)
{
	for (int i = 0; i < table->nr_columns; i++)
		if (sqlite3_stricmp(table->columns[i].name, name) == 0)
			return true;
	return false;
}

/*
 * Names differ in more than letters' case: an underscore follows what there is already, and a
 * number where that is not enough.
 */
static char *free_name(const struct query_table *table, const char *name)
{
	size_t length = strlen(name);
	char *text = malloc(length + 16);

	if (!text)
		return NULL;
	strcpy(text, length ? name : "_");
	if (length && has_column(table, text))
		strcpy(text + length, "_");
	for (int i = table->nr_columns; has_column(table, text) && !query_interrupted; i++)
		snprintf(text + length, 16, "_%d", i);
	return text;
}

static int add_column(struct query_table *table, enum query_column_kind kind, const char *name,
		      const char *type)
{
	struct query_column *column = &table->columns[table->nr_columns];

	*column = (struct query_column){ .kind = kind, .type = type };
	if (kind == QUERY_MEMBER) {
		column->member = strdup(name);
		if (!column->member)
			return -ENOMEM;
	}
	column->name = free_name(table, name);
	if (!column->name) {
		free(column->member);
		return -ENOMEM;
	}
	table->nr_columns++;
	return 0;
}

static int add_common(struct query_table *table)
{
	static const struct {
		enum query_column_kind kind;
		const char *name, *type;
		bool is_of_all;
	} common[] = {
		{ QUERY_TIME, "time", "INTEGER", false },
		{ QUERY_NAME, "name", "TEXT", true },
		{ QUERY_PROCESS, "process", "TEXT", false },
		{ QUERY_PID, "pid", "INTEGER", false },
		{ QUERY_TID, "tid", "INTEGER", false },
		{ QUERY_CPU, "cpu", "INTEGER", false },
		{ QUERY_LEVEL, "level", "INTEGER", true },
		{ QUERY_FIELDS, "fields", "TEXT", true },
		{ QUERY_CONTEXT, "context", "TEXT", true },
		{ QUERY_HOST, "host", "TEXT HIDDEN", false },
		{ QUERY_TRACE, "trace", "TEXT HIDDEN", false },
	};
	int error = 0;

	table->columns = calloc(QUERY_COLUMNS_MAX, sizeof(*table->columns));
	if (!table->columns)
		return -ENOMEM;
	for (size_t i = 0; !error && i < sizeof(common) / sizeof(common[0]); i++)
		if (!common[i].is_of_all || !table->name)
			error = add_column(table, common[i].kind, common[i].name, common[i].type);
	return error;
}

static const char *type_of(const struct record_member *member)
{
	if (member->is_array || member->labels || member->type == RECORD_TYPE_STRING)
		return "TEXT";
	return member->type == RECORD_TYPE_FLOAT ? "REAL" : "INTEGER";
}

static int find_column(const struct query_table *table, const char *member)
{
	for (int i = 0; i < table->nr_columns; i++)
		if (table->columns[i].member && strcmp(table->columns[i].member, member) == 0)
			return i;
	return -1;
}

/* The columns of these fields; *place: what the class's table of members has of them. */
static int add_columns(struct query_table *table, const struct query_fields *fields)
{
	int error = 0;

	for (uint32_t i = 0; !error && i < fields->count; i++) {
		const struct query_field *field = &fields->all[i];
		int column = find_column(table, field->name);

		if (column >= 0) {
			if (strcmp(table->columns[column].type, type_of(&field->member)) != 0)
				table->columns[column].type = "";
		} else if (table->nr_columns < QUERY_COLUMNS_MAX) {
			error = add_column(table, QUERY_MEMBER, field->name,
					   type_of(&field->member));
		}
	}
	return error;
}

static void map_members(const struct query_table *table, struct query_class *class)
{
	const struct query_fields *contexts = &class->format->contexts;

	for (int i = 0; i < table->nr_columns; i++)
		class->member_of[i] = -1;
	for (uint32_t i = 0; i < contexts->count; i++) {
		int column = find_column(table, contexts->all[i].name);

		if (column >= 0)
			class->member_of[column] = (int16_t)(-2 - (int)i);
	}
	/* A field is found before a context of its name. */
	for (uint32_t i = 0; i < class->fields.count; i++) {
		int column = find_column(table, class->fields.all[i].name);

		if (column >= 0)
			class->member_of[column] = (int16_t)i;
	}
}

static int fill_table(struct query_table *table)
{
	int error = add_common(table);

	for (size_t i = 0; !error && i < table->nr_classes; i++)
		error = query_interrupted ? -EINTR : add_columns(table, &table->classes[i]->fields);
	for (size_t i = 0; !error && i < table->nr_classes; i++)
		error = add_columns(table, &table->classes[i]->format->contexts);
	for (size_t i = 0; !error && i < table->nr_classes; i++) {
		struct query_class *class = table->classes[i];

		class->table = table;
		class->member_of = calloc((size_t)table->nr_columns, sizeof(*class->member_of));
		if (!class->member_of)
			return -ENOMEM;
		map_members(table, class);
	}
	return error;
}

static int by_name(const void *a, const void *b)
{
	const struct query_class *x = *(struct query_class *const *)a;
	const struct query_class *y = *(struct query_class *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* `classes` are sorted: those of one name are a table. */
static int make_tables(struct query *query, struct query_class **classes)
{
	for (size_t i = 0; i < query->nr_classes;) {
		struct query_table *table = calloc(1, sizeof(*table));
		size_t end = i + 1;

		if (!table)
			return -ENOMEM;
		query->tables[query->nr_tables++] = table;
		while (end < query->nr_classes && strcmp(classes[end]->name, classes[i]->name) == 0)
			end++;
		*table = (struct query_table){ .query = query, .name = classes[i]->name };
		table->classes = classes + i;
		table->nr_classes = end - i;
		i = end;
	}
	return 0;
}

int query_tables_make(struct query *query)
{
	size_t count = query->nr_classes;

	query->all = (struct query_table){ .query = query };
	query->tables = calloc(count + 1, sizeof(struct query_table *));
	query->sorted = calloc(count + 1, sizeof(struct query_class *));
	if (!query->tables || !query->sorted)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		query->sorted[i] = query->classes[i];
	if (count > 0)
		qsort(query->sorted, count, sizeof(struct query_class *), by_name);
	return make_tables(query, query->sorted);
}

int query_table_fill(struct query_table *table)
{
	int error = table->columns ? 0 : table->name ? fill_table(table) : add_common(table);

	return error;
}

static void free_table(struct query_table *table)
{
	for (int i = 0; i < table->nr_columns; i++) {
		free(table->columns[i].name);
		free(table->columns[i].member);
	}
	free(table->columns);
}

void query_tables_free(struct query *query)
{
	free_table(&query->all);
	for (size_t i = 0; i < query->nr_tables; i++) {
		free_table(query->tables[i]);
		free(query->tables[i]);
	}
	free(query->tables);
	free(query->sorted);
}
