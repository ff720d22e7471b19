/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/map/map-print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lttngmap/filter-code.h>

#include "cli/base/message.h"
#include "cli/client/control-client.h"
#include "cli/client/session-verb.h"
#include "cli/client/untraced.h"
#include "cli/map/map-rows.h"
#include "common/base/amount.h"

#define BAR 40
#define LINE 80
/* Bars of a histogram that join 32 buckets each: one for each power of two. */
#define POWERS 64

static int by_count(const void *a, const void *b)
{
	const struct map_row *left = a, *right = b;

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

static const char *format_sum(const struct map_rows *rows, uint64_t sum, char text[40])
{
	bool is_negative = rows->is_sum_signed && (int64_t)sum < 0;

	text[0] = '-';
	amount_format_count(is_negative ? -sum : sum, text + is_negative);
	return text;
}

/* Columns of the keys; those that are wider stick out. */
static int key_width(const struct map_rows *rows, size_t shown)
{
	size_t width = 20;

	for (size_t i = 0; i < shown; i++) {
		size_t length = strlen(rows->rows[i].name);

		width = length > width ? length : width;
	}
	return width > 48 ? 48 : (int)width;
}

static void print_key(const struct map_rows *rows, const struct map_row *row, int width)
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

static void print_table(struct map_rows *rows, size_t top)
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
static uint64_t quantile(const struct map_rows *rows, double part)
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

static void print_quantiles(const struct map_rows *rows)
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
static void print_histogram(const struct map_rows *rows)
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

/* Processes that the daemon refused: there is no other kind of map, so all have one remedy. */
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
	struct map_rows rows;

	if (map_rows_take(answer, &rows) != 0) {
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
	map_rows_put(&rows);
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
