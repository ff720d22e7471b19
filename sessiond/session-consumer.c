/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/session-consumer.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/json-message.h"
#include "common/name.h"
#include "common/protocol-control.h"
#include "sessiond/channel.h"
#include "sessiond/consumer-link.h"
#include "sessiond/parts.h"
#include "sessiond/ledger.h"
#include "sessiond/messages.h"
#include "sessiond/metadata.h"
#include "sessiond/session-parts.h"

/* ---- what it is told ----------------------------------------------------------- */

/* Of a flight recorder it knows while a snapshot is taken. */
static bool is_told(const struct consumer_link *link, const struct session *session)
{
	return consumer_link_is_attached(link) && (!session->snapshot || session_is_taking_snapshot(session));
}

static void link_send(struct consumer_link *link, struct json_object *message, int fd)
{
	consumer_link_send(link, message, &fd, fd >= 0 ? 1 : 0);
}

static struct json_object *make_event(const char *event, const struct session *session)
{
	return consumer_link_event(event, session->key);
}

void session_consumer_send_session(struct consumer_link *link, const struct session *session)
{
	const char *output = session->snapshot ? session->shot.path : session->output;
	struct json_object *message;
	char rings[PATH_MAX];

	if (!is_told(link, session))
		return;
	snprintf(rings, sizeof(rings), "%s/%s", session->daemon->rings_dir, session->key);
	message = make_event("session", session);
	json_object_object_add(message, "output", json_object_new_string(output));
	json_object_object_add(message, "rings", json_object_new_string(rings));
	json_object_object_add(message, "uuid", json_object_new_string(session->uuid));
	json_object_object_add(message, "uid", json_object_new_int64(session->owner));
	json_object_object_add(message, "gid", json_object_new_int64(session->group));
	json_object_object_add(message, "chunk",
			       json_object_new_int64(session_chunk_on_disk(session)));
	json_object_object_add(message, "overwritten",
			       json_object_new_uint64(session->written.overwritten));
	json_object_object_add(message, "snapshot", json_object_new_boolean(session->snapshot));
	json_object_object_add(message, "stream_size",
			       json_object_new_uint64(session->shot.stream_size));
	/* Of a snapshot, nothing is sent before all of it is there. */
	if (session->spool && !session->snapshot)
		json_object_object_add(message, "spool", json_object_new_uint64(session->spool));
	if (session->url && !session->snapshot)
		json_object_object_add(message, "sent", json_object_new_boolean(true));
	if (session_is_live(session))
		json_object_object_add(message, "live", json_object_new_boolean(true));
	if (session->daemon->recovery)
		json_object_object_add(message, "recovered", json_object_new_boolean(true));
	json_object_object_add(message, "kernel", json_object_new_boolean(false));
	link_send(link, message, -1);
}

void session_consumer_send_channel(struct consumer_link *link, const struct channel *channel)
{
	struct json_object *message;

	if (!is_told(link, channel->session))
		return;
	message = make_event("channel", channel->session);
	json_object_object_add(message, "channel", json_object_new_string(channel->name));
	json_object_object_add(message, "id", json_object_new_int64(channel->stream_id));
	json_object_object_add(message, "mode",
			       json_object_new_string(channel_mode_name(channel->mode)));
	json_object_object_add(message, "file_size", json_object_new_uint64(channel->file_size));
	json_object_object_add(message, "file_count", json_object_new_uint64(channel->file_count));
	link_send(link, message, -1);
}

void session_consumer_send_channel_end(struct consumer_link *link, const struct channel *channel)
{
	struct json_object *message;

	if (!is_told(link, channel->session))
		return;
	message = make_event("channel-end", channel->session);
	json_object_object_add(message, "channel", json_object_new_string(channel->name));
	link_send(link, message, -1);
}

void session_consumer_send_metadata(struct consumer_link *link, struct session *session, bool final)
{
	struct json_object *message;
	uint64_t offset;
	int fd, error;

	session->metadata_waits = false;
	if (!is_told(link, session))
		return;
	if (!final && consumer_link_has_unread(link)) {
		session->metadata_waits = true;
		return;
	}
	error = metadata_piece(session->metadata, &session->sent, &offset, &fd);
	if (error) {
		session->metadata_waits = !final;
		message_say("cannot make the metadata of session %s: %s", session->name,
			    strerror(-error));
		return;
	}
	message = make_event("metadata", session);
	json_object_object_add(message, "generation",
			       json_object_new_int64((int64_t)session->record->generation));
	json_object_object_add(message, "offset", json_object_new_uint64(offset));
	json_object_object_add(message, "final", json_object_new_boolean(final));
	link_send(link, message, fd);
}

void session_consumer_send_clear(struct consumer_link *link, const struct session *session)
{
	if (is_told(link, session))
		link_send(link, make_event("clear", session), -1);
}

void session_consumer_send_rotate(struct consumer_link *link, const struct session *session, bool final)
{
	uint32_t chunk = session_chunk_on_disk(session) + 1;
	struct json_object *message;

	if (!consumer_link_is_attached(link))
		return;
	message = make_event("rotate", session);
	json_object_object_add(message, "name", json_object_new_string(session->rotation.name));
	json_object_object_add(message, "chunk", json_object_new_int64(chunk));
	json_object_object_add(message, "final", json_object_new_boolean(final));
	json_object_object_add(message, "drop_empty",
			       json_object_new_boolean(session->rotation.is_automatic));
	link_send(link, message, -1);
}

void session_consumer_send_live(struct consumer_link *link, const struct session *session, uint64_t time)
{
	struct json_object *message;

	if (!is_told(link, session))
		return;
	message = make_event("live", session);
	json_object_object_add(message, "time", json_object_new_uint64(time));
	link_send(link, message, -1);
}

void session_consumer_send_recording(struct consumer_link *link, const struct session *session, bool on)
{
	struct json_object *message;

	if (!is_told(link, session) || session->snapshot)
		return;
	message = make_event("recording", session);
	json_object_object_add(message, "on", json_object_new_boolean(on));
	link_send(link, message, -1);
}

void session_consumer_send_end(struct consumer_link *link, const struct session *session)
{
	if (is_told(link, session))
		link_send(link, make_event("end", session), -1);
}

/* ---- what it tells --------------------------------------------------------------- */

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
	uint64_t lapped; /* the rings know them exactly */
	uint64_t cleared;
	const struct {
		const char *key;
		uint64_t *value;
	} counts[] = {
		{ "generation", &written.generation },   { "packets", &written.packets },
		{ "events", &written.events },           { "lapped", &lapped },
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
	if (take_kernel(link, name, &written, lapped, error))
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
		.output = session_is_taking_snapshot(session) ? session->shot.path
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
