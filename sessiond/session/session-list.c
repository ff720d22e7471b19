/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-list.c - finds sessions, and answers what a session is and whom it takes. Calls no other
 * file of sessions, channels or processes.
 */
#include "sessiond/session/session-private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "sessiond/base/parts.h"
#include "common/base/time.h"
#include "sessiond/consumer/consumer-link.h"
#include "sessiond/quota/quota.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process.h"
#include "sessiond/storage/saved-state.h"

/* An output that does not answer for that long is not waited for when its session is destroyed. */
#define ENDING_USEC UINT64_C(15000000)

static bool is_master(uint32_t uid)
{
	return uid == 0 || uid == geteuid();
}

bool session_is_for(const struct session *session, uint32_t uid)
{
	return is_master(uid) || uid == session->owner;
}

const char *session_name_for(const struct session *session, uint32_t uid, char *name, size_t size)
{
	if (session->owner == uid)
		return session->name;
	snprintf(name, size, "%u/%s", session->owner, session->name);
	return name;
}

bool session_takes_user(const struct session *session, const struct quota_user *user)
{
	const struct quota *quota = session->daemon->quota;
	bool asked = false, taken = false;

	if (!is_master(session->owner))
		return quota_owner(quota, session->owner) == user->uid;
	for (size_t i = 0; i < session->trackers.nr_trackers; i++) {
		const struct tracker *tracker = &session->trackers.trackers[i];

		if (tracker->kind != TRACKER_UID)
			continue;
		asked = true;
		taken |= quota_owner(quota, tracker->value) == user->uid;
	}
	return !asked || taken || is_master(user->uid);
}

bool session_takes(const struct session *session, const struct process *process)
{
	return (is_master(session->owner) || process->uid == session->owner) &&
	       trackers_take(&session->trackers, process);
}

struct session *sessions_find_key(struct sessions *sessions, const char *key)
{
	struct session *session;

	cds_list_for_each_entry(session, sessions_list(sessions), node)
		if (strcmp(session->key, key) == 0)
			return session;
	return NULL;
}

static struct session *find(struct sessions *sessions, const char *name, uint32_t uid, bool is_map,
			    bool is_trigger)
{
	const char *slash = strchr(name, '/');
	unsigned long owner = uid;
	struct session *session;
	char *end;

	if (slash) {
		owner = strtoul(name, &end, 10);
		if (end != slash || end == name)
			return NULL;
		name = slash + 1;
	}
	cds_list_for_each_entry(session, sessions_list(sessions), node)
		if (strcmp(session->name, name) == 0 && session->owner == owner &&
		    session->is_map == is_map && !session->trigger == !is_trigger &&
		    session_is_for(session, uid))
			return session;
	return NULL;
}

struct session *sessions_find(struct sessions *sessions, const char *name, uint32_t uid)
{
	return find(sessions, name, uid, false, false);
}

struct session *sessions_find_map(struct sessions *sessions, const char *name, uint32_t uid)
{
	return find(sessions, name, uid, true, false);
}

struct session *sessions_find_trigger(struct sessions *sessions, const char *name, uint32_t uid)
{
	return find(sessions, name, uid, true, true);
}

int session_make_key(struct session *session)
{
	struct sessions *sessions = session->daemon->sessions;
	struct session *other;

	cds_list_for_each_entry(other, sessions_list(sessions), node)
		if (other->owner == session->owner && other->is_map == session->is_map &&
		    !other->trigger == !session->trigger && strcmp(other->name, session->name) == 0)
			return -EEXIST;
	if (session->is_map)
		snprintf(session->key, sizeof(session->key), "%s+%.46s+%u",
			 session->trigger ? "tr" : "map", session->name, session->owner);
	else if (sessions_find_key(sessions, session->name))
		snprintf(session->key, sizeof(session->key), "%.50s+%u", session->name,
			 session->owner);
	else
		strcpy(session->key, session->name);
	return sessions_find_key(sessions, session->key) ? -EEXIST : 0;
}

struct cds_list_head *sessions_list(struct sessions *sessions)
{
	return &sessions->list;
}

struct channel *sessions_channel_at(struct sessions *sessions, uint32_t slot)
{
	struct session *session;
	struct channel *channel;

	cds_list_for_each_entry(session, &sessions->list, node)
		cds_list_for_each_entry(channel, &session->channels, node)
			if (channel->started && channel->slot == slot)
				return channel;
	return NULL;
}

void sessions_reap_soon(struct sessions *sessions)
{
	int enabled;

	if (sd_event_source_get_enabled(sessions->timer, &enabled) > 0)
		return;
	sd_event_source_set_time(sessions->timer, time_now_usec() + TICK_STOPPING_USEC);
	sd_event_source_set_enabled(sessions->timer, SD_EVENT_ON);
}

/* ---- what it is, and does ------------------------------------------------------------ */

bool session_is_clearing(const struct session *session)
{
	return session->clear.pending;
}

bool session_is_taking_snapshot(const struct session *session)
{
	return session->snapshot.active;
}

bool session_is_live(const struct session *session)
{
	return session->live.period_ms != 0;
}

bool session_is_rotating(const struct session *session)
{
	return session->rotation.state != ROTATION_NONE;
}

bool session_is_given_up(const struct session *session)
{
	uint64_t silence = consumer_link_silence(session->consumer);

	if (session->daemon->options->private_instance)
		return false;
	return silence > (session->is_ending ? ENDING_USEC : 0);
}

uint64_t *session_described(const struct session *session, uint32_t stream_id)
{
	const struct saved_state *saved_state = session->daemon->saved_state;

	return saved_described(
		saved_state, (uint32_t)(session->record - saved_state->head->sessions), stream_id);
}

uint64_t session_progress(const struct session *session)
{
	return session->written.packets + session->written.bytes + session->written.generation +
	       session->daemon->kernel_ops->progress(session->kernel) +
	       __atomic_load_n(&session->totals->rings.delivered, __ATOMIC_RELAXED);
}

const char *session_write_error(const struct session *session)
{
	if (session->write_error)
		return session->write_error;
	return session->daemon->kernel_ops->write_error(session->kernel);
}

const char *session_trouble(const struct session *session)
{
	return session_write_error(session) ? session_write_error(session) : session->moved;
}

void session_note_written(struct session *session)
{
	session->record->packets = session->written.packets;
	session->record->bytes = session->written.bytes;
	session->record->streams = session->written.streams;
	session->record->overwritten = session->written.overwritten;
	session->record->broken = session->written.broken;
}

uint32_t session_chunk_on_disk(const struct session *session)
{
	bool marked = session->rotation.state == ROTATION_DRAINING ||
		      session->rotation.state == ROTATION_MOVING;

	return session->rotation.chunk - marked;
}

/* ---- totals ----------------------------------------------------------------- */

static void totals_release(struct urcu_ref *references)
{
	free(caa_container_of(references, struct session_totals, references));
}

struct session_totals *session_totals_get(struct session_totals *totals)
{
	urcu_ref_get(&totals->references);
	return totals;
}

void session_totals_put(struct session_totals *totals)
{
	if (totals)
		urcu_ref_put(&totals->references, totals_release);
}

void session_read_totals(const struct session *session, struct ring_totals *totals)
{
	ring_totals_read(&session->totals->rings, totals);
}

/* ---- its processes --------------------------------------------------------------- */

static uint64_t slots_of(const struct session *session)
{
	const struct channel *channel;
	uint64_t slots = 0;

	cds_list_for_each_entry(channel, &session->channels, node)
		slots |= UINT64_C(1) << channel->slot;
	return slots;
}

void session_count(struct session *session, struct process *process, uint32_t slot)
{
	if (!(process->counted & slots_of(session))) {
		session->processes++;
		session->record->processes = session->processes;
	}
	process_count(process, UINT64_C(1) << slot, true);
}

void session_uncount_ended(struct session *session, uint64_t counted)
{
	if (!(counted & slots_of(session)) || session->processes == 0)
		return;
	session->processes--;
	session->record->processes = session->processes;
}

void session_uncount(struct session *session, struct process *process)
{
	session_uncount_ended(session, process->counted);
	process_count(process, slots_of(session), false);
}

uint64_t session_alive(const struct session *session)
{
	uint64_t slots = slots_of(session), alive = 0;
	struct process *process;

	cds_list_for_each_entry(process, processes_list(session->daemon->processes), list)
		alive += (process->counted & slots) != 0;
	return alive;
}

uint64_t sessions_counted_before(const struct daemon *daemon, const struct process *process)
{
	const struct session *session;
	const struct channel *channel;
	struct json_object *entry;
	uint64_t slots = 0;
	char pid[16];

	snprintf(pid, sizeof(pid), "%u", process->pid);
	if (!daemon->before || !json_object_object_get_ex(daemon->before, pid, &entry) ||
	    !json_object_is_type(entry, json_type_array) ||
	    json_object_get_uint64(json_object_array_get_idx(entry, 0)) != process_file(process))
		return 0;
	cds_list_for_each_entry(session, sessions_list(daemon->sessions), node)
		if (session->is_taken_over)
			cds_list_for_each_entry(channel, &session->channels, node)
				slots |= UINT64_C(1) << channel->slot;
	return slots & json_object_get_uint64(json_object_array_get_idx(entry, 1));
}
