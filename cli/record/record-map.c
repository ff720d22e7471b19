/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* record-map.c - the requests of `count` to its daemon: one map, which nobody else sees. */
#include <config.h>

#include "cli/record/record.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/map/map-request.h"

/* All rules of what counts, as one. NULL: no memory. */
static char *join_rules(const struct record_options *options)
{
	char *joined = NULL, *longer;

	for (size_t i = 0; i < options->nr_rules; i++) {
		/* That of a pair's first event chooses what is preloaded, and is not counted. */
		if (options->rules[i].rule == options->map->latency)
			continue;
		if (asprintf(&longer, "%s%s%s", joined ? joined : "", joined ? "," : "",
			     options->rules[i].rule) < 0)
			longer = NULL;
		free(joined);
		joined = longer;
	}
	return joined;
}

int record_map_start(struct record *record)
{
	char *rule = join_rules(&record->options);
	int error = record_session_connect(record);

	if (!error)
		error = record_request(record,
				       map_request_add(RECORD_SESSION, rule ? rule : "",
						       record->options.map),
				       "count");
	free(rule);
	return error;
}

static int ask(void *data, struct json_object *request, struct json_object **answer)
{
	return record_ask(data, request, "read the counts", answer);
}

int record_map_read(struct record *record, struct json_object **answer)
{
	int error = record_status_end(record);

	return error ? error : map_request_show(RECORD_SESSION, ask, record, answer);
}

int record_map_end(struct record *record, struct json_object **answer)
{
	int error = record_map_read(record, answer);

	if (error)
		return error;
	error = record_status_last(record);
	if (!error && !record_is_empty(record))
		record_events_ask(record);
	return error;
}
