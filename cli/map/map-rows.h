/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* map-rows.h - what a map has counted, as rows. One thread. */
#ifndef CLI_MAP_MAP_ROWS_H
#define CLI_MAP_MAP_ROWS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_row {
	uint64_t key, count, sum;
	char *name; /* of its key, for people; different keys may have the same */
};

struct map_rows {
	struct map_row *rows; /* as they came: by ascending keys */
	size_t nr_rows;
	uint64_t count, sum, most; /* of all rows; the greatest count */
	bool is_histogram, is_latency, has_sum, is_sum_signed;
};

/* Takes the rows of an answer of map_request_show(), which is not trusted. 0 or -ENOMEM. */
int map_rows_take(struct json_object *answer, struct map_rows *rows);
void map_rows_put(struct map_rows *rows);

#endif /* CLI_MAP_MAP_ROWS_H */
