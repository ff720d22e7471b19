/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/control/control-args.h"

#include <errno.h>
#include <string.h>

#include "common/base/json-message.h"
#include "common/base/name.h"
#include "sessiond/base/parts.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/session.h"

static int refuse_string(struct control_client *client, const char *key, int error)
{
	control_refuse(client, "it is a string without NULs", "member '%s' is %s", key,
		       error == -ENOENT ? "missing" : "not a string");
	return error;
}

static int refuse_number(struct control_client *client, const char *key, int error)
{
	control_refuse(client, "it is a whole number, not negative", "member '%s' is %s", key,
		       error == -ENOENT   ? "missing"
		       : error == -ERANGE ? "out of range"
					  : "not a number");
	return error;
}

const char *control_need_string(struct control_client *client, struct json_object *request,
				const char *key)
{
	const char *value = NULL;
	int error = json_message_get_string(request, key, &value);

	if (error)
		refuse_string(client, key, error);
	return value;
}

const char *control_need_name(struct control_client *client, struct json_object *request,
			      const char *key)
{
	const char *name = control_need_string(client, request, key);

	if (name && !name_is_session(name)) {
		control_refuse(
			client,
			"a name is 1 to 64 of A-Z a-z 0-9 . _ + - and begins with none of . -",
			"'%.80s' is no name for a %s", name, key);
		return NULL;
	}
	return name;
}

int control_need_number(struct control_client *client, struct json_object *request, const char *key,
			uint64_t max, uint64_t *value)
{
	int error = json_message_get_uint64(request, key, 0, max, value);

	return error ? refuse_number(client, key, error) : 0;
}

int control_take_string(struct control_client *client, struct json_object *request, const char *key,
			const char **value)
{
	int error = json_message_get_string(request, key, value);

	return error && error != -ENOENT ? refuse_string(client, key, error) : 0;
}

int control_take_number(struct control_client *client, struct json_object *request, const char *key,
			uint64_t max, uint64_t *value)
{
	int error = json_message_get_uint64(request, key, 0, max, value);

	return error && error != -ENOENT ? refuse_number(client, key, error) : 0;
}

int control_take_bool(struct control_client *client, struct json_object *request, const char *key,
		      bool *value)
{
	int error = json_message_get_bool(request, key, value);

	if (error == 0 || error == -ENOENT)
		return 0;
	control_refuse(client, "it is true or false", "member '%s' is not a boolean", key);
	return error;
}

struct session *control_need_session(struct control_client *client, struct json_object *request)
{
	const char *name = control_need_string(client, request, "session");
	struct session *session;

	if (!name)
		return NULL;
	session = sessions_find(control_client_daemon(client)->sessions, name,
				control_client_peer(client)->uid);
	if (!session)
		control_refuse(client, "create it first", "there is no session '%.80s'", name);
	return session;
}

struct session *control_need_idle(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_session(client, request);

	if (!session || session->state == SESSION_IDLE)
		return session;
	if (session->state == SESSION_ACTIVE)
		control_refuse(client, "stop it first", "session %s is started", session->name);
	else
		control_refuse(client, "try again when it has stopped",
			       "session %s is being stopped", session->name);
	return NULL;
}

struct channel *control_find_channel(struct session *session, const char *name)
{
	struct channel *channel;

	cds_list_for_each_entry(channel, &session->channels, node)
		if (strcmp(channel->name, name) == 0)
			return channel;
	return NULL;
}

struct channel *control_need_channel(struct control_client *client, struct session *session,
				     struct json_object *request)
{
	const char *name = control_need_string(client, request, "channel");
	struct channel *channel;

	if (!name)
		return NULL;
	channel = control_find_channel(session, name);
	if (!channel)
		control_refuse(client, "make it first", "session %s has no channel '%.80s'",
			       session->name, name);
	return channel;
}

void control_add_number(struct json_object *answer, const char *key, uint64_t value)
{
	json_object_object_add(
		answer, key, json_object_new_int64(value > INT64_MAX ? INT64_MAX : (int64_t)value));
}

void control_add_string(struct json_object *answer, const char *key, const char *value)
{
	json_object_object_add(answer, key, json_object_new_string(value));
}

void control_add_bool(struct json_object *answer, const char *key, bool value)
{
	json_object_object_add(answer, key, json_object_new_boolean(value));
}
