/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* filter-caret.h - shows where the error in a filter expression is. */
#ifndef CLI_CLIENT_FILTER_CARET_H
#define CLI_CLIENT_FILTER_CARET_H

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>

/* The longest line, with its NUL. */
#define FILTER_CARET_SIZE 128

/*
 * Prints two lines: the expression around the error, and '^' and '~' under bytes column … column +
 * length - 1. A column beyond the end means the end. A letter of several bytes takes one column.
 */
void filter_caret_format(const char *filter, uint64_t column, uint64_t length,
			 char text[FILTER_CARET_SIZE], char marks[FILTER_CARET_SIZE]);
/* Prints both lines on stderr if the refusal of `request` has a place in its filter. */
void filter_caret_show(struct json_object *request, struct json_object *refusal);

#endif /* CLI_CLIENT_FILTER_CARET_H */
