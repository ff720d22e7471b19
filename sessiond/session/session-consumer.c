/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/session/session-consumer.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/base/json-message.h"
#include "common/base/name.h"
#include "common/protocol/protocol-control.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "sessiond/class/metadata.h"
#include "sessiond/consumer/consumer-link.h"
#include "sessiond/session/channel-mode.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/session-private.h"
#include "sessiond/storage/saved-state.h"

/*
 * True if the consumer knows the session. It knows a flight recorder's only while a snapshot is
 * taken, and not while that waits for a consumer.
 */
static bool is_told(const struct consumer_link *link, const struct session *session)
{
	return consumer_link_is_attached(link) &&
	       (!session->is_flight_recorder || session->snapshot.is_told);
}

static void link_send(struct consumer_link *link, struct json_object *message, int fd)
{
	consumer_link_send(link, message, &fd, fd >= 0 ? 1 : 0);
}

static struct json_object *make_event(const char *event, const struct session *session)
{
	return consumer_link_event(event, session->key);
}

/* A count of events that overflowed is none. */
static void add_count(struct json_object *message, const char *key, uint64_t count)
{
	json_object_object_add(message, key,
			       json_object_new_int64(count > INT64_MAX ? 0 : (int64_t)count));
}

void session_consumer_send_session(struct consumer_link *link, const struct session *session)
{
	const char *output = session->is_flight_recorder ? session->snapshot.path : session->output;
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
	json_object_object_add(message, "snapshot",
			       json_object_new_boolean(session->is_flight_recorder));
	json_object_object_add(message, "stream_size",
			       json_object_new_uint64(session->snapshot.stream_size));
	/* A snapshot is sent to the collector when it is complete. */
	if (session->spool && !session->is_flight_recorder)
		json_object_object_add(message, "spool", json_object_new_uint64(session->spool));
	if (session->url && !session->is_flight_recorder)
		json_object_object_add(message, "sent", json_object_new_boolean(true));
	if (session_is_live(session))
		json_object_object_add(message, "live", json_object_new_boolean(true));
	if (session->daemon->options->survive_panic)
		json_object_object_add(message, "durable", json_object_new_boolean(true));
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
	error = metadata_segment(session->metadata, &session->sent, &offset, &fd);
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

void session_consumer_send_rotate(struct consumer_link *link, const struct session *session,
				  bool final)
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

void session_consumer_send_live(struct consumer_link *link, const struct session *session,
				uint64_t time)
{
	struct json_object *message;

	if (!is_told(link, session))
		return;
	message = make_event("live", session);
	json_object_object_add(message, "time", json_object_new_uint64(time));
	link_send(link, message, -1);
}

void session_consumer_send_recording(struct consumer_link *link, const struct session *session,
				     bool on)
{
	struct json_object *message;

	if (!is_told(link, session) || session->is_flight_recorder)
		return;
	message = make_event("recording", session);
	json_object_object_add(message, "on", json_object_new_boolean(on));
	link_send(link, message, -1);
}

void session_consumer_send_losses(struct consumer_link *link, const struct session *session)
{
	const uint64_t thrown = session->written.overwritten, broken = session->written.broken;
	struct json_object *message;
	struct ring_totals totals;

	/* A spool is not read; a snapshot in one goes away with its folder. */
	if (!is_told(link, session) || session->spool)
		return;
	session_read_totals(session, &totals);
	message = make_event("losses", session);
	/* add_count() takes a difference below zero for none. */
	add_count(message, "kept", totals.delivered - thrown - broken);
	add_count(message, "discarded", totals.discarded);
	add_count(message, "overwritten", totals.overwritten + thrown);
	add_count(message, "broken", broken);
	add_count(message, "buffered", 0);
	add_count(message, "cut", totals.cut);
	add_count(message, "kernel", session->daemon->kernel_ops->lost(session->kernel));
	link_send(link, message, -1);
}

void session_consumer_send_snapshot_losses(struct consumer_link *link,
					   const struct session *session)
{
	const uint64_t kept = session->written.events, broken = session->written.broken;
	struct json_object *message;
	struct ring_totals totals;

	/* A snapshot of nothing leaves no folder. */
	if (!is_told(link, session) || session->spool || kept == 0)
		return;
	message = make_event("losses", session);
	add_count(message, "kept", kept);
	add_count(message, "discarded", session->snapshot.discarded);
	/* Nobody reads a flight recorder's rings meanwhile, so nothing else counts these. */
	add_count(message, "overwritten", session->snapshot.written - kept - broken);
	add_count(message, "broken", broken);
	add_count(message, "buffered", 0);
	session_read_totals(session, &totals);
	add_count(message, "cut", totals.cut);
	add_count(message, "kernel", 0);
	link_send(link, message, -1);
}

void session_consumer_send_end(struct consumer_link *link, const struct session *session)
{
	if (is_told(link, session))
		link_send(link, make_event("end", session), -1);
}
