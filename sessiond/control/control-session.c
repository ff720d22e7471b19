/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-session.c - the verbs about sessions.
 */
#include "sessiond/control/control-verbs.h"

#include <errno.h>
#include <signal.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/json-message.h"
#include "common/protocol/protocol-control.h"
#include "sessiond/app/app-socket.h"
#include "sessiond/app/late-attach.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "sessiond/consumer/consumer-link.h"
#include "sessiond/control/control-args.h"
#include "sessiond/kernel/kernel-domain.h"
#include "sessiond/kernel/kernel-state.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process-channel.h"
#include "sessiond/session/process.h"
#include "sessiond/session/session.h"
#include "sessiond/session/untraced.h"

#define SESSIONS_MAX 64u
#define URL_MAX 1023u
/* Maximum number of sessions that one user may have in a daemon that serves several users. */
#define SESSIONS_PER_USER_MAX 16u
/* Sessions reserved for root and the daemon's own user. */
#define SESSIONS_RESERVED 16u
/* So many processes of another daemon's are named. */
#define OTHERS_NAMED 8u

/* A user leaves half of what is left to the next one. */
static unsigned int user_share(unsigned int others)
{
	unsigned int left = SESSIONS_MAX - SESSIONS_RESERVED;

	left = left > others ? (left - others + 1) / 2 : 0;
	return left < SESSIONS_PER_USER_MAX ? left : SESSIONS_PER_USER_MAX;
}

bool control_may_create(struct control_client *client)
{
	const struct daemon *daemon = control_client_daemon(client);
	struct sessions *sessions = daemon->sessions;
	uint32_t uid = control_client_peer(client)->uid;
	unsigned int count = consumers_leaving(daemon->consumers, NULL);
	unsigned int leaving = consumers_leaving(daemon->consumers, &uid), own = leaving;
	const struct session *session;

	cds_list_for_each_entry(session, sessions_list(sessions), node) {
		count++;
		own += session->owner == uid;
	}
	if (count >= SESSIONS_MAX)
		control_refuse(client, "destroy one that is not needed",
			       "there are %u sessions already", count);
	else if (uid != 0 && uid != geteuid() && own >= user_share(count - own))
		control_refuse(client,
			       leaving ? "outputs of destroyed sessions do not answer: see to these"
				       : "destroy one that is not needed",
			       "user %u has %u sessions already, and all users have %u", uid, own,
			       count);
	else
		return true;
	return false;
}

static void add_trouble(struct json_object *answer, const struct session *session)
{
	if (session_trouble(session))
		control_add_string(answer, "trouble", session_trouble(session));
}

/* Events that were written, and that neither a reader has nor newer ones replaced. */
static uint64_t count_buffered(const struct ring_totals *totals)
{
	uint64_t gone = totals->delivered + totals->overwritten;

	return totals->written > gone ? totals->written - gone : 0;
}

/*
 * Events in packets that were written, and are released together with later ones of the same
 * answer. On a full disk these are never written.
 */
static uint64_t count_unreleased(const struct session *session, const struct ring_totals *totals)
{
	uint64_t on_disk = session->written.on_disk + session->written.broken;
	uint64_t unreleased = on_disk > totals->delivered ? on_disk - totals->delivered : 0;
	uint64_t buffered = count_buffered(totals);

	if (session->is_flight_recorder || !session->has_consumer)
		return 0;
	return unreleased < buffered ? unreleased : buffered;
}

/* It was done, and the trouble that was there before goes on. */
static void answer_with_trouble(struct control_client *client, const struct session *session)
{
	struct json_object *answer = json_object_new_object();

	add_trouble(answer, session);
	control_answer(client, answer);
}

void control_serve_create(struct control_client *client, struct json_object *request)
{
	const struct ucred *peer = control_client_peer(client);
	struct session_config config = { .owner = peer->uid, .group = peer->gid };
	struct session *session;
	int error;

	config.name = control_need_name(client, request, "session");
	if (!config.name)
		return;
	config.output = control_need_string(client, request, "output");
	if (!config.output ||
	    control_take_bool(client, request, "snapshot", &config.is_flight_recorder) != 0)
		return;
	if (control_take_string(client, request, "url", &config.url) != 0 ||
	    control_take_number(client, request, "spool", INT64_MAX, &config.spool) != 0 ||
	    control_take_number(client, request, "live_ms", PROTOCOL_CONTROL_LIVE_MAX_MS,
				&config.live_ms) != 0)
		return;
	if (config.live_ms && (config.live_ms < PROTOCOL_CONTROL_LIVE_MIN_MS || !config.url ||
			       config.is_flight_recorder)) {
		control_refuse(client, "give 100 ms to a minute, and a collector's URL",
			       "session %s cannot be watched live", config.name);
		return;
	}
	if ((config.url && strlen(config.url) > URL_MAX) || (config.spool && !config.url)) {
		control_refuse(client, "give the collector's URL, of at most 1023 bytes",
			       "session %s cannot be sent there", config.name);
		return;
	}
	if (config.output[0] != '/' || strlen(config.output) >= PATH_MAX) {
		control_refuse(client, "give the directory's absolute path",
			       "session %s cannot write to '%.200s'", config.name, config.output);
		return;
	}
	if (!control_may_create(client))
		return;
	error = session_create(control_client_daemon(client)->sessions, &config, &session);
	if (error == -EEXIST)
		control_refuse_already(client, "use another name, or destroy it first",
				       "there is a session '%s' already", config.name);
	else if (error)
		control_refuse(client, "see the daemon's messages", "cannot create session %s: %s",
			       config.name, strerror(-error));
	else
		control_answer(client, NULL);
}

void control_serve_choose(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_session(client, request);

	if (!session)
		return;
	if (session->owner != control_client_peer(client)->uid) {
		control_refuse(client, "-s USER/SESSION names it",
			       "session %s is user %u's: the current session is one of your own",
			       session->name, session->owner);
		return;
	}
	session_choose(session);
	control_answer(client, NULL);
}

/* Probes that are made anew after a restart count, too: they record as soon as they are there. */
static bool has_kernel_rules(const struct session *session)
{
	return session->kernel && (kernel_events_count(session->kernel) > 0 ||
				   kernel_domain_is_restoring(session->kernel));
}

void control_serve_start(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_session(client, request);

	if (!session)
		return;
	if (session->state == SESSION_ACTIVE) {
		control_refuse_already(client, "stop it first", "session %s is started already",
				       session->name);
	} else if (session->state != SESSION_IDLE) {
		control_refuse(client, "try again when it has stopped",
			       "session %s is being stopped", session->name);
	} else if (cds_list_empty(&session->channels) && !has_kernel_rules(session)) {
		control_refuse(client, "`lttngmap enable` makes one, with its first rule",
			       "session %s has no channel", session->name);
	} else {
		session_start(session);
		if (session->daemon->late_attach)
			late_attach_scan(session->daemon->late_attach, 0);
		answer_with_trouble(client, session);
	}
}

static void on_done(struct session *session, void *data, const char *error, const char *hint)
{
	struct control_client *client = data;

	if (error)
		control_refuse(client, hint, "session %s: %s", session->name, error);
	else
		control_answer(client, NULL);
}

void control_serve_stop(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_session(client, request);

	if (!session)
		return;
	if (session->state == SESSION_ACTIVE) {
		app_socket_settle(session->daemon->app);
		session_stop(session, on_done, client);
	} else if (session->state == SESSION_IDLE) {
		control_refuse_already(client, "start it first", "session %s is not started",
				       session->name);
	} else if (session_await_stop(session, on_done, client) != 0) {
		control_refuse(client, "wait for the stop that was asked for before",
			       "session %s is being stopped already", session->name);
	}
}

static void on_stopped_destroy(struct session *session, void *data, const char *error,
			       const char *hint)
{
	on_done(session, data, error, hint);
	session_destroy(session);
}

/* Its buffers go with it; those of a flight recorder are not meant for the disk. */
static void answer_destroyed(struct control_client *client, struct session *session)
{
	struct json_object *answer = json_object_new_object();
	struct ring_totals totals;

	session_look(session);
	session_read_totals(session, &totals);
	if (!session->is_flight_recorder)
		control_add_number(answer, "lost",
				   count_buffered(&totals) - count_unreleased(session, &totals));
	add_trouble(answer, session);
	control_answer(client, answer);
}

void control_serve_destroy(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_session(client, request);

	if (!session)
		return;
	if (session_is_clearing(session)) {
		control_refuse(client, "try again when that is done", "session %s is being cleared",
			       session->name);
	} else if (session->state == SESSION_ACTIVE) {
		session->is_ending = true;
		app_socket_settle(session->daemon->app);
		session_stop(session, on_stopped_destroy, client);
	} else if (session->state == SESSION_IDLE) {
		answer_destroyed(client, session);
		session_destroy(session);
	} else if (session_await_stop(session, on_stopped_destroy, client) == 0) {
		session->is_ending = true;
		sessions_reap_soon(session->daemon->sessions);
	} else {
		control_refuse(client, "try again when it has stopped",
			       "session %s is being stopped", session->name);
	}
}

void control_serve_clear(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_session(client, request);
	int error;

	if (!session || !control_lacks_kernel(client, session, "cleared"))
		return;
	if (session->url && !session->is_flight_recorder) {
		control_refuse(client, "destroy it, and make another one",
			       "session %s cannot be cleared: what its collector has stays there",
			       session->name);
	} else if (session_is_clearing(session)) {
		control_refuse(client, "wait for that", "session %s is being cleared already",
			       session->name);
	} else if (session_is_rotating(session)) {
		control_refuse(client, "try again when that is done", "session %s is being rotated",
			       session->name);
	} else if (session_is_taking_snapshot(session)) {
		control_refuse(client, "try again when that is done",
			       "a snapshot of session %s is being taken", session->name);
	} else if (session->state != SESSION_IDLE && session->state != SESSION_ACTIVE) {
		control_refuse(client, "try again when it has stopped",
			       "session %s is being stopped", session->name);
	} else {
		error = session_clear(session, on_done, client);
		if (error)
			control_refuse(client, "try again", "cannot clear session %s: %s",
				       session->name, strerror(-error));
	}
}

void control_serve_flush(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_session(client, request);
	struct channel *channel;
	struct process_channel *process_channel;

	if (!session)
		return;
	if (session->is_flight_recorder) {
		control_refuse(client, "take a snapshot",
			       "session %s is a flight recorder, which writes nothing by itself",
			       session->name);
		return;
	}
	/* At the end all is read in any case. */
	if (session->state == SESSION_ACTIVE)
		cds_list_for_each_entry(channel, &session->channels, node)
			cds_list_for_each_entry(process_channel, &channel->process_channels, node)
				process_channel_flush(process_channel);
	control_answer(client, NULL);
}

static void add_message(const char *message, void *data)
{
	json_object_array_add(data, json_object_new_string(message));
}

struct hanging {
	uint32_t uid;
	unsigned int count;
};

static int count_hanging(const struct late_attach_entry *entry, void *data)
{
	struct hanging *hanging = data;

	hanging->count += entry->hangs && (hanging->uid == 0 || hanging->uid == geteuid() ||
					   hanging->uid == entry->uid);
	return 0;
}

static void add_hanging(const struct daemon *daemon, uint32_t uid, struct json_object *messages)
{
	struct hanging hanging = { .uid = uid };
	char text[200];

	if (daemon->late_attach)
		late_attach_list(daemon->late_attach, count_hanging, &hanging);
	if (!hanging.count)
		return;
	snprintf(text, sizeof(text),
		 "users with processes that block whoever examines them: %u; their programs are "
		 "not attached; `list --processes` names these processes",
		 hanging.count);
	add_message(text, messages);
}

/* The daemon's messages tell of all users' programs. */
static struct json_object *make_messages(struct control_client *client,
					 const struct session *session)
{
	struct json_object *messages = json_object_new_array();
	uint32_t uid = control_client_peer(client)->uid;

	if (uid == 0 || uid == geteuid())
		messages_take(session->key, add_message, messages);
	else if (consumer_link_silence(session->consumer))
		add_message("its output does not answer: nothing is written there until it does",
			    messages);
	add_hanging(session->daemon, uid, messages);
	return messages;
}

/* Rings that were closed, by whom they were damaged, and what these claim to have lost. */
static void add_closed(struct json_object *answer, const struct ring_totals *totals)
{
	struct json_object *damagers = json_object_new_array();

	for (unsigned i = 0; i < RING_DAMAGERS; i++) {
		const struct ring_damager *damager = &totals->damagers[i];
		struct json_object *object;

		if (damager->state != RING_DAMAGER_THERE)
			continue;
		object = json_object_new_object();
		control_add_number(object, "pid", damager->pid);
		control_add_string(object, "name", damager->name);
		json_object_array_add(damagers, object);
	}
	control_add_number(answer, "closed_rings", totals->closed_rings);
	control_add_number(answer, "claimed", ring_totals_claimed(totals));
	json_object_object_add(answer, "damagers", damagers);
	control_add_bool(answer, "more_damagers", totals->more_damagers);
}

void control_add_counts(struct json_object *answer, struct session *session)
{
	uint64_t thrown = session->written.overwritten, broken = session->written.broken, kept;
	uint64_t undescribed = 0, forgotten = 0, unreleased;
	struct ring_totals totals;
	struct channel *channel;

	session_read_totals(session, &totals);
	unreleased = count_unreleased(session, &totals);
	totals.delivered += unreleased;
	kept = session->has_consumer && totals.delivered > thrown + broken
		       ? totals.delivered - thrown - broken
		       : 0;
	cds_list_for_each_entry(channel, &session->channels, node) {
		undescribed += channel_count_refused(channel);
		/* A program may have events in several channels. */
		if (channel->forgotten > forgotten)
			forgotten = channel->forgotten;
	}
	control_add_bool(answer, "active", session->state == SESSION_ACTIVE);
	control_add_bool(answer, "snapshot", session->is_flight_recorder);
	control_add_number(answer, "processes", session->processes);
	control_add_number(answer, "not_traced", untraced_total(session));
	if (session->trackers.nr_trackers)
		control_add_number(answer, "trackers", session->trackers.nr_trackers);
	control_add_number(answer, "alive", session_alive(session));
	control_add_number(answer, "written", totals.written);
	control_add_number(answer, "kept", kept);
	control_add_number(answer, "buffered", count_buffered(&totals));
	control_add_number(answer, "discarded", totals.discarded);
	control_add_number(answer, "overwritten", totals.overwritten + thrown);
	control_add_number(answer, "broken", broken);
	control_add_number(answer, "cut", totals.cut);
	control_add_number(answer, "undescribed", undescribed);
	control_add_number(answer, "forgotten", forgotten);
	add_closed(answer, &totals);
	control_add_number(answer, "packets", session->written.packets);
	control_add_number(answer, "bytes", session->written.bytes);
	control_add_number(answer, "streams", session->written.streams);
	control_add_number(answer, "chunks", session->rotation.completed);
	if (session->rotation.before_clear)
		control_add_number(answer, "chunks_before_clear", session->rotation.before_clear);
	json_object_object_add(answer, "untraced", untraced_list(session));
	if (consumer_link_silence(session->consumer))
		control_add_number(answer, "output_silent_ms",
				   consumer_link_silence(session->consumer) / 1000);
	if (session->kernel)
		json_object_object_add(answer, "kernel", control_count_kernel(session->kernel));
}

/* Processes that the session would take: another daemon's, or those of none (yet). */
struct others {
	const struct session *session;
	bool of_none;
	struct json_object *array;
	uint64_t count;
};

static int add_other(const struct late_attach_entry *entry, void *data)
{
	struct process seen = { .pid = entry->pid, .uid = entry->uid, .gid = entry->gid };
	struct others *others = data;
	struct json_object *object;

	memcpy(seen.name, entry->name, sizeof(seen.name));
	/* It has ended since the search: */
	if (kill((pid_t)entry->pid, 0) != 0 && errno == ESRCH)
		return 0;
	if (entry->is_others == others->of_none || !session_takes(others->session, &seen) ||
	    process_lookup(others->session->daemon->processes, entry->pid) ||
	    others->count++ >= OTHERS_NAMED)
		return 0;
	object = json_object_new_object();
	control_add_number(object, "pid", entry->pid);
	control_add_string(object, "name", entry->name);
	if (others->of_none)
		control_add_string(object, "why", entry->why);
	json_object_array_add(others->array, object);
	return 0;
}

static void add_others(struct json_object *answer, const struct session *session)
{
	struct others others = { .session = session }, none = { session, .of_none = true };

	if (!session->daemon->late_attach || session->state != SESSION_ACTIVE)
		return;
	others.array = json_object_new_array();
	none.array = json_object_new_array();
	late_attach_refresh(session->daemon->late_attach);
	late_attach_list(session->daemon->late_attach, add_other, &others);
	late_attach_list(session->daemon->late_attach, add_other, &none);
	control_add_number(answer, "others", others.count);
	json_object_object_add(answer, "others_named", others.array);
	control_add_number(answer, "unregistered", none.count);
	json_object_object_add(answer, "unregistered_named", none.array);
}

void control_serve_status(struct control_client *client, struct json_object *request)
{
	struct session *session = json_object_object_get_ex(request, "map", NULL)
					  ? control_need_map(client, request)
					  : control_need_session(client, request);
	struct json_object *answer;

	if (!session)
		return;
	session_look(session);
	answer = json_object_new_object();
	control_add_counts(answer, session);
	add_trouble(answer, session);
	add_others(answer, session);
	control_add_string(answer, "output", session->output);
	control_add_collector(answer, session);
	control_add_number(answer, "refused",
			   app_socket_refused(control_client_daemon(client)->app));
	control_add_number(answer, "unanswered",
			   app_socket_unanswered(control_client_daemon(client)->app));
	control_add_number(answer, "foreign",
			   app_socket_foreign(control_client_daemon(client)->app));
	json_object_object_add(answer, "messages", make_messages(client, session));
	control_answer(client, answer);
}

/* ---- trackers ------------------------------------------------------------------ */

struct tracker_request {
	struct session *session;
	enum tracker_kind kind;
	uint64_t value;
	const char *pattern;
};

/* 0, or the request is refused. */
static int take_tracker(struct control_client *client, struct json_object *request,
			struct tracker_request *tracker)
{
	const char *kind;

	*tracker = (struct tracker_request){ .session = control_need_session(client, request) };
	kind = tracker->session ? control_need_string(client, request, "kind") : NULL;
	if (!kind)
		return -EINVAL;
	if (tracker_kind_parse(kind, &tracker->kind) != 0) {
		control_refuse(client, "it is pid, uid, gid or name",
			       "processes are not told apart by '%.80s'", kind);
		return -EINVAL;
	}
	if (tracker->kind != TRACKER_NAME)
		return control_need_number(client, request, "value", UINT32_MAX, &tracker->value);
	tracker->pattern = control_need_string(client, request, "value");
	if (!tracker->pattern)
		return -EINVAL;
	if (!tracker->pattern[0] || strlen(tracker->pattern) > TRACKER_NAME_MAX) {
		control_refuse(client, "give 1 to 255 bytes; '*' stands for anything",
			       "this is no pattern of a program's name");
		return -EINVAL;
	}
	return 0;
}

void control_serve_track(struct control_client *client, struct json_object *request)
{
	struct tracker_request tracker;
	int error;

	if (take_tracker(client, request, &tracker) != 0 ||
	    !control_list_fits(client, tracker.session, request))
		return;
	error = trackers_add(&tracker.session->trackers, tracker.kind, (uint32_t)tracker.value,
			     tracker.pattern);
	if (error == -EEXIST) {
		control_refuse(client, "`list` shows what is tracked", "this is tracked already");
	} else if (error == -ENOSPC) {
		control_refuse(client, "use a pattern of names, or a uid",
			       "session %s tracks %u sets already", tracker.session->name,
			       TRACKERS_MAX);
	} else if (error) {
		control_refuse(client, "try again", "cannot track: %s", strerror(-error));
	} else {
		session_retrack(tracker.session);
		control_answer(client, NULL);
	}
}

void control_serve_untrack(struct control_client *client, struct json_object *request)
{
	struct tracker_request tracker;

	if (take_tracker(client, request, &tracker) != 0)
		return;
	if (trackers_remove(&tracker.session->trackers, tracker.kind, (uint32_t)tracker.value,
			    tracker.pattern) != 0) {
		control_refuse(client, "`list` shows what is tracked", "this is not tracked");
		return;
	}
	session_retrack(tracker.session);
	control_answer(client, NULL);
}
