/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* metrics-look.c - asks the session daemon that commands talk to. */
#include <config.h>

#include "cli/metrics/metrics.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "cli/client/control-client.h"
#include "cli/client/session-verb.h"
#include "cli/map/map-request.h"
#include "common/base/time.h"

struct asking {
	struct top_daemon *daemon;
	int64_t deadline;
};

static int ask(void *data, struct json_object *request, struct json_object **answer)
{
	struct asking *asking = data;

	return top_sample_ask(asking->daemon, request, asking->deadline, answer);
}

/* The daemon refuses where the map has just gone: the others are still shown. */
static int look_at_map(struct metrics *metrics, struct asking *asking, struct metrics_map *map)
{
	struct json_object *answer;
	int error = map_request_show(map->name, ask, asking, &answer);

	map->answered = false;
	if (error == -ELOOP)
		return -EBADMSG;
	if (error)
		return error == -EREMOTEIO ? 0 : error;
	error = metrics_map_take(metrics, map, answer);
	json_object_put(answer);
	return error;
}

/* Takes a part of the list of maps. */
static void take_maps(struct metrics *metrics, struct json_object *maps)
{
	for (size_t i = 0; i < json_object_array_length(maps); i++) {
		struct json_object *item = json_object_array_get_idx(maps, i);
		struct metrics_map *map =
			metrics_map_find(metrics, control_answer_text(item, "map"));

		if (!map) {
			metrics->maps_left_out++;
			continue;
		}
		map->seen = true;
		map->processes = control_answer_count(item, "processes");
		map->sums_values = strcmp(control_answer_text(item, "by"),
					  control_answer_text(item, "sum")) == 0;
	}
}

static int list_maps(struct metrics *metrics, struct asking *asking)
{
	uint64_t from = 0, next;

	do {
		struct json_object *request = map_request("map-list", NULL), *answer;
		int error;

		session_add_number(request, "from", from);
		error = ask(asking, request, &answer);
		if (error)
			return error;
		next = control_answer_count(answer, "next");
		take_maps(metrics, session_member_array(answer, "maps"));
		json_object_put(answer);
		/* A daemon that repeats itself would keep the loop going for ever. */
		if (next != 0 && next <= from)
			return -EBADMSG;
		from = next;
	} while (next != 0);
	return 0;
}

static int look_at_maps(struct metrics *metrics, int64_t deadline)
{
	struct asking asking = { &metrics->daemon, deadline };
	int error;

	metrics->maps_left_out = 0;
	for (size_t i = 0; i < metrics->nr_maps; i++)
		metrics->maps[i].seen = false;
	error = list_maps(metrics, &asking);
	if (error)
		return error;
	metrics_maps_forget(metrics);
	for (size_t i = 0; i < metrics->nr_maps && !error; i++)
		error = look_at_map(metrics, &asking, &metrics->maps[i]);
	return error;
}

bool metrics_look(struct metrics *metrics, int timeout_ms)
{
	uint64_t begun_us = time_now_usec();
	int64_t deadline = time_now_ms() + timeout_ms;
	struct top_daemon *daemon = &metrics->daemon;
	char path[SOCKET_PATH_MAX + 1];
	int error;

	metrics->is_up = false;
	if (!top_find_one(metrics->chosen, path)) {
		top_sample_end(daemon);
		strcpy(daemon->why, "no session daemon runs");
		return false;
	}
	if (strcmp(path, daemon->runtime_dir) != 0) {
		top_sample_end(daemon);
		strcpy(daemon->runtime_dir, path);
	}
	error = top_sample_take(daemon, false, timeout_ms);
	if (!error)
		error = look_at_maps(metrics, deadline);
	if (error && daemon->why[0] == '\0')
		error = top_sample_fail(daemon, error);
	metrics->is_up = !error;
	metrics->seconds = (double)(time_now_usec() - begun_us) / 1e6;
	return !error;
}
