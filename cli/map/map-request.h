/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* map-request.h - requests to the daemon about maps, for `map` and `count`. One thread. */
#ifndef CLI_MAP_MAP_REQUEST_H
#define CLI_MAP_MAP_REQUEST_H

#include <json-c/json.h>

/* Options as typed; NULL or 0: not given. */
struct map_options {
	char *by, *sum, *histogram, *latency, *key, *filter, *exclude;
	int keys;
};

/* 0, or -EINVAL after a message that begins with `verb`. */
int map_options_check(const char *verb, const struct map_options *options);
/* {"verb": VERB, "map": NAME}; `name` may be NULL. */
struct json_object *map_request(const char *verb, const char *name);
/* "map-add" */
struct json_object *map_request_add(const char *name, const char *rule,
				    const struct map_options *options);

/* Takes `request`. 0, and the caller puts *answer; or -errno after a message. */
typedef int map_ask(void *data, struct json_object *request, struct json_object **answer);
/*
 * The map's counts, which take several answers, as one. As map_ask(); -ELOOP without a
 * message: the daemon repeats itself.
 */
int map_request_show(const char *name, map_ask *ask, void *data, struct json_object **answer);

#endif /* CLI_MAP_MAP_REQUEST_H */
