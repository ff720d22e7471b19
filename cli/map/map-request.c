/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/map/map-request.h"

#include <errno.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/client/session-verb.h"

int map_options_check(const char *verb, const struct map_options *options)
{
	const char *rule = options->latency, *why;

	if (options->by && options->histogram) {
		message_error("%s: --by or --histogram, not both", verb);
		message_hint("make two maps");
		return -EINVAL;
	}
	if (rule && (options->by || options->histogram || options->sum)) {
		message_error("%s: --latency is a histogram of its own", verb);
		message_hint("make two maps; --key says which events are a pair");
		return -EINVAL;
	}
	if (options->key && !rule) {
		message_error("%s: --key says which events are a pair, of --latency", verb);
		message_hint("--by counts by a value");
		return -EINVAL;
	}
	if (!rule || options_check_rule(rule, &why) == 0)
		return 0;
	message_error("%s: --latency: '%s' is not a rule", verb, rule);
	message_hint("%s", why);
	return -EINVAL;
}

struct json_object *map_request(const char *verb, const char *name)
{
	struct json_object *request = json_object_new_object();

	session_add_text(request, "verb", verb);
	if (name)
		session_add_text(request, "map", name);
	return request;
}

static void add_text(struct json_object *request, const char *key, const char *text)
{
	if (text)
		session_add_text(request, key, text);
}

struct json_object *map_request_add(const char *name, const char *rule,
				    const struct map_options *options)
{
	struct json_object *request = map_request("map-add", name);

	session_add_text(request, "rule", rule);
	add_text(request, "exclude", options->exclude);
	add_text(request, "filter", options->filter);
	add_text(request, "by",
		 options->histogram ? options->histogram
		 : options->key     ? options->key
				    : options->by);
	add_text(request, "latency", options->latency);
	add_text(request, "sum", options->sum);
	if (options->histogram)
		json_object_object_add(request, "histogram", json_object_new_boolean(true));
	if (options->keys)
		session_add_number(request, "keys", (uint64_t)options->keys);
	return request;
}

/* Moves the counts of `answer` behind those of *all. */
static void join(struct json_object **all, struct json_object *answer)
{
	struct json_object *counts = session_member_array(answer, "counts");

	if (!*all) {
		*all = answer;
		return;
	}
	for (size_t i = 0; i < json_object_array_length(counts); i++)
		json_object_array_add(session_member_array(*all, "counts"),
				      json_object_get(json_object_array_get_idx(counts, i)));
	json_object_put(answer);
}

int map_request_show(const char *name, map_ask *ask, void *data, struct json_object **result)
{
	struct json_object *all = NULL, *answer, *next;
	uint64_t from = 0, after;

	do {
		struct json_object *request = map_request("map-show", name);
		int error;

		json_object_object_add(request, "from", json_object_new_uint64(from));
		error = ask(data, request, &answer);
		if (error) {
			json_object_put(all);
			return error;
		}
		after = json_object_object_get_ex(answer, "next_key", &next)
				? json_object_get_uint64(next)
				: 0;
		join(&all, answer);
		/* A daemon that repeats itself would keep the loop going for ever. */
		if (after != 0 && after <= from) {
			json_object_put(all);
			return -ELOOP;
		}
		from = after;
	} while (from != 0);
	json_object_object_del(all, "next");
	json_object_object_del(all, "next_key");
	*result = all;
	return 0;
}
