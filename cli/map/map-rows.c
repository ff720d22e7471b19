/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/map/map-rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lttngmap/abi.h>

#include "cli/client/control-client.h"
#include "cli/client/session-verb.h"

static uint64_t number_at(struct json_object *array, size_t index)
{
	return json_object_get_uint64(json_object_array_get_idx(array, index));
}

/* Appends a string to a name of so many bytes; what does not show is escaped. */
static void append_text(char *name, size_t size, const char *text, size_t length)
{
	size_t used = strlen(name);

	for (const char *end = text + length; text < end && size - used > 5; text++) {
		if ((unsigned char)*text >= 0x20 && *text != 0x7f && *text != '\\')
			name[used++] = *text;
		else
			used += (size_t)snprintf(name + used, size - used,
						 *text == '\\'   ? "\\\\"
						 : *text == '\n' ? "\\n"
						 : *text == '\t' ? "\\t"
								 : "\\x%02x",
						 (unsigned char)*text);
		name[used] = '\0';
	}
}

static void append_key(char *name, size_t size, struct json_object *key)
{
	size_t used = strlen(name);
	struct json_object *begin;

	if (json_object_is_type(key, json_type_string)) {
		append_text(name, size, json_object_get_string(key),
			    (size_t)json_object_get_string_len(key));
	} else if (json_object_object_get_ex(key, "begin", &begin)) {
		append_key(name, size - 4, begin);
		strcat(name, "...");
	} else {
		snprintf(name + used, size - used, "%s",
			 key ? json_object_get_string(key) : "(damaged)");
	}
}

/* NULL: no memory. */
static char *name_of(struct json_object *key, bool is_signed)
{
	char name[LTTNGMAP_MAP_TEXT_SIZE * 4 + 64] = "";

	if (is_signed && json_object_is_type(key, json_type_int)) {
		snprintf(name, sizeof(name), "%" PRId64, (int64_t)json_object_get_uint64(key));
	} else if (json_object_is_type(key, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(key); i++) {
			append_text(name, sizeof(name), ", ", i ? 2 : 0);
			append_key(name, sizeof(name), json_object_array_get_idx(key, i));
		}
	} else {
		append_key(name, sizeof(name), key);
	}
	return strdup(name);
}

void map_rows_put(struct map_rows *rows)
{
	for (size_t i = 0; i < rows->nr_rows; i++)
		free(rows->rows[i].name);
	free(rows->rows);
}

int map_rows_take(struct json_object *answer, struct map_rows *rows)
{
	bool is_signed = control_answer_flag(answer, "signed");
	struct json_object *counts = session_member_array(answer, "counts");
	size_t length = json_object_array_length(counts);

	*rows = (struct map_rows){
		.rows = calloc(length + 1, sizeof(rows->rows[0])),
		.is_histogram = control_answer_flag(answer, "histogram"),
		.is_latency = control_answer_flag(answer, "latency"),
		.has_sum = control_answer_flag(answer, "sums"),
		.is_sum_signed = control_answer_flag(answer, "sums_signed"),
	};
	for (size_t i = 0; rows->rows && i < length; i++) {
		struct json_object *item = json_object_array_get_idx(counts, i);
		struct map_row *row = &rows->rows[rows->nr_rows];

		if (!json_object_is_type(item, json_type_array) ||
		    json_object_array_length(item) < 3)
			continue;
		*row = (struct map_row){
			.key = number_at(item, 0),
			.count = number_at(item, 1),
			.sum = number_at(item, 2),
			.name = name_of(json_object_array_get_idx(item, 0), is_signed),
		};
		if (!row->name) {
			map_rows_put(rows);
			return -ENOMEM;
		}
		rows->count += row->count;
		rows->sum += row->sum;
		rows->most = row->count > rows->most ? row->count : rows->most;
		rows->nr_rows++;
	}
	return rows->rows ? 0 : -ENOMEM;
}
