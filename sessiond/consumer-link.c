/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/consumer-link-parts.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <urcu/list.h>

#include "common/json-message.h"
#include "common/protocol-control.h"
#include "sessiond/channel.h"
#include "sessiond/daemon.h"
#include "sessiond/ledger.h"
#include "sessiond/messages.h"
#include "sessiond/metadata.h"
#include "sessiond/session.h"

/* What waits to be sent to a consumer that does not read, and for how long. */
#define QUEUE_MAX 4096u
#define STUCK_USEC UINT64_C(5000000)
#define STUCK_ACCURACY_USEC UINT64_C(100000)

struct queued {
	struct cds_list_head node;
	struct json_object *message;
	int fds[JSON_MESSAGE_FDS_MAX]; /* to go with it */
	size_t nr_fds;
};

/* ---- what it is told ----------------------------------------------------------- */

static void close_all(const int *fds, size_t nr_fds)
{
	for (size_t i = 0; i < nr_fds; i++)
		close(fds[i]);
}

static void queue_drop(struct consumer_link *link, struct queued *queued)
{
	cds_list_del(&queued->node);
	link->queued--;
	json_object_put(queued->message);
	close_all(queued->fds, queued->nr_fds);
	free(queued);
}

void consumer_link_disconnect(struct consumer_link *link)
{
	struct queued *queued, *next;

	cds_list_for_each_entry_safe(queued, next, &link->queue, node)
		queue_drop(link, queued);
	if (link->stuck)
		sd_event_source_set_enabled(link->stuck, SD_EVENT_OFF);
	link->source = sd_event_source_disable_unref(link->source);
	if (link->fd >= 0)
		close(link->fd);
	link->fd = -1;
}

/* It is started again, as if it had died. */
static void end_stuck(struct consumer_link *link)
{
	char who[CONSUMER_WHO_SIZE];

	message_say("%s does not read what it is told: it is started again",
		    consumer_link_who(link, who));
	consumer_link_disconnect(link);
	if (link->pid > 0)
		kill(link->pid, SIGKILL);
}

static int on_stuck(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	end_stuck(data);
	return 0;
}

int consumer_link_add_timer(struct consumer_link *link)
{
	int error = sd_event_add_time(link->daemon->event, &link->stuck, CLOCK_MONOTONIC,
				      UINT64_MAX, STUCK_ACCURACY_USEC, on_stuck, link);

	return error < 0 ? error : sd_event_source_set_enabled(link->stuck, SD_EVENT_OFF);
}

static void watch_queue(struct consumer_link *link)
{
	if (cds_list_empty(&link->queue) || sd_event_source_get_enabled(link->stuck, NULL) > 0)
		return;
	sd_event_source_set_time(link->stuck, daemon_now_usec() + STUCK_USEC);
	sd_event_source_set_enabled(link->stuck, SD_EVENT_ONESHOT);
}

/* A piece of metadata that waited for the queue to be empty; sending it looks for the next. */
static void send_waiting(struct consumer_link *link)
{
	struct session *session;

	cds_list_for_each_entry(session, sessions_list(link->daemon->sessions), node) {
		if (session->metadata_waits) {
			consumer_link_metadata(link, session, false);
			return;
		}
	}
}

static void link_flush(struct consumer_link *link)
{
	struct queued *queued, *next;

	cds_list_for_each_entry_safe(queued, next, &link->queue, node) {
		int error = json_message_send_fds(link->fd, queued->message, queued->fds,
						  queued->nr_fds, 0);

		if (error == -EAGAIN)
			break;
		if (error && error != -EPIPE && error != -ECONNRESET)
			message_say("the consumer cannot be told what to do: %s", strerror(-error));
		if (error) {
			consumer_link_disconnect(link);
			return;
		}
		queue_drop(link, queued);
		/* It reads: its time begins anew. */
		sd_event_source_set_enabled(link->stuck, SD_EVENT_OFF);
	}
	watch_queue(link);
	if (link->is_leaving && cds_list_empty(&link->queue))
		shutdown(link->fd, SHUT_WR);
	sd_event_source_set_io_events(link->source,
				      cds_list_empty(&link->queue) ? EPOLLIN : EPOLLIN | EPOLLOUT);
	if (cds_list_empty(&link->queue))
		send_waiting(link);
}

void consumer_link_send(struct consumer_link *link, struct json_object *message, const int *fds,
			size_t nr_fds)
{
	struct queued *queued = NULL;

	if (link->fd >= 0 && link->queued < QUEUE_MAX)
		queued = calloc(1, sizeof(*queued));
	if (!queued) {
		bool stuck = link->fd >= 0;

		json_object_put(message);
		close_all(fds, nr_fds);
		if (stuck)
			end_stuck(link);
		return;
	}
	queued->message = message;
	memcpy(queued->fds, fds, nr_fds * sizeof(*fds));
	queued->nr_fds = nr_fds;
	cds_list_add_tail(&queued->node, &link->queue);
	link->queued++;
	link->sent++;
	consumer_answer_expect(link);
	link_flush(link);
}

void consumer_link_close(struct consumer_link *link)
{
	if (link->fd >= 0)
		link_flush(link);
}

static void link_send(struct consumer_link *link, struct json_object *message, int fd)
{
	consumer_link_send(link, message, &fd, fd >= 0 ? 1 : 0);
}

/* Of a flight recorder it knows while a snapshot is taken. */
static bool is_told(const struct consumer_link *link, const struct session *session)
{
	return link && link->fd >= 0 && (!session->snapshot || session_is_taking_snapshot(session));
}

struct json_object *consumer_link_event(const char *event, const char *name)
{
	struct json_object *message = json_object_new_object();

	json_object_object_add(message, "event", json_object_new_string(event));
	json_object_object_add(message, "session", json_object_new_string(name));
	return message;
}

static struct json_object *make_event(const char *event, const struct session *session)
{
	return consumer_link_event(event, session->key);
}

void consumer_link_session(struct consumer_link *link, const struct session *session)
{
	const char *output = session->snapshot ? session->shot.path : session->output;
	struct json_object *message;
	char rings[PATH_MAX];

	if (!is_told(link, session))
		return;
	snprintf(rings, sizeof(rings), "%s/%s", link->daemon->rings_dir, session->key);
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
	if (link->daemon->recovery)
		json_object_object_add(message, "recovered", json_object_new_boolean(true));
	json_object_object_add(message, "kernel", json_object_new_boolean(false));
	link_send(link, message, -1);
}

void consumer_link_channel(struct consumer_link *link, const struct channel *channel)
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

void consumer_link_channel_end(struct consumer_link *link, const struct channel *channel)
{
	struct json_object *message;

	if (!is_told(link, channel->session))
		return;
	message = make_event("channel-end", channel->session);
	json_object_object_add(message, "channel", json_object_new_string(channel->name));
	link_send(link, message, -1);
}

void consumer_link_metadata(struct consumer_link *link, struct session *session, bool final)
{
	struct json_object *message;
	uint64_t offset;
	int fd, error;

	session->metadata_waits = false;
	if (!is_told(link, session))
		return;
	if (!final && link->queued > 0) {
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

void consumer_link_clear(struct consumer_link *link, const struct session *session)
{
	if (is_told(link, session))
		link_send(link, make_event("clear", session), -1);
}

void consumer_link_rotate(struct consumer_link *link, const struct session *session, bool final)
{
	uint32_t chunk = session_chunk_on_disk(session) + 1;
	struct json_object *message;

	if (!link || link->fd < 0)
		return;
	message = make_event("rotate", session);
	json_object_object_add(message, "name", json_object_new_string(session->rotation.name));
	json_object_object_add(message, "chunk", json_object_new_int64(chunk));
	json_object_object_add(message, "final", json_object_new_boolean(final));
	json_object_object_add(message, "drop_empty",
			       json_object_new_boolean(session->rotation.is_automatic));
	link_send(link, message, -1);
}

void consumer_link_live(struct consumer_link *link, const struct session *session, uint64_t time)
{
	struct json_object *message;

	if (!is_told(link, session))
		return;
	message = make_event("live", session);
	json_object_object_add(message, "time", json_object_new_uint64(time));
	link_send(link, message, -1);
}

void consumer_link_recording(struct consumer_link *link, const struct session *session, bool on)
{
	struct json_object *message;

	if (!is_told(link, session) || session->snapshot)
		return;
	message = make_event("recording", session);
	json_object_object_add(message, "on", json_object_new_boolean(on));
	link_send(link, message, -1);
}

void consumer_link_end(struct consumer_link *link, const struct session *session)
{
	if (is_told(link, session))
		link_send(link, make_event("end", session), -1);
}

/* ---- what it tells --------------------------------------------------------------- */

/* 0, or the member that is wrong. */
struct session *consumer_link_find(const struct consumer_link *link, const char *key)
{
	struct session *session = sessions_find_key(link->daemon->sessions, key);

	return session && session->consumer == link ? session : NULL;
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
	if (consumer_link_take_kernel(link, name, &written, lapped, error))
		return NULL;
	session = consumer_link_find(link, name);
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
	session = sessions_find_key(link->daemon->sessions, name);
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
	session = consumer_link_find(link, name);
	if (session)
		session_take_rotated(session, (uint32_t)chunk, final, dropped, error);
	return NULL;
}

static const char *take_alive(struct consumer_link *link, struct json_object *message)
{
	static const char *const keys[] = { "verb", "taken", "busy", NULL };
	const char *unknown = json_message_unknown(message, keys);
	uint64_t taken;
	bool busy;

	if (unknown)
		return unknown;
	if (json_message_get_uint64(message, "taken", 0, INT64_MAX, &taken) != 0)
		return "taken";
	if (json_message_get_bool(message, "busy", &busy) != 0)
		return "busy";
	consumer_answer_take(link, !busy && taken == link->sent);
	return NULL;
}

static const char *take_message(struct consumer_link *link, struct json_object *message)
{
	const char *verb = "";

	(void)json_message_get_string(message, "verb", &verb);
	if (strcmp(verb, "busy") == 0) {
		consumer_answer_expect(link);
		return NULL;
	}
	if (strcmp(verb, "alive") == 0)
		return take_alive(link, message);
	consumer_answer_take(link, false);
	if (strcmp(verb, "written") == 0)
		return take_written(link, message);
	if (strcmp(verb, "broken") == 0)
		return take_broken(link, message);
	if (strcmp(verb, "rotated") == 0)
		return take_rotated(link, message);
	return "verb";
}

static int on_connection(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct consumer_link *link = data;
	struct json_object *message;
	char who[CONSUMER_WHO_SIZE];
	const char *wrong;
	int error;

	(void)source;
	consumer_link_who(link, who);
	if (revents & EPOLLOUT)
		link_flush(link);
	if (link->fd < 0 || !(revents & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		return 0;
	error = json_message_receive(fd, &message, NULL, 0);
	if (error == -EAGAIN)
		return 0;
	if (error) {
		if (error != -EPIPE && error != -ECONNRESET)
			message_say("%s sent what is no message: %s", who, strerror(-error));
		consumer_link_disconnect(link);
		return 0;
	}
	wrong = take_message(link, message);
	if (wrong) {
		message_say("%s sent a bad member '%s'", who, wrong);
		consumer_link_disconnect(link);
	}
	json_object_put(message);
	return 0;
}

int consumer_link_connect(struct consumer_link *link, int fd)
{
	struct json_object *answer;
	int error = sd_event_add_io(link->daemon->event, &link->source, fd, EPOLLIN, on_connection,
				    link);

	if (error < 0)
		return error;
	link->fd = fd;
	answer = json_object_new_object();
	json_object_object_add(answer, "ok", json_object_new_boolean(true));
	link_send(link, answer, -1);
	/* It counts what comes after that. */
	link->sent = 0;
	sessions_push(link->daemon->sessions, link);
	/* A flight recorder's is told nothing, and has no output to wait for. */
	if (link->sent == 0)
		consumer_answer_take(link, true);
	return 0;
}
