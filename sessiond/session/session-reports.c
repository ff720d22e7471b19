/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-reports.c - a consumer connects and is sent all that it needs; what it reports is taken.
 */
#include "sessiond/session/session-private.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json-message.h"
#include "common/base/log.h"
#include "common/base/name.h"
#include "common/protocol/protocol-control.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "common/base/time.h"
#include "sessiond/consumer/consumer-link.h"
#include "sessiond/quota/quota.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process.h"
#include "sessiond/session/session-consumer.h"
#include "sessiond/storage/saved-state.h"

/* ---- the consumer ------------------------------------------------------------ */

static void replace_text(char **text, const char *by)
{
	free(*text);
	*text = by ? strdup(by) : NULL;
}

void sessions_push(struct sessions *sessions, struct consumer_link *consumer)
{
	struct session *session;
	struct channel *channel;

	cds_list_for_each_entry(session, &sessions->list, node) {
		if (session->consumer != consumer)
			continue;
		session_resume_snapshot(session);
		/* It counts what it writes itself. */
		session->earlier = session->written;
		session->has_consumer = true;
		replace_text(&session->write_error, NULL);
		session_consumer_send_session(session->consumer, session);
		cds_list_for_each_entry(channel, &session->channels, node)
			session_consumer_send_channel(session->consumer, channel);
		session_consumer_send_recording(session->consumer, session,
						session->state == SESSION_ACTIVE);
		session->clear.asked = 0;
		if (session_is_clearing(session))
			session_push_clear(session);
		session_resend_metadata(session, session->state == SESSION_FINISHING);
		session_push_rotation(session);
		session->daemon->kernel_ops->push(session->kernel);
	}
}

/* Runs the timer at once: the awaited state at the end may be reached. */
static void look_soon(struct session *session)
{
	if (session->state != SESSION_FINISHING)
		return;
	sd_event_source_set_time(session->daemon->sessions->timer, 0);
	sd_event_source_set_enabled(session->daemon->sessions->timer, SD_EVENT_ON);
}

/* `status` shows it as long as it lasts; the log is everybody's. */
static void say_unwritten(const struct session *session, const char *error)
{
	struct daemon *daemon = session->daemon;
	const char *tail = strstr(error, PROTOCOL_CONTROL_GOES_ON);
	int length = (int)strlen(error);
	char more[QUOTA_MORE_SIZE];

	/* A recording ends with its program, and nobody can count on its going on. */
	if (tail && daemon->options->private_instance)
		length = (int)(tail - error);
	if (quota_may_say(quota_user(daemon->quota, session->owner), time_now_usec(), more))
		log_warning("session %s: %.*s%s", session->name, length, error, more);
}

void session_take_written(struct session *session, const struct session_written *written,
			  uint64_t cleared, const char *error, const char *moved)
{
	session->written.generation = written->generation;
	session->written.events = written->events;
	if (session_take_cleared(session, cleared, error)) {
		session->written.on_disk = session->earlier.on_disk + written->events;
		session->written.packets = session->earlier.packets + written->packets;
		session->written.bytes = session->earlier.bytes + written->bytes;
		session->written.streams = session->earlier.streams + written->streams;
		session->written.overwritten = written->overwritten;
		session->written.broken = session->earlier.broken + written->broken;
		session_note_written(session);
		session_check_size(session);
	}
	if (error && (!session->write_error || strcmp(error, session->write_error) != 0))
		say_unwritten(session, error);
	replace_text(&session->write_error, error);
	replace_text(&session->moved, moved);
	look_soon(session);
}

void session_take_broken(const struct session *session, const struct session_broken *broken)
{
	if (broken->pid)
		message_of(session->key,
			   "session %s: %s (process %u, user %u) writes what no reader could read, "
			   "which is left out of the trace: stream %s, %s",
			   session->name, broken->program, broken->pid, broken->uid, broken->stream,
			   broken->why);
	else
		message_of(session->key,
			   "session %s: a process of user %u writes what no reader could read, "
			   "which is left out of the trace: stream %s, %s",
			   session->name, broken->uid, broken->stream, broken->why);
}

void session_take_kernel_written(struct session *session, const struct kernel_written *written,
				 const char *error)
{
	session->daemon->kernel_ops->take_written(session->kernel, written, error);
	look_soon(session);
}

/* ---- messages ------------------------------------------------------------------- */

/* The session of that key, if this consumer serves it; else NULL. */
static struct session *find(const struct consumer_link *link, const char *key)
{
	struct session *session = sessions_find_key(consumer_link_sessions(link), key);

	return session && session->consumer == link ? session : NULL;
}

/* False: `name` is not a kernel domain's. */
static bool take_kernel(const struct consumer_link *link, const char *name,
			const struct session_written *written, uint64_t overwritten,
			const char *error)
{
	const struct kernel_written kernel = {
		.generation = written->generation,
		.packets = written->packets,
		.events = written->events,
		.discarded = overwritten,
		.bytes = written->bytes,
		.streams = written->streams,
	};
	char key[NAME_SESSION_MAX + sizeof(SESSION_KERNEL_SUFFIX)];
	const char *slash = strchr(name, '/');
	struct session *session;

	if (!slash || strcmp(slash, SESSION_KERNEL_SUFFIX) != 0 ||
	    (size_t)(slash - name) >= sizeof(key))
		return false;
	snprintf(key, sizeof(key), "%.*s", (int)(slash - name), name);
	session = find(link, key);
	if (session && session->kernel)
		session_take_kernel_written(session, &kernel, error);
	return true;
}

static const char *take_written(struct consumer_link *link, struct json_object *message)
{
	static const char *const keys[] = { "verb",    "session", "generation",  "packets",
					    "events",  "lapped",  "broken",      "bytes",
					    "streams", "cleared", "overwritten", "error",
					    "moved",   NULL };
	const char *name = "", *error = NULL, *moved = NULL;
	struct session_written written;
	uint64_t overrun; /* the rings know them exactly */
	uint64_t cleared;
	const struct {
		const char *key;
		uint64_t *value;
	} counts[] = {
		{ "generation", &written.generation },   { "packets", &written.packets },
		{ "events", &written.events },           { "lapped", &overrun },
		{ "broken", &written.broken },           { "bytes", &written.bytes },
		{ "streams", &written.streams },         { "cleared", &cleared },
		{ "overwritten", &written.overwritten },
	};
	const char *unknown = json_message_unknown(message, keys);
	struct session *session;

	if (unknown)
		return unknown;
	if (json_message_get_string(message, "session", &name) != 0)
		return "session";
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (json_message_get_uint64(message, counts[i].key, 0, INT64_MAX,
					    counts[i].value) != 0)
			return counts[i].key;
	json_message_get_string(message, "error", &error);
	json_message_get_string(message, "moved", &moved);
	/* It may have been destroyed meanwhile. */
	if (take_kernel(link, name, &written, overrun, error))
		return NULL;
	session = find(link, name);
	if (session)
		session_take_written(session, &written, cleared, error, moved);
	return NULL;
}

static const char *take_broken(struct consumer_link *link, struct json_object *message)
{
	static const char *const keys[] = { "verb", "session", "stream", "program",
					    "pid",  "uid",     "why",    NULL };
	const char *name = "", *unknown = json_message_unknown(message, keys);
	struct session_broken broken;
	struct session *session;
	uint64_t pid, uid;

	if (unknown)
		return unknown;
	if (json_message_get_string(message, "session", &name) != 0)
		return "session";
	if (json_message_get_string(message, "stream", &broken.stream) != 0)
		return "stream";
	if (json_message_get_string(message, "program", &broken.program) != 0)
		return "program";
	if (json_message_get_uint64(message, "pid", 0, UINT32_MAX, &pid) != 0)
		return "pid";
	if (json_message_get_uint64(message, "uid", 0, UINT32_MAX, &uid) != 0)
		return "uid";
	if (json_message_get_string(message, "why", &broken.why) != 0)
		return "why";
	broken.pid = (uint32_t)pid;
	broken.uid = (uint32_t)uid;
	session = sessions_find_key(consumer_link_sessions(link), name);
	if (session)
		session_take_broken(session, &broken);
	return NULL;
}

static const char *take_rotated(struct consumer_link *link, struct json_object *message)
{
	static const char *const keys[] = { "verb",    "session", "chunk", "final",
					    "dropped", "error",   NULL };
	const char *name = "", *error = NULL, *unknown = json_message_unknown(message, keys);
	bool final, dropped;
	struct session *session;
	uint64_t chunk;

	if (unknown)
		return unknown;
	if (json_message_get_string(message, "session", &name) != 0)
		return "session";
	if (json_message_get_uint64(message, "chunk", 0, UINT32_MAX, &chunk) != 0)
		return "chunk";
	if (json_message_get_bool(message, "final", &final) != 0)
		return "final";
	if (json_message_get_bool(message, "dropped", &dropped) != 0)
		return "dropped";
	json_message_get_string(message, "error", &error);
	session = find(link, name);
	if (session)
		session_take_rotated(session, (uint32_t)chunk, final, dropped, error);
	return NULL;
}

static const char *on_message(struct consumer_link *link, const char *verb,
			      struct json_object *message)
{
	if (strcmp(verb, "written") == 0)
		return take_written(link, message);
	if (strcmp(verb, "broken") == 0)
		return take_broken(link, message);
	if (strcmp(verb, "rotated") == 0)
		return take_rotated(link, message);
	return "verb";
}

/* ---- what its process needs ------------------------------------------------------- */

static void describe(const struct session *session, struct consumer_client *client)
{
	*client = (struct consumer_client){
		.name = session->name,
		.key = session->key,
		.output = session_is_taking_snapshot(session) ? session->snapshot.path
							      : session->output,
		.owner = session->owner,
		.record = &session->record->consumer,
		.delivered = __atomic_load_n(&session->totals->rings.delivered, __ATOMIC_RELAXED),
	};
}

static void on_drained(struct sessions *sessions, struct consumer_link *link)
{
	struct session *session;

	cds_list_for_each_entry(session, &sessions->list, node) {
		if (session->metadata_waits) {
			session_consumer_send_metadata(link, session, false);
			return;
		}
	}
}

const struct consumer_ops session_consumer_ops = {
	.describe = describe,
	.connected = sessions_push,
	.drained = on_drained,
	.answered = sessions_reap_soon,
	.take = on_message,
};
