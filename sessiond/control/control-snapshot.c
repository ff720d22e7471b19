/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-snapshot.c - the verb `snapshot`.
 */
#include "sessiond/control/control-verbs.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "sessiond/base/parts.h"
#include "sessiond/class/metadata.h"
#include "sessiond/consumer/consumer-link.h"
#include "sessiond/control/control-args.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/session.h"

static void on_taken(struct session *session, void *data, const char *error, const char *hint)
{
	struct control_client *client = data;
	struct json_object *answer;

	if (error) {
		control_refuse(client, hint, "session %s: %s: %s", session->name, error,
			       session->snapshot.path);
		return;
	}
	answer = json_object_new_object();
	control_add_string(answer, "output", session->snapshot.path);
	control_add_number(answer, "number", session->snapshot.count);
	control_add_number(answer, "created", metadata_created(session->metadata) / 1000000000);
	if (session->url)
		control_add_string(answer, "url", session->url);
	control_add_bool(answer, "is_spool", session->spool && session->snapshot.is_default);
	control_add_number(answer, "events", session->written.events);
	control_add_number(answer, "bytes", session->written.bytes);
	control_add_number(answer, "least", session->snapshot.least);
	control_answer(client, answer);
}

static bool has_process_channels(const struct session *session)
{
	struct channel *channel;

	cds_list_for_each_entry(channel, &session->channels, node)
		if (!cds_list_empty(&channel->process_channels))
			return true;
	return false;
}

void control_serve_snapshot(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_session(client, request);
	const char *output = NULL;
	uint64_t max_size = 0;

	if (!session || control_take_string(client, request, "output", &output) != 0 ||
	    control_take_number(client, request, "max_size", INT64_MAX, &max_size) != 0)
		return;
	if (!session->is_flight_recorder)
		control_refuse(client, "create one with `create --snapshot`",
			       "session %s is not a flight recorder", session->name);
	else if (output && (output[0] != '/' || strlen(output) >= PATH_MAX))
		control_refuse(client, "give the directory's absolute path",
			       "no snapshot can be written to '%.200s'", output);
	else if (session_is_taking_snapshot(session))
		control_refuse(client, "wait for that",
			       "a snapshot of session %s is being taken already", session->name);
	else if (session_is_clearing(session))
		control_refuse(client, "try again when that is done", "session %s is being cleared",
			       session->name);
	else if (!has_process_channels(session))
		control_refuse(client, "start it, and a program with matching events",
			       "session %s has nothing yet", session->name);
	else if (!consumer_link_expected(session->consumer))
		control_refuse(client, "start the daemon with a consumer",
			       "session %s is not written anywhere", session->name);
	else
		session_take_snapshot(session, output, max_size, on_taken, client);
}
