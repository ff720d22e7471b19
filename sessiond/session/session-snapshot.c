/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-snapshot.c - what a flight recorder holds becomes a trace, while
 * programs go on.
 *
 * The consumer knows nothing of a flight recorder until a snapshot is asked
 * for. Then it is told of a session with an output of its own, reads backward over
 * the ring files that it finds (ring-back.h), and closes each when what it
 * copied is on disk. When all of them were, it gets the final metadata, and
 * the session ends for it. The rings stay as they are. A snapshot that is asked
 * for before the consumer has connected waits for that.
 */
#include "sessiond/session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "common/base/time.h"
#include "sessiond/consumer/consumer-link.h"
#include "sessiond/ring/ring-set.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process-channel.h"
#include "sessiond/session/session-consumer.h"
#include "sessiond/storage/saved-state.h"

/* Rings that are not read by then, as where their process corrupted them, are left out. */
#define STALL_RING_USEC UINT64_C(3000000)
#define STALL_USEC UINT64_C(30000000)

void session_look(struct session *session)
{
	struct channel *channel;
	struct process_channel *process_channel;

	cds_list_for_each_entry(channel, &session->channels, node)
		cds_list_for_each_entry(process_channel, &channel->process_channels, node)
			ring_set_poll(process_channel->set);
}

static void end(struct session *session, const char *error, const char *hint)
{
	session_stopped *done = session->snapshot.done;

	if (!error)
		session_consumer_send_snapshot_losses(session->consumer, session);
	session_consumer_send_end(session->consumer, session);
	session->snapshot.active = false;
	session->snapshot.is_told = false;
	session->snapshot.done = NULL;
	if (done)
		done(session, session->snapshot.data, error, hint);
	/* Processes that ended meanwhile were kept. */
	sessions_reap_soon(session->daemon->sessions);
}

/*
 * The consumer finds out whether a trace lies there, and refuses then: here, a file system that
 * does not answer would hold all sessions.
 */
static void choose_path(struct session *session, const char *output)
{
	char when[24] = "";
	time_t now = time(NULL);
	struct tm local;

	session->snapshot.count++;
	session->snapshot.is_default = !output;
	if (output) {
		snprintf(session->snapshot.path, sizeof(session->snapshot.path), "%s", output);
		return;
	}
	if (localtime_r(&now, &local))
		strftime(when, sizeof(when), "%Y%m%dT%H%M%S%z", &local);
	snprintf(session->snapshot.path, sizeof(session->snapshot.path), "%.*s/snapshot-%u-%s",
		 PATH_MAX - 64, session->output, session->snapshot.count, when);
}

static void read_counts(struct session *session)
{
	struct ring_totals totals;

	session_look(session);
	session_read_totals(session, &totals);
	session->snapshot.written = totals.written;
	session->snapshot.discarded = totals.discarded;
}

/* How many rings have been written to. */
static uint32_t begin_process_channels(struct session *session)
{
	uint64_t largest = 0, size;
	struct channel *channel;
	struct process_channel *process_channel;
	uint32_t rings = 0;

	cds_list_for_each_entry(channel, &session->channels, node) {
		cds_list_for_each_entry(process_channel, &channel->process_channels, node) {
			rings += ring_set_touched(process_channel->set);
			process_channel_begin_snapshot(process_channel);
		}
		size = (UINT64_C(1) << channel->subbuf_shift) + CHANNEL_FILE_BLOCK;
		largest = size > largest ? size : largest;
	}
	session->snapshot.least = rings * largest;
	return rings;
}

void session_take_snapshot(struct session *session, const char *output, uint64_t max_size,
			   session_stopped *done, void *data)
{
	struct channel *channel;
	uint32_t rings;

	choose_path(session, output);
	free(session->write_error);
	session->write_error = NULL;
	session->written = (struct session_written){ .generation = 0 };
	session->earlier = session->written;
	session->snapshot.active = true;
	session->snapshot.is_told = consumer_link_is_attached(session->consumer);
	session->snapshot.finishing = false;
	session->snapshot.done = done;
	session->snapshot.data = data;
	session->snapshot.progress = 0;
	session->snapshot.progress_usec = time_now_usec();
	read_counts(session);
	rings = begin_process_channels(session);
	session->snapshot.stream_size = rings ? max_size / rings : max_size;
	if (max_size && !session->snapshot.stream_size)
		session->snapshot.stream_size = 1;
	session_consumer_send_session(session->consumer, session);
	cds_list_for_each_entry(channel, &session->channels, node)
		session_consumer_send_channel(session->consumer, channel);
	session_push_snapshot(session, false);
	sessions_reap_soon(session->daemon->sessions);
}

static uint32_t count_missing(struct session *session)
{
	struct channel *channel;
	struct process_channel *process_channel;
	uint32_t missing = 0;

	cds_list_for_each_entry(channel, &session->channels, node)
		cds_list_for_each_entry(process_channel, &channel->process_channels, node)
			missing += !process_channel_is_in_snapshot(process_channel);
	return missing;
}

/* Nobody waits for a recovery, and it is the rings' last reading: they stay for another try. */
static void finish(struct session *session, uint32_t missing)
{
	if (missing && session->daemon->recovery) {
		end(session, "the snapshot is not complete: not all rings could be read",
		    "try again when the machine has less to do");
		return;
	}
	if (missing)
		message_of(session->key,
			   "session %s: %u processes are not in the snapshot: their rings could "
			   "not be read",
			   session->name, missing);
	session->snapshot.finishing = true;
	session_push_snapshot(session, true);
}

void session_step_snapshot(struct session *session, uint64_t now)
{
	uint64_t ring_usec = session->daemon->recovery ? STALL_USEC : STALL_RING_USEC;
	uint64_t progress, stalled;
	uint32_t missing;

	if (!session->snapshot.active)
		return;
	if (session->write_error) {
		end(session, "the snapshot is not complete", session->write_error);
		return;
	}
	if (!consumer_link_expected(session->consumer)) {
		end(session, "no snapshot: there is no consumer", "see the messages of `status`");
		return;
	}
	if (session_is_given_up(session)) {
		end(session, "the snapshot is not complete: its output does not answer",
		    "take another one elsewhere");
		return;
	}
	missing = session->snapshot.finishing ? 0 : count_missing(session);
	progress = session_progress(session) + UINT32_MAX - missing;
	if (progress != session->snapshot.progress) {
		session->snapshot.progress = progress;
		session->snapshot.progress_usec = now;
	}
	stalled = now - session->snapshot.progress_usec;
	if (!session->snapshot.is_told) {
		if (stalled > STALL_USEC)
			end(session, "no snapshot: the consumer has not connected",
			    "see the messages of `status`");
		return;
	}
	if (session->snapshot.finishing &&
	    session->written.generation >= session->record->generation)
		end(session, NULL, NULL);
	else if (!session->snapshot.finishing && (missing == 0 || stalled > ring_usec))
		finish(session, missing);
	else if (stalled > STALL_USEC)
		end(session, "the snapshot is not complete: its writer makes no progress",
		    "look for room on the disk, and at the messages of `status`");
}

void session_resume_snapshot(struct session *session)
{
	/* The consumer that connected never heard of that session, nor is it told of its end. */
	if (session->snapshot.is_told) {
		session->snapshot.is_told = false;
		session_stop_snapshot(session, "the consumer died in the middle of the snapshot");
	}
	session->snapshot.is_told = session->snapshot.active;
	session->snapshot.progress_usec = time_now_usec();
}

void session_stop_snapshot(struct session *session, const char *why)
{
	if (session->snapshot.active)
		end(session, why, "take another one");
}
