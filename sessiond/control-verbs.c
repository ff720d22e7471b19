/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-verbs.c - what can be asked of the daemon, a function a verb; the
 * table is at the end.
 */
#include "sessiond/control-socket.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/context.h"
#include "common/json-message.h"
#include "common/name.h"
#include "common/protocol-control.h"
#include "sessiond/app-socket.h"
#include "sessiond/channel.h"
#include "sessiond/daemon.h"
#include "sessiond/mediator.h"
#include "sessiond/messages.h"
#include "sessiond/session.h"

#define SESSIONS_MAX 64u

/* ---- members --------------------------------------------------------------- */

/* A string member, or NULL and the request is refused. */
static const char *need_string(struct control_client *client, struct json_object *request,
			       const char *key)
{
	const char *value = NULL;
	int error = json_message_get_string(request, key, &value);

	if (error == 0)
		return value;
	control_refuse(client, "it is a string without NULs", "member '%s' is %s", key,
		       error == -ENOENT ? "missing" : "not a string");
	return NULL;
}

/* 0, or the request is refused. */
static int need_number(struct control_client *client, struct json_object *request, const char *key,
		       uint64_t max, uint64_t *value)
{
	int error = json_message_get_uint64(request, key, 0, max, value);

	if (error)
		control_refuse(client, "it is a whole number, not negative", "member '%s' is %s",
			       key,
			       error == -ENOENT   ? "missing"
			       : error == -ERANGE ? "out of range"
						  : "not a number");
	return error;
}

/* A new session's or channel's name. */
static const char *need_name(struct control_client *client, struct json_object *request,
			     const char *key)
{
	const char *name = need_string(client, request, key);

	if (name && !name_is_session(name)) {
		control_refuse(
			client,
			"a name is 1 to 64 of A-Z a-z 0-9 . _ + - and begins with none of . -",
			"'%.80s' is no name for a %s", name, key);
		return NULL;
	}
	return name;
}

static struct session *need_session(struct control_client *client, struct json_object *request)
{
	const char *name = need_string(client, request, "session");
	struct session *session;

	if (!name)
		return NULL;
	session = sessions_find(control_client_daemon(client)->sessions, name);
	if (!session)
		control_refuse(client, "create it first", "there is no session '%.80s'", name);
	return session;
}

static struct channel *find_channel(struct session *session, const char *name)
{
	struct channel *channel;

	cds_list_for_each_entry(channel, &session->channels, node)
		if (strcmp(channel->name, name) == 0)
			return channel;
	return NULL;
}

/* ---- verbs ----------------------------------------------------------------- */

static void serve_hello(struct control_client *client, struct json_object *request)
{
	struct daemon *daemon = control_client_daemon(client);
	struct json_object *answer;
	uint64_t version;

	if (need_number(client, request, "version", UINT32_MAX, &version) != 0)
		return;
	if (version != PROTOCOL_CONTROL_VERSION) {
		control_refuse(client, "install the command and the daemon of one version",
			       "the command speaks version %llu, this daemon %d",
			       (unsigned long long)version, PROTOCOL_CONTROL_VERSION);
		return;
	}
	answer = json_object_new_object();
	json_object_object_add(answer, "version", json_object_new_int(PROTOCOL_CONTROL_VERSION));
	json_object_object_add(answer, "mediator",
			       json_object_new_string(daemon->mediator_ops->name));
	json_object_object_add(answer, "clock", json_object_new_string(clock_name(daemon->clock)));
	control_answer(client, answer);
}

static void serve_consumer(struct control_client *client, struct json_object *request)
{
	uint64_t version;

	if (need_number(client, request, "version", UINT32_MAX, &version) != 0)
		return;
	if (version != PROTOCOL_CONTROL_VERSION)
		control_refuse(client, "install the consumer and the daemon of one version",
			       "the consumer speaks version %llu, this daemon %d",
			       (unsigned long long)version, PROTOCOL_CONTROL_VERSION);
	else
		control_become_consumer(client);
}

static void serve_create(struct control_client *client, struct json_object *request)
{
	struct sessions *sessions = control_client_daemon(client)->sessions;
	const char *name = need_name(client, request, "session");
	const char *output;
	struct session *session;
	unsigned int count = 0;
	int error;

	if (!name)
		return;
	output = need_string(client, request, "output");
	if (!output)
		return;
	if (output[0] != '/' || strlen(output) >= PATH_MAX) {
		control_refuse(client, "give the directory's absolute path",
			       "session %s cannot write to '%.200s'", name, output);
		return;
	}
	cds_list_for_each_entry(session, sessions_list(sessions), node)
		count++;
	if (count >= SESSIONS_MAX) {
		control_refuse(client, "destroy one that is not needed",
			       "there are %u sessions already", count);
		return;
	}
	error = session_create(sessions, name, output, &session);
	if (error == -EEXIST)
		control_refuse(client, "use another name, or destroy it first",
			       "there is a session '%s' already", name);
	else if (error)
		control_refuse(client, "see the daemon's messages", "cannot create session %s: %s",
			       name, strerror(-error));
	else
		control_answer(client, NULL);
}

/* The optional member "contexts", an array of names. */
static int take_contexts(struct control_client *client, struct json_object *request,
			 uint64_t *contexts)
{
	struct json_object *names;

	*contexts = 0;
	if (!json_object_object_get_ex(request, "contexts", &names))
		return 0;
	if (!json_object_is_type(names, json_type_array)) {
		control_refuse(client, "give a list of names",
			       "member 'contexts' is not an array");
		return -EINVAL;
	}
	for (size_t i = 0; i < json_object_array_length(names); i++) {
		struct json_object *item = json_object_array_get_idx(names, i);
		int context = json_object_is_type(item, json_type_string) ?
				      context_find(json_object_get_string(item)) :
				      -EINVAL;

		if (context < 0) {
			control_refuse(client, "lttngmap-record(1) lists them",
				       "there is no context '%.80s'", json_object_get_string(item));
			return context;
		}
		*contexts |= UINT64_C(1) << context;
	}
	return 0;
}


/* 0, or the request is refused. */
static int take_channel_config(struct control_client *client, struct json_object *request,
			       struct channel_config *config)
{
	uint64_t timeout = 0;
	const char *mode;
	int error;

	if (need_number(client, request, "subbuf_size", INT64_MAX, &config->subbuf_size) != 0 ||
	    need_number(client, request, "subbufs", INT64_MAX, &config->subbufs) != 0)
		return -EINVAL;
	mode = need_string(client, request, "mode");
	if (!mode)
		return -EINVAL;
	if (channel_mode_parse(mode, &config->mode) != 0) {
		control_refuse(client, "it is discard, overwrite or blocking",
			       "there is no mode '%.80s'", mode);
		return -EINVAL;
	}
	error = json_message_get_uint64(request, "blocking_timeout_ms", 0, UINT32_MAX, &timeout);
	if (error && error != -ENOENT) {
		control_refuse(client, "it is a number of milliseconds; 0 is no limit",
			       "member 'blocking_timeout_ms' is no such number");
		return error;
	}
	config->blocking_timeout_ms = (uint32_t)timeout;
	return take_contexts(client, request, &config->contexts);
}

static void serve_channel(struct control_client *client, struct json_object *request)
{
	struct session *session = need_session(client, request);
	char why[CHANNEL_WHY_SIZE], hint[CHANNEL_WHY_SIZE];
	struct channel_config config;
	struct channel *channel;

	if (!session)
		return;
	config.name = need_name(client, request, "channel");
	if (!config.name || take_channel_config(client, request, &config) != 0)
		return;
	if (find_channel(session, config.name)) {
		control_refuse(client, "use another name", "session %s has a channel '%s' already",
			       session->name, config.name);
		return;
	}
	if (session->state == SESSION_DRAINING || session->state == SESSION_FINISHING) {
		control_refuse(client, "try again when it has stopped",
			       "session %s is being stopped", session->name);
		return;
	}
	if (session->nr_streams >= LTTNGMAP_CHANNELS) {
		control_refuse(client, "use another session", "session %s has had %u channels",
			       session->name, session->nr_streams);
		return;
	}
	if (session_add_channel(session, &config, &channel, why, hint) != 0)
		control_refuse(client, hint, "cannot make channel %s: %s", config.name, why);
	else
		control_answer(client, NULL);
}

static void serve_enable(struct control_client *client, struct json_object *request)
{
	struct session *session = need_session(client, request);
	const char *name, *rule;
	struct channel *channel;
	char why[256];
	int error;

	if (!session)
		return;
	name = need_string(client, request, "channel");
	if (!name)
		return;
	channel = find_channel(session, name);
	if (!channel) {
		control_refuse(client, "make it first", "session %s has no channel '%.80s'",
			       session->name, name);
		return;
	}
	rule = need_string(client, request, "rule");
	if (!rule)
		return;
	snprintf(why, sizeof(why), "out of memory");
	error = session_enable(channel, rule, why, sizeof(why));
	if (error == -ENOSPC)
		control_refuse(client, "join rules by commas, or use '*'",
			       "channel %s has %u rules already", name, RULE_LIST_MAX);
	else if (error)
		control_refuse(client, "a rule is PROVIDER:NAME, and * stands for anything in it",
			       "cannot enable '%.100s': %s", rule, why);
	else
		control_answer(client, NULL);
}

static void serve_start(struct control_client *client, struct json_object *request)
{
	struct session *session = need_session(client, request);

	if (!session)
		return;
	if (session->state == SESSION_ACTIVE) {
		control_refuse(client, "stop it first", "session %s is started already",
			       session->name);
	} else if (session->state != SESSION_IDLE) {
		control_refuse(client, "try again when it has stopped",
			       "session %s is being stopped", session->name);
	} else if (cds_list_empty(&session->channels)) {
		control_refuse(client, "make a channel in it first", "session %s has no channel",
			       session->name);
	} else {
		session_start(session);
		control_answer(client, NULL);
	}
}

static void on_stopped(struct session *session, void *data, const char *error, const char *hint)
{
	struct control_client *client = data;

	if (error)
		control_refuse(client, hint, "session %s: %s", session->name, error);
	else
		control_answer(client, NULL);
}

static void serve_stop(struct control_client *client, struct json_object *request)
{
	struct session *session = need_session(client, request);

	if (!session)
		return;
	if (session->state == SESSION_ACTIVE)
		session_stop(session, on_stopped, client);
	else if (session->state == SESSION_IDLE)
		control_refuse(client, "start it first", "session %s is not started",
			       session->name);
	else
		control_refuse(client, "wait for the stop that was asked for before",
			       "session %s is being stopped already", session->name);
}

static void on_stopped_destroy(struct session *session, void *data, const char *error,
			       const char *hint)
{
	on_stopped(session, data, error, hint);
	session_destroy(session);
}

static void serve_destroy(struct control_client *client, struct json_object *request)
{
	struct session *session = need_session(client, request);

	if (!session)
		return;
	if (session->state == SESSION_ACTIVE) {
		session_stop(session, on_stopped_destroy, client);
	} else if (session->state == SESSION_IDLE) {
		session_destroy(session);
		control_answer(client, NULL);
	} else {
		control_refuse(client, "try again when it has stopped",
			       "session %s is being stopped", session->name);
	}
}

static void add_message(const char *message, void *data)
{
	json_object_array_add(data, json_object_new_string(message));
}

static void add_number(struct json_object *answer, const char *key, uint64_t value)
{
	json_object_object_add(
		answer, key, json_object_new_int64(value > INT64_MAX ? INT64_MAX : (int64_t)value));
}

static void serve_status(struct control_client *client, struct json_object *request)
{
	struct session *session = need_session(client, request);
	struct json_object *answer, *messages;
	struct ring_totals totals;

	if (!session)
		return;
	session_read_totals(session, &totals);
	answer = json_object_new_object();
	json_object_object_add(answer, "active",
			       json_object_new_boolean(session->state == SESSION_ACTIVE));
	add_number(answer, "processes", session->processes);
	add_number(answer, "alive", session_alive(session));
	add_number(answer, "refused", app_socket_refused(control_client_daemon(client)->app));
	messages = json_object_new_array();
	messages_take(add_message, messages);
	json_object_object_add(answer, "messages", messages);
	add_number(answer, "written", totals.written);
	add_number(answer, "kept", session->has_consumer ? totals.delivered : 0);
	add_number(answer, "discarded", totals.discarded);
	add_number(answer, "overwritten", totals.overwritten);
	add_number(answer, "packets", session->written.packets);
	add_number(answer, "bytes", session->written.bytes);
	add_number(answer, "streams", session->written.streams);
	control_answer(client, answer);
}

/* ---- the table --------------------------------------------------------------- */

#define MEMBERS(...) ((const char *const[]){ "verb", __VA_ARGS__ NULL })

const struct control_verb control_verbs[] = {
	{ "hello", MEMBERS("version", ), serve_hello },
	{ "consumer", MEMBERS("version", ), serve_consumer },
	{ "create", MEMBERS("session", "output", ), serve_create },
	{ "channel",
	  MEMBERS("session", "channel", "subbuf_size", "subbufs", "mode", "blocking_timeout_ms",
	          "contexts", ),
	  serve_channel },
	{ "enable", MEMBERS("session", "channel", "rule", ), serve_enable },
	{ "start", MEMBERS("session", ), serve_start },
	{ "stop", MEMBERS("session", ), serve_stop },
	{ "destroy", MEMBERS("session", ), serve_destroy },
	{ "status", MEMBERS("session", ), serve_status },
	{ NULL, NULL, NULL },
};
