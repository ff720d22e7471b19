/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-rotation.c - the verbs about chunks: rotate now, rotate regularly.
 */
#include "sessiond/control/control-verbs.h"

#include <string.h>

#include "sessiond/base/parts.h"
#include "sessiond/control/control-args.h"
#include "sessiond/session/session.h"

/* A shorter period would be over before a chunk is complete. */
#define PERIOD_MIN_MS 100u
#define PERIOD_MAX_MS (UINT64_C(366) * 24 * 3600 * 1000)

static bool may_have_chunks(struct control_client *client, const struct session *session)
{
	if (session->is_flight_recorder)
		control_refuse(client, "use `snapshot`",
			       "session %s is a flight recorder: there is nothing to rotate",
			       session->name);
	else if (session_is_live(session))
		control_refuse(client, "destroy it, and make another session",
			       "session %s is watched from a collector, which takes no chunks then",
			       session->name);
	else
		return control_lacks_kernel(client, session, "rotated");
	return false;
}

static void on_rotated(struct session *session, void *data, const char *error, const char *hint)
{
	struct control_client *client = data;
	struct json_object *answer;
	char path[PATH_MAX];

	if (error) {
		control_refuse(client, hint, "session %s: %s", session->name, error);
		return;
	}
	session_chunk_path(session, path);
	answer = json_object_new_object();
	control_add_string(answer, "chunk", path);
	control_answer(client, answer);
}

void control_serve_rotate(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_session(client, request);

	if (!session || !may_have_chunks(client, session))
		return;
	if (session->state == SESSION_IDLE && !session->rotation.has_begun)
		control_refuse(client, "start it first",
			       "session %s has recorded nothing since its last chunk",
			       session->name);
	else if (session->state != SESSION_IDLE && session->state != SESSION_ACTIVE)
		control_refuse(client, "try again when it has stopped",
			       "session %s is being stopped", session->name);
	else if (session_is_rotating(session))
		control_refuse(client, "wait for that", "session %s is being rotated already",
			       session->name);
	else if (session_is_clearing(session))
		control_refuse(client, "try again when that is done", "session %s is being cleared",
			       session->name);
	else if (!session->has_consumer)
		control_refuse(client, "start the daemon with a consumer",
			       "session %s is not written anywhere", session->name);
	else
		session_rotate(session, on_rotated, client);
}

void control_serve_rotation(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_session(client, request);
	uint64_t period_ms, size;
	int error;

	if (!session || !may_have_chunks(client, session) ||
	    control_need_number(client, request, "period_ms", PERIOD_MAX_MS, &period_ms) != 0 ||
	    control_need_number(client, request, "size", INT64_MAX, &size) != 0)
		return;
	if (period_ms != 0 && period_ms < PERIOD_MIN_MS) {
		control_refuse(client, "give 100 ms or more, or 0",
			       "a session cannot be rotated every %u ms", (unsigned int)period_ms);
		return;
	}
	error = session_rotate_regularly(session, period_ms, size);
	if (error)
		control_refuse(client, "try again", "cannot rotate session %s: %s", session->name,
			       strerror(-error));
	else
		control_answer(client, NULL);
}
