/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* filter-caret.h - where in a filter expression the error is. */
#ifndef LTTNGMAP_CLI_CLIENT_FILTER_CARET_H
#define LTTNGMAP_CLI_CLIENT_FILTER_CARET_H

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>

/* Lines of at most so many bytes, with their NUL. */
#define FILTER_CARET_SIZE 128

/*
 * The expression, as much of it as has room around the place, and a line with
 * '^' and '~' under bytes column … column + length - 1; a column beyond the
 * end is the end. Letters of several bytes are one column.
 */
void filter_caret_format(const char *filter, uint64_t column, uint64_t length,
			 char text[FILTER_CARET_SIZE], char marks[FILTER_CARET_SIZE]);
/* Both lines on stderr, where the refusal of `request` names a place in its filter. */
void filter_caret_show(struct json_object *request, struct json_object *refusal);

#endif /* LTTNGMAP_CLI_CLIENT_FILTER_CARET_H */
