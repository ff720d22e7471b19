/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-usage.c - the verbs for who watches: what each session has come to, how each
 * ring stands, and who the daemons are.
 */
#include "common/base/time.h"

#include <stdlib.h>
#include <unistd.h>

#include "sessiond/app/app-socket.h"
#include "sessiond/base/parts.h"
#include "sessiond/consumer/consumer-link.h"
#include "sessiond/control/control-args.h"
#include "sessiond/control/control-part.h"
#include "sessiond/control/control-verbs.h"
#include "sessiond/ring/ring-set.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process-channel.h"
#include "sessiond/session/process.h"
#include "sessiond/session/session.h"
#include "sessiond/storage/saved-state.h"

/* Where we are in a list over several messages. */
struct progress {
	struct control_client *client;
	struct control_part part;
	uint64_t from, at, next;
};

/* 0, or the request is refused. */
static int begin(struct progress *progress, struct control_client *client,
		 struct json_object *request)
{
	*progress = (struct progress){ .client = client };
	if (control_take_number(client, request, "from", UINT32_MAX, &progress->from) != 0)
		return -1;
	progress->part = control_part_begin();
	return 0;
}

/* False: the rest is for the next message. An item that fills a message by itself is left out. */
static bool put(struct progress *progress, struct json_object *item)
{
	bool is_first = json_object_array_length(progress->part.array) == 0;

	if (control_part_add(&progress->part, item) || is_first)
		return true;
	progress->next = progress->at - 1;
	return false;
}

/* ---- sessions -------------------------------------------------------------------- */

static struct json_object *describe(struct session *session, uint32_t uid)
{
	struct json_object *object = json_object_new_object();
	char name[NAME_SESSION_MAX + 16];

	control_add_string(object, "session", session_name_for(session, uid, name, sizeof(name)));
	control_add_number(object, "owner", session->owner);
	control_add_string(object, "output", session->output);
	control_add_number(object, "consumer", (uint64_t)consumer_link_pid(session->consumer));
	control_add_counts(object, session);
	if (session_trouble(session))
		control_add_string(object, "error", session_trouble(session));
	return object;
}

static uint64_t restarts(const struct saved_head *head)
{
	return head->lives > 1 ? head->lives - 1 : 0;
}

void control_serve_usage(struct control_client *client, struct json_object *request)
{
	struct daemon *daemon = control_client_daemon(client);
	uint32_t uid = control_client_peer(client)->uid;
	struct json_object *answer;
	struct progress progress;
	struct session *session;

	if (begin(&progress, client, request) != 0)
		return;
	cds_list_for_each_entry(session, sessions_list(daemon->sessions), node) {
		if (session->is_map || !session_is_for(session, uid) ||
		    progress.at++ < progress.from)
			continue;
		session_look(session);
		if (!put(&progress, describe(session, uid)))
			break;
	}
	answer = json_object_new_object();
	control_add_number(answer, "now_us", time_now_usec());
	control_add_number(answer, "pid", (uint64_t)getpid());
	control_add_number(answer, "consumer", (uint64_t)consumers_pid(daemon->consumers));
	control_add_number(answer, "processes", processes_count(daemon->processes));
	control_add_number(answer, "refused", app_socket_refused(daemon->app));
	control_add_number(answer, "restarts", restarts(daemon->saved_state->head));
	control_part_answer_with(client, &progress.part, "sessions", progress.next, answer);
}

/* ---- rings ----------------------------------------------------------------------- */

/* NULL without memory. */
static struct json_object *measure(struct session *session, struct channel *channel,
				   struct process_channel *process_channel, uint32_t uid)
{
	uint32_t rings = ring_set_rings(process_channel->set);
	uint64_t *unread = calloc(rings, sizeof(*unread));
	struct json_object *object, *array;
	char name[NAME_SESSION_MAX + 16];
	struct ring_set_usage usage;

	if (!unread)
		return NULL;
	ring_set_measure(process_channel->set, &usage, unread);
	object = json_object_new_object();
	control_add_string(object, "session", session_name_for(session, uid, name, sizeof(name)));
	control_add_string(object, "channel", channel->name);
	control_add_number(object, "pid", channel->shared ? 0 : usage.pid);
	control_add_number(object, "uid", usage.uid);
	control_add_string(object, "name", usage.procname);
	control_add_bool(object, "alive", process_channel->process != NULL);
	control_add_number(object, "written", usage.all.written);
	control_add_number(object, "discarded", usage.all.discarded);
	control_add_number(object, "overwritten", usage.all.overwritten);
	control_add_number(object, "ring_size", usage.ring_size);
	array = json_object_new_array();
	for (uint32_t i = 0; i < rings; i++)
		json_object_array_add(array, json_object_new_uint64(unread[i]));
	json_object_object_add(object, "unread", array);
	free(unread);
	return object;
}

/* False: the message is full. */
static bool put_session(struct progress *progress, struct session *session, uint32_t uid)
{
	struct channel *channel;
	struct process_channel *process_channel;

	cds_list_for_each_entry(channel, &session->channels, node) {
		cds_list_for_each_entry(process_channel, &channel->process_channels, node) {
			struct json_object *object;

			if (progress->at++ < progress->from)
				continue;
			object = measure(session, channel, process_channel, uid);
			if (object && !put(progress, object))
				return false;
		}
	}
	return true;
}

void control_serve_rings(struct control_client *client, struct json_object *request)
{
	struct daemon *daemon = control_client_daemon(client);
	uint32_t uid = control_client_peer(client)->uid;
	struct json_object *answer;
	struct progress progress;
	struct session *session;

	if (begin(&progress, client, request) != 0)
		return;
	cds_list_for_each_entry(session, sessions_list(daemon->sessions), node)
		if (!session->is_map && session_is_for(session, uid) &&
		    !put_session(&progress, session, uid))
			break;
	answer = json_object_new_object();
	control_add_number(answer, "now_us", time_now_usec());
	control_part_answer_with(client, &progress.part, "rings", progress.next, answer);
}
