/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* filter-name.h - finds names in a filter that are mistyped fields of events. */
#ifndef CLI_CLIENT_FILTER_NAME_H
#define CLI_CLIENT_FILTER_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include <json-c/json.h>

struct filter_name {
	const char *at; /* in the filter; NULL: begin */
	size_t length;
	const char *similar; /* the field that is most like it, of an event */
};

/*
 * Goes on to the next name that none of the events has as a field, and that is like one which some
 * of them have. `events` is the daemon's answer to "events"; only those that match the glob
 * `pattern` count. False: no more.
 */
bool filter_name_find_missing(struct filter_name *name, const char *filter,
			      struct json_object *events, const char *pattern);

#endif /* CLI_CLIENT_FILTER_NAME_H */
