/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/map/map-print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lttngmap/abi.h>
#include <lttngmap/filter-code.h>

#include "cli/base/message.h"
#include "cli/client/control-client.h"
#include "cli/client/session-verb.h"
#include "cli/client/untraced.h"
#include "common/base/amount.h"

#define BAR 40
#define LINE 80
/* Bars of a histogram that join 32 buckets each: one for each power of two. */
#define POWERS 64

struct row {
	uint64_t key, count, sum;
	char *name; /* of its key, for people */
};

struct rows {
	struct row *rows;
	size_t nr_rows;
	uint64_t count, sum, most;
	bool is_histogram, is_latency, has_sum, is_sum_signed;
};

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

static void put_rows(struct rows *rows)
{
	for (size_t i = 0; i < rows->nr_rows; i++)
		free(rows->rows[i].name);
	free(rows->rows);
}

/* False: no memory. */
static bool take_rows(struct json_object *answer, struct rows *rows)
{
	bool is_signed = control_answer_flag(answer, "signed");
	struct json_object *counts = session_member_array(answer, "counts");
	size_t length = json_object_array_length(counts);

	*rows = (struct rows){
		.rows = calloc(length + 1, sizeof(rows->rows[0])),
		.is_histogram = control_answer_flag(answer, "histogram"),
		.is_latency = control_answer_flag(answer, "latency"),
		.has_sum = control_answer_flag(answer, "sums"),
		.is_sum_signed = control_answer_flag(answer, "sums_signed"),
	};
	for (size_t i = 0; rows->rows && i < length; i++) {
		struct json_object *item = json_object_array_get_idx(counts, i);
		struct row *row = &rows->rows[rows->nr_rows];

		if (!json_object_is_type(item, json_type_array) ||
		    json_object_array_length(item) < 3)
			continue;
		*row = (struct row){
			.key = number_at(item, 0),
			.count = number_at(item, 1),
			.sum = number_at(item, 2),
			.name = name_of(json_object_array_get_idx(item, 0), is_signed),
		};
		if (!row->name) {
			put_rows(rows);
			return false;
		}
		rows->count += row->count;
		rows->sum += row->sum;
		rows->most = row->count > rows->most ? row->count : rows->most;
		rows->nr_rows++;
	}
	return rows->rows != NULL;
}

static int by_count(const void *a, const void *b)
{
	const struct row *left = a, *right = b;

	if (left->count != right->count)
		return left->count > right->count ? -1 : 1;
	return left->key < right->key ? -1 : left->key > right->key;
}

/* `length` of '#', at most, for `count` of `most`. */
static const char *bar_of(uint64_t count, uint64_t most, size_t whole)
{
	static char bar[BAR + 1];
	size_t length = most ? (size_t)((double)count / (double)most * (double)whole + 0.5) : 0;

	length = length > BAR ? BAR : length;
	memset(bar, '#', length);
	bar[length] = '\0';
	return bar;
}

static const char *format_sum(const struct rows *rows, uint64_t sum, char text[40])
{
	bool is_negative = rows->is_sum_signed && (int64_t)sum < 0;

	text[0] = '-';
	amount_format_count(is_negative ? -sum : sum, text + is_negative);
	return text;
}

/* Columns of the keys; those that are wider stick out. */
static int key_width(const struct rows *rows, size_t shown)
{
	size_t width = 20;

	for (size_t i = 0; i < shown; i++) {
		size_t length = strlen(rows->rows[i].name);

		width = length > width ? length : width;
	}
	return width > 48 ? 48 : (int)width;
}

static void print_key(const struct rows *rows, const struct row *row, int width)
{
	char count[32], sum[40];

	amount_format_count(row->count, count);
	if (rows->has_sum)
		message_line("%*s %15s %20s", width, row->name, count,
			     format_sum(rows, row->sum, sum));
	else
		message_line("%*s %15s %s", width, row->name, count,
			     bar_of(row->count, rows->most, (size_t)(LINE - 17 - width)));
}

static void print_table(struct rows *rows, size_t top)
{
	size_t shown = top && top < rows->nr_rows ? top : rows->nr_rows;
	char more[32];
	int width;

	qsort(rows->rows, rows->nr_rows, sizeof(rows->rows[0]), by_count);
	width = key_width(rows, shown);
	if (rows->nr_rows > 0)
		message_line("%*s %15s%s", width, "KEY", "EVENTS",
			     rows->has_sum ? "                  SUM" : "");
	for (size_t i = 0; i < shown; i++)
		print_key(rows, &rows->rows[i], width);
	if (rows->nr_rows > shown)
		message_line("%*s %15s (--top 0 shows all)", width, "...",
			     amount_format_count(rows->nr_rows - shown, more));
}

/* ---- histograms --------------------------------------------------------------------- */

/* The middle of the bucket below which so much of all lies. */
static uint64_t quantile(const struct rows *rows, double part)
{
	uint64_t before = 0, wanted = (uint64_t)(part * (double)rows->count);

	for (size_t i = 0; i < rows->nr_rows; i++) {
		uint32_t bucket = (uint32_t)rows->rows[i].key;
		uint64_t begin, end;

		before += rows->rows[i].count;
		if (before <= wanted && i + 1 < rows->nr_rows)
			continue;
		begin = lttngmap_filter_bucket_begin(bucket);
		end = bucket + 1 < LTTNGMAP_FILTER_BUCKETS
			      ? lttngmap_filter_bucket_begin(bucket + 1) - 1
			      : UINT64_MAX;
		return begin + (end - begin) / 2;
	}
	return 0;
}

static void print_quantiles(const struct rows *rows)
{
	static const struct {
		const char *name;
		double part;
	} quantiles[] = { { "p50", 0.5 },
			  { "p90", 0.9 },
			  { "p99", 0.99 },
			  { "p99.9", 0.999 },
			  { "p99.99", 0.9999 } };
	char line[160], number[32];
	size_t used = 0;

	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s %s", i ? ", " : "",
					 quantiles[i].name,
					 amount_format_count(quantile(rows, quantiles[i].part),
							     number));
	message_line("%s (%sto 1/32)", line, rows->is_latency ? "ns, " : "");
}

static unsigned power_of(uint64_t begin)
{
	return begin ? 63u - (unsigned)__builtin_clzll(begin) : 0;
}

/* Rows are by ascending keys, as they came. */
static void print_histogram(const struct rows *rows)
{
	uint64_t powers[POWERS] = { 0 }, most = 0;
	unsigned first = POWERS, last = 0;
	char from[32], count[32];

	for (size_t i = 0; i < rows->nr_rows; i++) {
		uint32_t bucket = (uint32_t)rows->rows[i].key;
		unsigned power;

		if (rows->rows[i].key >= LTTNGMAP_FILTER_BUCKETS)
			continue;
		power = power_of(lttngmap_filter_bucket_begin(bucket));
		powers[power] += rows->rows[i].count;
		most = powers[power] > most ? powers[power] : most;
		first = power < first ? power : first;
		last = power > last ? power : last;
	}
	if (rows->count == 0)
		return;
	message_line("%26s %15s", rows->is_latency ? "FROM ns" : "FROM",
		     rows->is_latency ? "PAIRS" : "EVENTS");
	for (unsigned power = first; power <= last; power++)
		message_line("%26s %15s %s",
			     amount_format_count(power ? UINT64_C(1) << power : 0, from),
			     amount_format_count(powers[power], count),
			     bar_of(powers[power], most, BAR));
	print_quantiles(rows);
}

/* ---- all ---------------------------------------------------------------------------- */

/* Events of a map of latencies that are in no pair. */
static void print_unmatched(struct json_object *answer)
{
	uint64_t no_second = control_answer_count(answer, "no_second");
	uint64_t no_first = control_answer_count(answer, "no_first");
	uint64_t open = control_answer_count(answer, "open");
	char count[32];

	if (open)
		message_line("%s pairs have begun and not ended", amount_format_count(open, count));
	if (no_second)
		message_line("%s pairs did not end before the next one of their key began",
			     amount_format_count(no_second, count));
	if (no_first)
		message_line("%s pairs ended that had not begun",
			     amount_format_count(no_first, count));
}

/* Whom the daemon refused: there is no other kind of map, so all have one remedy. */
static void print_untraced(struct json_object *answer)
{
	char text[UNTRACED_TEXT_SIZE];

	if (!untraced_describe(answer, text)[0])
		return;
	message_line("%s", text);
	if (untraced_has(answer, "refused"))
		message_line("programs that gain privileges do not count; those with an older "
			     "liblttngmap do when they are started anew");
}

static void print_rest(struct json_object *answer)
{
	uint64_t other = control_answer_count(answer, "other");
	uint64_t lost = control_answer_count(answer, "lost");
	uint64_t damaged = control_answer_count(answer, "damaged");
	uint64_t unreadable = control_answer_count(answer, "unreadable");
	char count[32];

	print_unmatched(answer);
	if (other)
		message_line("%s events of keys that had no room (--keys)",
			     amount_format_count(other, count));
	if (lost)
		message_line("%s events could not be counted", amount_format_count(lost, count));
	if (damaged)
		message_line("%s entries were left out: a program damaged them",
			     amount_format_count(damaged, count));
	if (unreadable)
		message_line("%s tables cannot be read now",
			     amount_format_count(unreadable, count));
	print_untraced(answer);
}

void map_print_counts(const char *name, struct json_object *answer, size_t top)
{
	char count[32], sum[40], keys[32];
	struct rows rows;

	if (!take_rows(answer, &rows)) {
		message_error("map show: out of memory");
		return;
	}
	amount_format_count(rows.count + control_answer_count(answer, "other"), count);
	if (rows.is_latency)
		message_line("%s: %s pairs, mean %s ns", name, count,
			     amount_format_count(rows.count ? rows.sum / rows.count : 0, sum));
	else if (rows.has_sum)
		message_line("%s: %s events, sum %s", name, count,
			     format_sum(&rows, rows.sum + control_answer_count(answer, "other_sum"),
					sum));
	else if (control_answer_flag(answer, "keys") && !rows.is_histogram)
		message_line("%s: %s events of %s key%s", name, count,
			     amount_format_count(rows.nr_rows, keys), message_plural(rows.nr_rows));
	else
		message_line("%s: %s events", name, count);
	if (rows.is_histogram)
		print_histogram(&rows);
	else if (control_answer_flag(answer, "keys"))
		print_table(&rows, top);
	print_rest(answer);
	put_rows(&rows);
}

static void print_text(struct json_object *map, const char *key, const char *text)
{
	const char *value = control_answer_text(map, key);

	if (value[0])
		message_line("  %s %s", text, value);
}

void map_print_list(struct json_object *answer)
{
	struct json_object *maps = session_member_array(answer, "maps");
	size_t length = json_object_array_length(maps);
	char count[32];

	if (length == 0)
		message_line("no maps");
	for (size_t i = 0; i < length; i++) {
		struct json_object *map = json_object_array_get_idx(maps, i);

		message_line("%s: counts %s, in %s processes", control_answer_text(map, "map"),
			     control_answer_text(map, "rule"),
			     amount_format_count(control_answer_count(map, "processes"), count));
		print_text(map, "exclude", "but not");
		print_text(map, "filter", "where");
		print_text(map, "latency", "how long after");
		print_text(map, "by",
			   control_answer_text(map, "latency")[0]  ? "of one"
			   : control_answer_flag(map, "histogram") ? "histogram of"
								   : "by");
		print_text(map, "sum", "sum of");
	}
}
