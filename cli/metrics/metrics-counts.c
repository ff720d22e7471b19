/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* metrics-counts.c - maps as text: counters by key, and histograms. */
#include <config.h>

#include "cli/metrics/metrics.h"

#include <inttypes.h>

#include <lttngmap/filter-code.h>

#define LABEL_SIZE 32
/* A histogram's buckets end below each power of two. */
#define POWERS 64

/* ---- keys --------------------------------------------------------------------------- */

typedef void put_row(FILE *out, const struct metrics_family *family,
		     const struct metrics_label labels[METRICS_LABELS], const struct map_rows *rows,
		     const struct map_row *row);

/* Prints what `put` has of each key, and of all others together. */
static void print_keys(FILE *out, const struct metrics_family *family,
		       const struct metrics_map *map, put_row *put)
{
	struct metrics_label labels[METRICS_LABELS] = { { "map", map->name }, { "key", NULL } };
	const struct map_rows *rows = &map->rows;
	const struct map_row nothing = { 0 };

	if (!map->has_keys) {
		put(out, family, labels, rows, rows->nr_rows ? &rows->rows[0] : &nothing);
		return;
	}
	for (size_t i = 0; i < rows->nr_rows; i++) {
		labels[1].value = rows->rows[i].name;
		put(out, family, labels, rows, &rows->rows[i]);
	}
	labels[1].value = METRICS_OTHER;
	put(out, family, labels, rows, &map->other);
}

static void put_count(FILE *out, const struct metrics_family *family,
		      const struct metrics_label labels[METRICS_LABELS],
		      const struct map_rows *rows, const struct map_row *row)
{
	(void)rows;
	metrics_put_count(out, family, "", labels, row->count);
}

static void put_sum(FILE *out, const struct metrics_family *family,
		    const struct metrics_label labels[METRICS_LABELS], const struct map_rows *rows,
		    const struct map_row *row)
{
	if (rows->is_sum_signed)
		metrics_put_signed(out, family, "", labels, (int64_t)row->sum);
	else
		metrics_put_count(out, family, "", labels, row->sum);
}

static void print_events(const struct metrics *metrics, enum metrics_format format, FILE *out)
{
	static const struct metrics_family events = { "map_events", METRICS_COUNTER, NULL,
						      "Events that a map counted, by its key." };
	static const struct metrics_family sums = { "map_sums", METRICS_GAUGE, NULL,
						    "What a map added up (--sum), modulo 2^64." };

	metrics_begin_family(out, format, &events);
	for (size_t i = 0; i < metrics->nr_maps; i++)
		if (metrics->maps[i].answered && !metrics->maps[i].rows.is_histogram)
			print_keys(out, &events, &metrics->maps[i], put_count);
	metrics_begin_family(out, format, &sums);
	for (size_t i = 0; i < metrics->nr_maps; i++)
		if (metrics->maps[i].answered && !metrics->maps[i].rows.is_histogram &&
		    metrics->maps[i].rows.has_sum)
			print_keys(out, &sums, &metrics->maps[i], put_sum);
}

/* ---- histograms --------------------------------------------------------------------- */

/* The power of two below which all of a bucket's numbers are. */
static unsigned power_above(uint64_t number)
{
	return number ? 64u - (unsigned)__builtin_clzll(number) : 0;
}

static double middle_of(uint32_t bucket)
{
	uint64_t begin = lttngmap_filter_bucket_begin(bucket);
	uint64_t end = bucket + 1 < LTTNGMAP_FILTER_BUCKETS
			       ? lttngmap_filter_bucket_begin(bucket + 1) - 1
			       : UINT64_MAX;

	return (double)begin + (double)(end - begin) / 2;
}

/* The counts of the rows below a power of two, and the sum of all values. */
struct buckets {
	uint64_t below[POWERS + 1];
	double sum;
};

static void take_buckets(const struct metrics_map *map, struct buckets *buckets)
{
	bool is_exact = map->sums_values || map->rows.is_latency;

	*buckets = (struct buckets){ .sum = 0 };
	for (size_t i = 0; i < map->rows.nr_rows; i++) {
		const struct map_row *row = &map->rows.rows[i];
		double middle;

		if (row->key >= LTTNGMAP_FILTER_BUCKETS)
			continue;
		middle = middle_of((uint32_t)row->key) * (double)row->count;
		buckets->below[power_above(lttngmap_filter_bucket_begin((uint32_t)row->key))] +=
			row->count;
		if (!is_exact)
			buckets->sum += middle;
		else if (map->rows.is_sum_signed)
			buckets->sum += (double)(int64_t)row->sum;
		else
			buckets->sum += (double)row->sum;
	}
}

/*
 * All histograms have the same buckets always: Prometheus adds them up over time and machines.
 * Latencies are in seconds, and their buckets end from a microsecond to some 18 minutes.
 */
#define LATENCY_FIRST 10
#define LATENCY_LAST 40

static void print_histogram(FILE *out, const struct metrics_family *family,
			    const struct metrics_map *map)
{
	bool is_latency = map->rows.is_latency;
	unsigned first = is_latency ? LATENCY_FIRST : 0;
	unsigned last = is_latency ? LATENCY_LAST : POWERS - 1;
	char end[LABEL_SIZE];
	const struct metrics_label labels[METRICS_LABELS] = { { "map", map->name }, { "le", end } };
	const struct metrics_label whole[METRICS_LABELS] = { { "map", map->name } };
	struct buckets buckets;
	uint64_t count = 0;

	take_buckets(map, &buckets);
	for (unsigned power = 0; power <= POWERS; power++) {
		uint64_t most = power < POWERS ? (UINT64_C(1) << power) - 1 : UINT64_MAX;

		count += buckets.below[power];
		if (power < first || power > last)
			continue;
		if (is_latency)
			snprintf(end, sizeof(end), "%.9f", (double)most / 1e9);
		else
			snprintf(end, sizeof(end), "%" PRIu64 ".0", most);
		metrics_put_count(out, family, "_bucket", labels, count);
	}
	snprintf(end, sizeof(end), "+Inf");
	metrics_put_count(out, family, "_bucket", labels, count);
	metrics_put_real(out, family, "_sum", whole, is_latency ? buckets.sum / 1e9 : buckets.sum);
	metrics_put_count(out, family, "_count", whole, count);
}

static void print_histograms(const struct metrics *metrics, enum metrics_format format, FILE *out)
{
	static const struct metrics_family families[] = {
		{ "map_values", METRICS_HISTOGRAM, NULL,
		  "Values that a map counted (--histogram); their sum is known to 1/64." },
		{ "map_latency_seconds", METRICS_HISTOGRAM, "seconds",
		  "How long after one event another came (--latency)." },
	};

	for (size_t kind = 0; kind < 2; kind++) {
		metrics_begin_family(out, format, &families[kind]);
		for (size_t i = 0; i < metrics->nr_maps; i++)
			if (metrics->maps[i].answered && metrics->maps[i].rows.is_histogram &&
			    metrics->maps[i].rows.is_latency == (kind == 1))
				print_histogram(out, &families[kind], &metrics->maps[i]);
	}
}

/* ---- the rest ----------------------------------------------------------------------- */

static uint64_t get_lost(const struct metrics_map *map)
{
	/* A histogram has room for all buckets, but a hostile program may have taken it. */
	return map->lost + (map->rows.is_histogram ? map->other.count : 0);
}

static uint64_t get_damaged(const struct metrics_map *map)
{
	return map->damaged;
}

static uint64_t get_processes(const struct metrics_map *map)
{
	return map->processes;
}

static const struct {
	struct metrics_family family;
	uint64_t (*get)(const struct metrics_map *map);
} of_maps[] = {
	{ { "map_events_lost", METRICS_COUNTER, NULL, "Events that could not be counted." },
	  get_lost },
	{ { "map_damaged_entries", METRICS_GAUGE, NULL,
	    "Entries that are left out, for a program damaged them." },
	  get_damaged },
	{ { "map_processes", METRICS_GAUGE, NULL, "Processes that count." }, get_processes },
};

void metrics_print_maps(const struct metrics *metrics, enum metrics_format format, FILE *out)
{
	print_events(metrics, format, out);
	print_histograms(metrics, format, out);
	for (size_t i = 0; i < sizeof(of_maps) / sizeof(of_maps[0]); i++) {
		metrics_begin_family(out, format, &of_maps[i].family);
		for (size_t j = 0; j < metrics->nr_maps; j++) {
			const struct metrics_label labels[METRICS_LABELS] = {
				{ "map", metrics->maps[j].name },
			};

			if (metrics->maps[j].answered)
				metrics_put_count(out, &of_maps[i].family, "", labels,
						  of_maps[i].get(&metrics->maps[j]));
		}
	}
}
