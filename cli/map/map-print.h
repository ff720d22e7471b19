/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* map-print.h - shows maps: the list, and what one has counted. One thread. */
#ifndef CLI_MAP_MAP_PRINT_H
#define CLI_MAP_MAP_PRINT_H

#include <json-c/json.h>
#include <stddef.h>

/* Lines of a table where nothing else is said. */
#define MAP_PRINT_TOP 20

/* The answer to "map-list". */
void map_print_list(struct json_object *answer);
/* The answers to "map-show", joined; the `top` greatest counts, 0: all. A histogram is whole. */
void map_print_counts(const char *name, struct json_object *answer, size_t top);

#endif /* CLI_MAP_MAP_PRINT_H */
