/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-map.c - the verbs about maps (doc/design/maps.md): each is a session of its own with one
 * channel, whose names and verbs are apart from those of sessions.
 */
#include "sessiond/control/control-verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <lttngmap/filter-code.h>

#include "common/base/name.h"
#include "common/protocol/protocol-control.h"
#include "sessiond/app/late-attach.h"
#include "sessiond/base/parts.h"
#include "sessiond/control/control-args.h"
#include "sessiond/control/control-part.h"
#include "sessiond/filter/filter.h"
#include "sessiond/session/channel-map.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/session.h"
#include "sessiond/session/untraced.h"

#define KEYS_DEFAULT 4096u
/* In so many places, each bucket has a first place of its own. */
#define HISTOGRAM_KEYS (2 * LTTNGMAP_FILTER_BUCKETS)

static struct channel *map_channel(const struct session *session)
{
	return cds_list_entry(session->channels.next, struct channel, node);
}

struct session *control_need_map(struct control_client *client, struct json_object *request)
{
	const char *name = control_need_string(client, request, "map");
	struct session *session;

	if (!name)
		return NULL;
	session = sessions_find_map(control_client_daemon(client)->sessions, name,
				    control_client_peer(client)->uid);
	if (!session)
		control_refuse(client, "`lttngmap map list` has those that there are",
			       "there is no map '%.80s'", name);
	return session;
}

/* ---- making ----------------------------------------------------------------------- */

struct map_request {
	const char *name;
	struct rule_config rule;
	struct channel_map_config map;
	const char *latency; /* the rule of the first events; NULL: no latencies */
	uint64_t keys;
};

/* 0, or the request is refused. */
static int take_request(struct control_client *client, struct json_object *request,
			struct map_request *wanted)
{
	*wanted = (struct map_request){ .keys = KEYS_DEFAULT };
	wanted->name = control_need_name(client, request, "map");
	if (!wanted->name || control_take_rule(client, request, &wanted->rule) != 0 ||
	    control_take_string(client, request, "by", &wanted->map.by) != 0 ||
	    control_take_string(client, request, "sum", &wanted->map.sum) != 0 ||
	    control_take_bool(client, request, "histogram", &wanted->map.is_histogram) != 0 ||
	    control_take_string(client, request, "latency", &wanted->latency) != 0 ||
	    control_take_number(client, request, "keys", PROTOCOL_CONTROL_KEYS_MAX,
				&wanted->keys) != 0)
		return -EINVAL;
	if (wanted->keys < PROTOCOL_CONTROL_KEYS_MIN || (wanted->keys & (wanted->keys - 1))) {
		control_refuse(client, "give a power of two from 256 to 65536",
			       "a map cannot have room for %llu keys",
			       (unsigned long long)wanted->keys);
		return -EINVAL;
	}
	if (wanted->map.is_histogram && !wanted->map.by) {
		control_refuse(client, "give \"by\"", "a histogram is of nothing");
		return -EINVAL;
	}
	if (wanted->latency && (wanted->map.is_histogram || wanted->map.sum)) {
		control_refuse(client, "make two maps",
			       "latencies are a histogram, and are added up, by themselves");
		return -EINVAL;
	}
	if ((wanted->latency || wanted->map.is_histogram) && wanted->keys < HISTOGRAM_KEYS) {
		control_refuse(client, "give 4096 or more", "%s more than %llu keys",
			       wanted->latency ? "latencies need" : "a histogram needs",
			       (unsigned long long)wanted->keys);
		return -EINVAL;
	}
	if (wanted->latency) {
		wanted->map.is_latency = true;
		wanted->map.is_one_rule = strcmp(wanted->latency, wanted->rule.patterns) == 0;
	}
	return 0;
}

static int make_session(struct control_client *client, const struct map_request *wanted,
			struct session **session)
{
	const struct ucred *peer = control_client_peer(client);
	const struct session_config config = {
		.name = wanted->name,
		.output = "/",
		.owner = peer->uid,
		.group = peer->gid,
		.is_flight_recorder = true,
		.is_map = true,
	};
	int error;

	if (!control_may_create(client))
		return -EPERM;
	error = session_create(control_client_daemon(client)->sessions, &config, session);
	if (error == -EEXIST)
		control_refuse_already(client, "use another name, or remove it first",
				       "there is a map '%s' already", wanted->name);
	else if (error)
		control_refuse(client, "see the daemon's messages", "cannot make map %s: %s",
			       wanted->name, strerror(-error));
	return error;
}

static int make_channel(struct control_client *client, struct session *session,
			const struct channel_map_config *expressions, uint64_t keys,
			struct channel **channel)
{
	char why[CHANNEL_WHY_SIZE], hint[CHANNEL_WHY_SIZE];
	struct channel_config config = {
		.name = SESSION_MAP_CHANNEL,
		.mode = LTTNGMAP_MODE_OVERWRITE,
		/* Entries of 32 bytes in the first two of three sub-buffers. */
		.subbuf_size = keys * sizeof(struct lttngmap_map_entry) / 2,
		.subbufs = 2,
		.shared = true,
	};
	struct filter_error error;
	bool in_sum;
	int status = channel_map_create(expressions, &config.map, &error, &in_sum);

	if (status == 0 && filter_map_may_have_texts(&config.map->expressions))
		config.subbufs = LTTNGMAP_MAP_TEXT_SUBBUFS;
	if (status == -ENOMEM) {
		control_refuse(client, "try again", "cannot make %s %s: out of memory",
			       session->trigger ? "trigger" : "map", session->name);
		return status;
	}
	if (status) {
		control_refuse_at(client,
				  in_sum ? "that is what is to be added up; lttngmap-filter(7) has "
					   "the language"
				  : session->trigger
					  ? "that is what to capture; lttngmap-filter(7) has the "
					    "language"
					  : "that is what to count by; lttngmap-filter(7) has the "
					    "language",
				  error.message,
				  session->trigger ? "capture"
				  : in_sum         ? "sum"
						   : "by",
				  error.column - 1, error.length);
		return status;
	}
	status = session_add_channel(session, &config, channel, why, hint);
	if (status) {
		channel_map_destroy(config.map);
		control_refuse(client, hint, "cannot make %s %s: %s",
			       session->trigger ? "trigger" : "map", session->name, why);
	}
	return status;
}

/* The rule of a pair's first event. */
static int enable_first(struct channel *channel, const struct rule_config *second,
			const char *patterns, struct rule_problem *problem)
{
	struct rule_config rule = *second;
	struct rule_entry *entry;

	rule.patterns = patterns;
	return session_enable(channel, &rule, &entry, problem);
}

void control_begin_map(struct control_client *client, struct session *session,
		       const struct channel_map_config *expressions, uint64_t keys,
		       const struct rule_config *rule, const char *first)
{
	struct rule_problem problem;
	struct rule_entry *entry;
	struct channel *channel;
	int error;

	if (make_channel(client, session, expressions, keys, &channel) != 0) {
		session_destroy(session);
		return;
	}
	error = first ? enable_first(channel, rule, first, &problem) : 0;
	if (!error)
		error = session_enable(channel, rule, &entry, &problem);
	if (error) {
		control_refuse_rule(client, channel, rule, &problem, error);
		session_destroy(session);
		return;
	}
	session_start(session);
	if (session->daemon->late_attach)
		late_attach_scan(session->daemon->late_attach, 0);
	control_answer_rule(client, channel, entry, &problem);
}

void control_serve_map_add(struct control_client *client, struct json_object *request)
{
	struct map_request wanted;
	struct session *session;

	if (take_request(client, request, &wanted) == 0 &&
	    make_session(client, &wanted, &session) == 0)
		control_begin_map(client, session, &wanted.map, wanted.keys, &wanted.rule,
				  wanted.latency);
}

void control_serve_map_remove(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_map(client, request);

	if (!session)
		return;
	session_destroy(session);
	control_answer(client, NULL);
}

/* The same again, with tables that are empty. */
void control_serve_map_clear(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_map(client, request);
	char why[CHANNEL_WHY_SIZE], hint[CHANNEL_WHY_SIZE];
	struct channel *after;

	if (!session)
		return;
	if (session_replace_map(map_channel(session), &after, why, hint) != 0)
		control_refuse(client, hint, "cannot clear map %s: %s", session->name, why);
	else
		control_answer(client, NULL);
}

/* ---- telling ----------------------------------------------------------------------- */

static struct json_object *describe_map(struct session *session, uint32_t uid)
{
	const struct channel *channel = map_channel(session);
	const struct rule_entry *rule = channel->rules.entries[channel->rules.nr_entries - 1];
	struct json_object *object = json_object_new_object();
	struct channel_map_config config;
	char name[NAME_SESSION_MAX + 16];

	channel_map_get_config(channel->map, &config);
	control_add_string(object, "map", session_name_for(session, uid, name, sizeof(name)));
	control_add_string(object, "rule", rule_text(rule->patterns));
	if (rule->exclude)
		control_add_string(object, "exclude", rule_text(rule->exclude));
	if (rule->filter)
		control_add_string(object, "filter", filter_expression_text(rule->filter));
	if (config.by)
		control_add_string(object, "by", config.by);
	if (config.sum)
		control_add_string(object, "sum", config.sum);
	control_add_bool(object, "histogram", config.is_histogram);
	if (config.is_latency)
		control_add_string(object, "latency",
				   rule_text(channel->rules.entries[0]->patterns));
	control_add_number(object, "keys", UINT64_C(1) << (channel->subbuf_shift - 4));
	control_add_number(object, "processes", session_alive(session));
	return object;
}

static bool is_map(const struct session *session)
{
	return session->is_map && !session->trigger;
}

void control_serve_map_list(struct control_client *client, struct json_object *request)
{
	control_part_sessions(client, request, "maps", is_map, describe_map);
}

/* JSON is UTF-8: each other byte becomes U+FFFD. */
static struct json_object *new_string(const char *bytes, size_t size)
{
	char text[LTTNGMAP_MAP_TEXT_SIZE * 3];
	size_t used = 0;

	for (size_t i = 0, step; i < size; i += step) {
		size_t length = name_letter_length(bytes + i, size - i);

		step = length ? length : 1;
		memcpy(text + used, length ? bytes + i : "\xef\xbf\xbd", length ? length : 3);
		used += length ? length : 3;
	}
	return json_object_new_string_len(text, (int)used);
}

/* A part of a text, `size` bytes of which are left; *length: its own. NULL: it is none. */
static struct json_object *describe_part(const uint8_t *part, size_t size, uint64_t hash,
					 size_t *length)
{
	struct json_object *object;
	uint64_t number;

	if (part[0] == LTTNGMAP_FILTER_PART_SIGNED || part[0] == LTTNGMAP_FILTER_PART_UNSIGNED) {
		*length = 1 + sizeof(number);
		if (size < *length)
			return NULL;
		memcpy(&number, part + 1, sizeof(number));
		return part[0] == LTTNGMAP_FILTER_PART_SIGNED
			       ? json_object_new_int64((int64_t)number)
			       : json_object_new_uint64(number);
	}
	if ((part[0] != LTTNGMAP_FILTER_PART_STRING && part[0] != LTTNGMAP_FILTER_PART_BEGIN) ||
	    size < 2 || size - 2 < part[1])
		return NULL;
	*length = 2 + (size_t)part[1];
	if (part[0] == LTTNGMAP_FILTER_PART_STRING)
		return new_string((const char *)part + 2, part[1]);
	object = json_object_new_object();
	json_object_object_add(object, "begin", new_string((const char *)part + 2, part[1]));
	json_object_object_add(object, "hash", json_object_new_uint64(hash));
	return object;
}

struct json_object *control_describe_text(const uint8_t text[LTTNGMAP_MAP_TEXT_SIZE], uint64_t hash)
{
	struct json_object *array = json_object_new_array(), *only;
	size_t length = 0;

	for (size_t at = 0; at < LTTNGMAP_MAP_TEXT_SIZE && text[at] != LTTNGMAP_FILTER_PART_NONE;
	     at += length) {
		struct json_object *part =
			describe_part(text + at, LTTNGMAP_MAP_TEXT_SIZE - at, hash, &length);

		if (!part)
			break;
		json_object_array_add(array, part);
	}
	if (json_object_array_length(array) > 1)
		return array;
	only = json_object_get(json_object_array_get_idx(array, 0));
	json_object_put(array);
	return only;
}

static struct json_object *describe_key(const struct map_count *count)
{
	uint8_t text[LTTNGMAP_MAP_TEXT_SIZE];

	if (channel_map_read_text(count, text) != 0)
		text[0] = LTTNGMAP_FILTER_PART_NONE;
	return control_describe_text(text, count->key);
}

static struct json_object *describe_count(const struct map_count *count)
{
	struct json_object *array = json_object_new_array();

	json_object_array_add(array, count->texts ? describe_key(count)
						  : json_object_new_uint64(count->key));
	json_object_array_add(array, json_object_new_uint64(count->count));
	json_object_array_add(array, json_object_new_uint64(count->sum));
	return array;
}

/* Processes of the rule's users whose events count nowhere: once, with the first counts. */
static void add_untraced(const struct session *session, struct control_part *part,
			 struct json_object *answer)
{
	struct json_object *list = untraced_list(session);
	size_t length;

	json_object_to_json_string_length(list, JSON_C_TO_STRING_PLAIN, &length);
	part->bytes += length;
	control_add_number(answer, "not_traced", untraced_total(session));
	json_object_object_add(answer, "untraced", list);
}

/* From the first key on that is `from` or greater. */
static void answer_counts(struct control_client *client, const struct session *session,
			  const struct map_counts *counts, uint64_t from)
{
	struct json_object *answer = json_object_new_object();
	struct control_part part = control_part_begin();
	struct ring_totals totals;
	bool more = false;

	part.bytes += 256;
	if (from == 0)
		add_untraced(session, &part, answer);
	for (size_t i = 0; i < counts->nr_counts; i++) {
		if (counts->counts[i].key < from)
			continue;
		if (!control_part_add(&part, describe_count(&counts->counts[i]))) {
			json_object_object_add(answer, "next_key",
					       json_object_new_uint64(counts->counts[i].key));
			more = true;
			break;
		}
	}
	session_read_totals(session, &totals);
	control_add_bool(answer, "signed", map_channel(session)->map->expressions.is_signed);
	control_add_bool(answer, "histogram", map_channel(session)->map->expressions.is_histogram);
	control_add_bool(answer, "sums",
			 map_channel(session)->map->expressions.add != NULL ||
				 map_channel(session)->map->expressions.is_latency);
	control_add_bool(answer, "sums_signed",
			 !map_channel(session)->map->expressions.is_sum_unsigned);
	control_add_bool(answer, "keys",
			 map_channel(session)->map->expressions.nr_keys > 0 ||
				 map_channel(session)->map->expressions.is_latency);
	if (map_channel(session)->map->expressions.is_latency) {
		control_add_bool(answer, "latency", true);
		control_add_number(answer, "no_second", counts->no_second);
		control_add_number(answer, "no_first", counts->no_first);
		control_add_number(answer, "open", counts->open);
	}
	control_add_number(answer, "other", counts->other.count);
	json_object_object_add(answer, "other_sum", json_object_new_uint64(counts->other.sum));
	control_add_number(answer, "lost", totals.discarded);
	control_add_number(answer, "damaged", counts->nr_damaged);
	control_add_number(answer, "unreadable", counts->nr_unreadable);
	control_part_answer_with(client, &part, "counts", more, answer);
}

void control_serve_map_show(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_map(client, request);
	struct map_counts counts;
	uint64_t from = 0;

	if (!session || control_take_number(client, request, "from", UINT64_MAX, &from) != 0)
		return;
	session_look(session);
	if (channel_map_read(map_channel(session), NULL, &counts) != 0) {
		control_refuse(client, "try again", "cannot read map %s: out of memory",
			       session->name);
		return;
	}
	answer_counts(client, session, &counts, from);
	free(counts.counts);
}
