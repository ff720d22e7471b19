/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-written.c - what a session has: counted at its rings, and as the consumer
 * reports it, who is told everything when it is another one.
 */
#include "sessiond/time.h"
#include "sessiond/session-parts.h"

#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "common/protocol-control.h"
#include "sessiond/channel.h"
#include "sessiond/session-consumer.h"
#include "sessiond/parts.h"
#include "sessiond/ledger.h"
#include "sessiond/messages.h"
#include "sessiond/process.h"
#include "sessiond/quota.h"

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

void session_read_totals(const struct session *session, struct ring_totals *totals)
{
	const struct ring_totals *shared = &session->totals->rings;

	totals->written = __atomic_load_n(&shared->written, __ATOMIC_RELAXED);
	totals->delivered = __atomic_load_n(&shared->delivered, __ATOMIC_RELAXED);
	totals->discarded = __atomic_load_n(&shared->discarded, __ATOMIC_RELAXED);
	totals->overwritten = __atomic_load_n(&shared->overwritten, __ATOMIC_RELAXED);
	totals->closed_rings = __atomic_load_n(&shared->closed_rings, __ATOMIC_RELAXED);
}

uint64_t session_alive(const struct session *session)
{
	uint64_t slots = slots_of(session), alive = 0;
	struct process *process;

	cds_list_for_each_entry(process, processes_list(session->daemon->processes), list)
		alive += (process->counted & slots) != 0;
	return alive;
}

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
		session_stop_snapshot(session, "the consumer died in the middle of the snapshot");
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

void session_note_written(struct session *session)
{
	session->record->packets = session->written.packets;
	session->record->bytes = session->written.bytes;
	session->record->streams = session->written.streams;
	session->record->overwritten = session->written.overwritten;
	session->record->broken = session->written.broken;
}

/* What is waited for at the end may be there. */
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
