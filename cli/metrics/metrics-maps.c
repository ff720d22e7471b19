/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * metrics-maps.c - what is known of maps.
 *
 * A map shows at most `keys_most` keys: at first those with most events, then others as they come,
 * while there is room. A key that was shown once is shown as long as this process and the map live:
 * so no counter comes and goes, and that of all other keys only grows.
 */
#include <config.h>

#include "cli/metrics/metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client/control-client.h"

static void forget(struct metrics_map *map)
{
	map_rows_put(&map->rows);
	for (size_t i = 0; i < map->nr_names; i++)
		free(map->names[i]);
	free(map->names);
}

void metrics_maps_forget(struct metrics *metrics)
{
	size_t kept = 0;

	for (size_t i = 0; i < metrics->nr_maps; i++) {
		if (metrics->maps[i].seen)
			metrics->maps[kept++] = metrics->maps[i];
		else
			forget(&metrics->maps[i]);
	}
	metrics->nr_maps = kept;
}

struct metrics_map *metrics_map_find(struct metrics *metrics, const char *name)
{
	struct metrics_map *map;

	for (size_t i = 0; i < metrics->nr_maps; i++)
		if (strcmp(metrics->maps[i].name, name) == 0)
			return &metrics->maps[i];
	if (metrics->nr_maps == METRICS_MAPS_MOST || strlen(name) >= sizeof(map->name))
		return NULL;
	if (!metrics->maps)
		metrics->maps = calloc(METRICS_MAPS_MOST, sizeof(*metrics->maps));
	if (!metrics->maps)
		return NULL;
	map = &metrics->maps[metrics->nr_maps++];
	*map = (struct metrics_map){ .seen = false };
	strcpy(map->name, name);
	return map;
}

/* ---- keys -------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int rows_by_name(const void *a, const void *b)
{
	const struct map_row *left = a, *right = b;

	return strcmp(left->name, right->name);
}

/* The most events first, equal ones by name. */
static int rows_by_count(const void *a, const void *b)
{
	const struct map_row *left = a, *right = b;

	if (left->count != right->count)
		return left->count > right->count ? -1 : 1;
	return strcmp(left->name, right->name);
}

/* Long strings with one beginning have one name: Prometheus takes each once. */
static void join_names(struct map_rows *rows)
{
	size_t kept = 0;

	qsort(rows->rows, rows->nr_rows, sizeof(rows->rows[0]), rows_by_name);
	for (size_t i = 0; i < rows->nr_rows; i++) {
		struct map_row *row = &rows->rows[i];

		if (kept > 0 && strcmp(rows->rows[kept - 1].name, row->name) == 0) {
			rows->rows[kept - 1].count += row->count;
			rows->rows[kept - 1].sum += row->sum;
			free(row->name);
		} else {
			rows->rows[kept++] = *row;
		}
	}
	rows->nr_rows = kept;
}

/* Among the first `count` names. */
static bool is_known(const struct metrics_map *map, const char *name, size_t count)
{
	return count > 0 && bsearch(&name, map->names, count, sizeof(name), by_name) != NULL;
}

/* A key of that name would stand there twice: it is one of the others. */
static bool is_other(const char *name)
{
	return strcmp(name, METRICS_OTHER) == 0;
}

/* Reorders the rows. 0 or -ENOMEM. */
static int choose_keys(struct metrics_map *map, size_t most)
{
	size_t before = map->nr_names, room = before + map->rows.nr_rows;
	char **names;

	if (before >= most)
		return 0;
	names = realloc(map->names, (room < most ? room : most) * sizeof(*names) + 1);
	if (!names)
		return -ENOMEM;
	map->names = names;
	qsort(map->rows.rows, map->rows.nr_rows, sizeof(map->rows.rows[0]), rows_by_count);
	for (size_t i = 0; i < map->rows.nr_rows && map->nr_names < most; i++) {
		const char *name = map->rows.rows[i].name;

		if (is_other(name) || is_known(map, name, before))
			continue;
		names[map->nr_names] = strdup(name);
		if (!names[map->nr_names])
			break;
		map->nr_names++;
	}
	qsort(names, map->nr_names, sizeof(*names), by_name);
	return 0;
}

/* Leaves the rows of shown keys, and adds up the others. */
static void add_up_others(struct metrics_map *map)
{
	struct map_rows *rows = &map->rows;
	size_t kept = 0;

	for (size_t i = 0; i < rows->nr_rows; i++) {
		if (is_known(map, rows->rows[i].name, map->nr_names)) {
			rows->rows[kept++] = rows->rows[i];
		} else {
			map->other.count += rows->rows[i].count;
			map->other.sum += rows->rows[i].sum;
			free(rows->rows[i].name);
		}
	}
	rows->nr_rows = kept;
	qsort(rows->rows, kept, sizeof(rows->rows[0]), rows_by_name);
}

int metrics_map_take(struct metrics *metrics, struct metrics_map *map, struct json_object *answer)
{
	int error;

	map_rows_put(&map->rows);
	error = map_rows_take(answer, &map->rows);
	if (error)
		return error;
	map->has_keys = control_answer_flag(answer, "keys");
	map->lost = control_answer_count(answer, "lost");
	map->damaged = control_answer_count(answer, "damaged");
	map->other = (struct map_row){
		.count = control_answer_count(answer, "other"),
		.sum = control_answer_count(answer, "other_sum"),
	};
	if (!map->rows.is_histogram) {
		join_names(&map->rows);
		if (map->has_keys)
			error = choose_keys(map, metrics->keys_most);
		if (!error && map->has_keys)
			add_up_others(map);
	}
	map->answered = !error;
	return error;
}

void metrics_free(struct metrics *metrics)
{
	for (size_t i = 0; i < metrics->nr_maps; i++)
		forget(&metrics->maps[i]);
	free(metrics->maps);
	metrics->maps = NULL;
	metrics->nr_maps = 0;
	top_sample_end(&metrics->daemon);
}
