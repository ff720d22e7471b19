/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-trigger.c - the verbs about triggers (doc/design/triggers.md): each is a session of its
 * own, whose names are apart from those of sessions and maps.
 */
#include "sessiond/control/control-verbs.h"

#include <errno.h>
#include <string.h>

#include "common/base/time.h"
#include "common/protocol/protocol-control.h"
#include "sessiond/base/parts.h"
#include "sessiond/control/control-args.h"
#include "sessiond/control/control-part.h"
#include "sessiond/filter/filter.h"
#include "sessiond/session/channel-map.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/session.h"
#include "sessiond/storage/saved-state.h"
#include "sessiond/trigger/trigger.h"

/* A trigger that captures nothing has one key. */
#define KEYS_CAPTURED 4096u
/* Rounds in one answer, at most. Their numbers tell which are left out. */
#define ROUNDS_MAX 16u

static struct session *need_trigger(struct control_client *client, struct json_object *request)
{
	const char *name = control_need_string(client, request, "trigger");
	struct session *session;

	if (!name)
		return NULL;
	session = sessions_find_trigger(control_client_daemon(client)->sessions, name,
					control_client_peer(client)->uid);
	if (!session)
		control_refuse(client, "`lttngmap trigger list` has those that there are",
			       "there is no trigger '%.80s'", name);
	return session;
}

/* The channel of one on events; NULL: it has none. */
static struct channel *channel_of(const struct session *session)
{
	return session->channels.next == &session->channels
		       ? NULL
		       : cds_list_entry(session->channels.next, struct channel, node);
}

/* ---- making ----------------------------------------------------------------------- */

/* Is everything there that it names? If not, the request is refused. */
static bool check_names(struct control_client *client, const struct trigger_config *config)
{
	struct sessions *sessions = control_client_daemon(client)->sessions;
	const uint32_t uid = control_client_peer(client)->uid;

	if (config->condition == TRIGGER_COUNT && !sessions_find_map(sessions, config->of, uid)) {
		control_refuse(client, "`lttngmap map add` makes one", "there is no map '%s'",
			       config->of);
		return false;
	}
	if (config->of[0] && config->condition != TRIGGER_COUNT &&
	    !sessions_find(sessions, config->of, uid)) {
		control_refuse(client, "`lttngmap create` makes one", "there is no session '%s'",
			       config->of);
		return false;
	}
	for (uint32_t i = 0; i < config->nr_actions; i++) {
		const struct trigger_action *action = &config->actions[i];
		const struct session *session = sessions_find(sessions, action->session, uid);

		if (action->kind == TRIGGER_NOTIFY)
			continue;
		if (!session) {
			control_refuse(client, "`lttngmap create` makes one",
				       "there is no session '%s'", action->session);
			return false;
		}
		if (action->kind == TRIGGER_SNAPSHOT && !session->is_flight_recorder) {
			control_refuse(client, "create one with `create --snapshot`",
				       "session %s is not a flight recorder", action->session);
			return false;
		}
	}
	return true;
}

/* The trigger is taken. NULL: the request is refused. */
static struct session *make_session(struct control_client *client, const char *name,
				    struct trigger *trigger)
{
	const struct ucred *peer = control_client_peer(client);
	const struct session_config config = {
		.name = name,
		.output = "/",
		.owner = peer->uid,
		.group = peer->gid,
		.is_flight_recorder = true,
		.is_map = true,
		.trigger = trigger,
	};
	struct session *session = NULL;
	int error = control_may_create(client) ? 0 : -EPERM;

	if (error) {
		trigger_destroy(trigger);
		return NULL;
	}
	error = session_create(control_client_daemon(client)->sessions, &config, &session);
	if (error) {
		trigger_destroy(trigger);
	} else {
		error = trigger_begin(session);
		if (error)
			session_destroy(session);
	}
	if (error == -EEXIST)
		control_refuse_already(client, "use another name, or remove it first",
				       "there is a trigger '%s' already", name);
	else if (error)
		control_refuse(client, "see the daemon's messages", "cannot make trigger %s: %s",
			       name, strerror(-error));
	return error ? NULL : session;
}

void control_serve_trigger_add(struct control_client *client, struct json_object *request)
{
	struct channel_map_config expressions = { .by = NULL };
	struct trigger_config config;
	struct rule_config rule = { .patterns = NULL };
	struct trigger *trigger;
	struct session *session;
	const char *name = control_need_name(client, request, "trigger");
	const char *wrong;

	if (!name)
		return;
	wrong = trigger_config_read(request, &config);
	if (wrong) {
		control_refuse(client, "lttngmap-trigger(1) has them all", "%s", wrong);
		return;
	}
	if (control_take_string(client, request, "capture", &expressions.by) != 0 ||
	    (config.condition == TRIGGER_EVENT && control_take_rule(client, request, &rule) != 0) ||
	    !check_names(client, &config))
		return;
	if (trigger_create(&config, &trigger) != 0) {
		control_refuse(client, "try again", "cannot make trigger %s: out of memory", name);
		return;
	}
	session = make_session(client, name, trigger);
	if (!session)
		return;
	if (config.condition == TRIGGER_EVENT) {
		control_begin_map(client, session, &expressions,
				  expressions.by ? KEYS_CAPTURED : PROTOCOL_CONTROL_KEYS_MIN, &rule,
				  NULL);
	} else {
		session_start(session);
		control_answer(client, NULL);
	}
}

void control_serve_trigger_remove(struct control_client *client, struct json_object *request)
{
	struct session *session = need_trigger(client, request);

	if (!session)
		return;
	session_destroy(session);
	control_answer(client, NULL);
}

/* ---- telling ----------------------------------------------------------------------- */

static void describe_rule(struct json_object *object, const struct channel *channel)
{
	const struct rule_entry *rule = channel->rules.entries[0];
	struct channel_map_config config;

	channel_map_get_config(channel->map, &config);
	control_add_string(object, "rule", rule_text(rule->patterns));
	if (rule->exclude)
		control_add_string(object, "exclude", rule_text(rule->exclude));
	if (rule->filter)
		control_add_string(object, "filter", filter_expression_text(rule->filter));
	if (config.by)
		control_add_string(object, "capture", config.by);
}

static struct json_object *describe(struct session *session, uint32_t uid)
{
	const struct saved_trigger *record = &session->record->trigger;
	uint64_t muted_until = trigger_muted_until(session->trigger), now = time_now_usec();
	const char *problem = trigger_problem(session->trigger);
	struct json_object *object = json_object_new_object();
	const struct channel *channel = channel_of(session);
	char name[NAME_SESSION_MAX + 16];
	struct ring_totals totals;

	control_add_string(object, "trigger", session_name_for(session, uid, name, sizeof(name)));
	trigger_config_write(trigger_config(session->trigger), object);
	if (channel) {
		describe_rule(object, channel);
		control_add_number(object, "events", trigger_events(session));
		session_look(session);
		session_read_totals(session, &totals);
		control_add_number(object, "lost", totals.discarded);
		control_add_number(object, "processes", session_alive(session));
	}
	control_add_number(object, "rounds", record->rounds);
	control_add_number(object, "missed", record->missed);
	control_add_number(object, "failed", record->failed);
	if (problem)
		control_add_string(object, "problem", problem);
	if (trigger_is_busy(session->trigger))
		control_add_bool(object, "under_way", true);
	if (muted_until == UINT64_MAX)
		control_add_bool(object, "spent", true);
	else if (muted_until > now)
		control_add_number(object, "muted_ms", (muted_until - now) / 1000);
	return object;
}

static bool is_trigger(const struct session *session)
{
	return session->trigger;
}

void control_serve_trigger_list(struct control_client *client, struct json_object *request)
{
	control_part_sessions(client, request, "triggers", is_trigger, describe);
}

/* ---- waiting ------------------------------------------------------------------------ */

static struct json_object *describe_round(const struct session *session,
					  const struct trigger_round *round)
{
	const struct channel *channel = channel_of(session);
	const bool is_signed = channel && channel->map->expressions.is_signed;
	struct json_object *object = json_object_new_object();
	struct json_object *values = json_object_new_array();

	control_add_number(object, "round", round->number);
	control_add_number(object, "time_ms", round->time_ms);
	if (channel)
		control_add_number(object, "events", round->events);
	else
		control_add_number(object, "value", round->value);
	for (uint32_t i = 0; i < round->nr_values; i++) {
		struct json_object *pair = json_object_new_array();
		const struct trigger_value *value = &round->values[i];

		json_object_array_add(pair, value->has_text
						    ? control_describe_text(value->text, value->key)
					    : is_signed ? json_object_new_int64((int64_t)value->key)
							: json_object_new_uint64(value->key));
		json_object_array_add(pair, json_object_new_uint64(value->events));
		json_object_array_add(values, pair);
	}
	json_object_object_add(object, "captured", values);
	control_add_number(object, "others", round->others);
	return object;
}

/* The rounds after `after`. */
static void answer_rounds(struct control_client *client, const struct session *session,
			  uint64_t after)
{
	struct json_object *answer = json_object_new_object();
	struct json_object *rounds = json_object_new_array();
	uint64_t last = session->record->trigger.rounds;
	uint64_t from = last - after > ROUNDS_MAX ? last - ROUNDS_MAX : after;

	for (uint64_t number = from + 1; number <= last; number++) {
		const struct trigger_round *round = trigger_round(session->trigger, number);

		if (round)
			json_object_array_add(rounds, describe_round(session, round));
	}
	control_add_number(answer, "last", last);
	json_object_object_add(answer, "rounds", rounds);
	control_answer(client, answer);
}

static void on_round(struct session *session, void *data, bool is_removed)
{
	if (is_removed)
		control_refuse(data, "make it again", "trigger %s was removed", session->name);
	else
		answer_rounds(data, session, session->record->trigger.rounds - 1);
}

void control_serve_trigger_wait(struct control_client *client, struct json_object *request)
{
	struct session *session = need_trigger(client, request);
	uint64_t after = UINT64_MAX;

	if (!session || control_take_number(client, request, "after", INT64_MAX, &after) != 0)
		return;
	if (after < session->record->trigger.rounds)
		answer_rounds(client, session, after);
	else if (trigger_muted_until(session->trigger) == UINT64_MAX)
		control_refuse(client, "remove it, and make it again",
			       "trigger %s has done what it was to do: no round comes any more",
			       session->name);
	else if (trigger_wait(session, on_round, client) != 0)
		control_refuse(client, "try again", "cannot wait for trigger %s: out of memory",
			       session->name);
}
