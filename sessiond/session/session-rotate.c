/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-rotate.c - complete a chunk of a trace while programs go on.
 *
 *   1. The consumer makes the folder of the chunk: a failure is found
 *      while nothing has changed yet.
 *   2. Each ring is marked where it is. The daemon gives the packets below the mark
 *      to the consumer first, then packets of the next chunk, which the consumer holds.
 *   3. When all of them are past their marks, the consumer moves the folder,
 *      and writes what it holds into a new one.
 *
 * Once rings are marked, there is no way back: when the disk is full, the
 * chunk is completed as soon as there is room, and whoever waits is told so.
 */
#include "sessiond/session/session-private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "common/base/time.h"
#include "sessiond/consumer/consumer-link.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process-channel.h"
#include "sessiond/session/session-consumer.h"

/* Readers are woken once more. */
#define WAKE_USEC UINT64_C(100000)
/* Accuracy of a rotation's timer; systemd's default is 250 ms. */
#define ACCURACY_USEC UINT64_C(1000)
/* A consumer that has said why it stands still is waited for so long … */
#define STALL_FAILED_USEC UINT64_C(2000000)
/* … and one that has not. */
#define STALL_USEC UINT64_C(30000000)

void session_chunk_path(const struct session *session, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%.*s/archives/%s", PATH_MAX - ROTATION_NAME_SIZE - 16,
		 session->output, session->rotation.name);
}

/* Answers the client, once; the rotation itself may go on. */
static void answer(struct session *session, const char *error, const char *hint)
{
	session_stopped *done = session->rotation.done;

	session->rotation.done = NULL;
	if (done)
		done(session, session->rotation.data, error, hint);
	else if (error && session->rotation.is_automatic)
		message_of(session->key, "session %s: %s; %s", session->name, error, hint);
	session->rotation.is_automatic = false;
}

static void end(struct session *session, const char *error, const char *hint)
{
	session->rotation.state = ROTATION_NONE;
	daemon_save_state(session->daemon);
	answer(session, error, hint);
	session_split(session);
}

static void format_time(int64_t seconds, char *text, size_t size)
{
	time_t time = (time_t)seconds;
	struct tm local;

	if (!localtime_r(&time, &local) || strftime(text, size, "%Y%m%dT%H%M%S%z", &local) == 0)
		snprintf(text, size, "%lld", (long long)seconds);
}

static void begin(struct session *session, bool is_automatic, session_stopped *done, void *data)
{
	char from[24], to[24];

	format_time(session->rotation.begin, from, sizeof(from));
	format_time(time(NULL), to, sizeof(to));
	snprintf(session->rotation.name, sizeof(session->rotation.name), "%s-%s-%u", from, to,
		 session->rotation.chunk);
	session->rotation.is_automatic = is_automatic;
	session->rotation.done = done;
	session->rotation.data = data;
	session->rotation.state = ROTATION_PREPARING;
	session->rotation.progress_usec = time_now_usec();
	daemon_save_state(session->daemon);
	session_push_rotation(session);
	sessions_reap_soon(session->daemon->sessions);
}

void session_rotate(struct session *session, session_stopped *rotated, void *data)
{
	begin(session, false, rotated, data);
}

void session_push_rotation(struct session *session)
{
	bool final = session->rotation.state == ROTATION_MOVING;

	if (final || session->rotation.state == ROTATION_PREPARING)
		session_consumer_send_rotate(session->consumer, session, final);
}

/* ---- its steps ----------------------------------------------------------------- */

/* Once, however often it is done. */
static void mark_rings(struct session *session)
{
	struct channel *channel;
	struct process_channel *process_channel;

	session->rotation.woken_usec = time_now_usec();
	session->rotation.progress_usec = session->rotation.woken_usec;
	cds_list_for_each_entry(channel, &session->channels, node)
		cds_list_for_each_entry(process_channel, &channel->process_channels, node)
			process_channel_rotate(process_channel, session->rotation.chunk);
}

static void begin_chunk(struct session *session)
{
	session->rotation.chunk++;
	session->rotation.state = ROTATION_DRAINING;
	session->rotation.begin = time(NULL);
	daemon_save_state(session->daemon);
	mark_rings(session);
}

void session_resume_rotation(struct session *session)
{
	session->rotation.progress_usec = time_now_usec();
	if (session->rotation.state == ROTATION_DRAINING)
		mark_rings(session);
	if (session->rotation.period_ms &&
	    session_rotate_regularly(session, session->rotation.period_ms, session->rotation.size) <
		    0)
		message_of(session->key,
			   "session %s is not rotated by itself any more: out of memory",
			   session->name);
}

static bool is_read(struct session *session, uint64_t now)
{
	bool wake = now - session->rotation.woken_usec > WAKE_USEC, all = true;
	struct channel *channel;
	struct process_channel *process_channel;

	if (wake)
		session->rotation.woken_usec = now;
	cds_list_for_each_entry(channel, &session->channels, node)
		cds_list_for_each_entry(process_channel, &channel->process_channels, node)
			all &= process_channel_is_rotated(process_channel, wake);
	return all;
}

static void move(struct session *session)
{
	session->rotation.state = ROTATION_MOVING;
	daemon_save_state(session->daemon);
	/* The chunk will not see a better measurement of the clock. */
	session_push_clock(session);
	session_push_rotation(session);
}

/*
 * A ring that its reader gave up holds back what all others have: no chunk is
 * worth that.
 */
static void move_all_the_same(struct session *session)
{
	struct channel *channel;
	struct process_channel *process_channel;

	message_of(session->key,
		   "session %s: some rings were not read in time: what they hold goes into the "
		   "next chunk",
		   session->name);
	cds_list_for_each_entry(channel, &session->channels, node)
		cds_list_for_each_entry(process_channel, &channel->process_channels, node)
			process_channel_end_rotation(process_channel);
	move(session);
}

static void check_stalled(struct session *session, uint64_t now)
{
	uint64_t progress = session_progress(session), stalled;

	if (session_is_given_up(session)) {
		session->rotation.progress_usec = now;
		if (session->rotation.state == ROTATION_PREPARING)
			end(session, "not rotated: its output does not answer",
			    "rotate again when it does");
		else
			answer(session, "the chunk is not complete: its output does not answer",
			       "it is completed when that does");
		return;
	}
	if (progress != session->rotation.progress) {
		session->rotation.progress = progress;
		session->rotation.progress_usec = now;
		return;
	}
	stalled = now - session->rotation.progress_usec;
	if (session->write_error && stalled > STALL_FAILED_USEC)
		answer(session, "the chunk is completed as soon as it can be written",
		       session->write_error);
	else if (stalled <= STALL_USEC || session->write_error)
		return;
	else if (session->rotation.state == ROTATION_DRAINING)
		move_all_the_same(session);
	else if (session->rotation.state == ROTATION_PREPARING)
		end(session, "not rotated: the consumer does not answer",
		    "see the messages of `status`");
	else
		answer(session, "the chunk is not complete: its writer does not answer",
		       "see the messages of `status`");
}

void session_step_rotation(struct session *session, uint64_t now)
{
	if (session->rotation.state == ROTATION_NONE)
		return;
	if (!consumer_link_expected(session->consumer))
		end(session, "not rotated: there is no consumer any more",
		    "see the messages of `status`");
	else if (session->rotation.state == ROTATION_DRAINING && is_read(session, now))
		move(session);
	else
		check_stalled(session, now);
}

void session_take_rotated(struct session *session, uint32_t chunk, bool final, bool dropped,
			  const char *error)
{
	char path[PATH_MAX], why[PATH_MAX + 64];

	if (session->rotation.state == ROTATION_PREPARING && !final &&
	    chunk == session->rotation.chunk + 1) {
		session_chunk_path(session, path);
		snprintf(why, sizeof(why), "not rotated: cannot make %s: %s", path,
			 error ? error : "");
		if (error && session_trouble(session) && !strcmp(error, session_trouble(session)))
			end(session, "not rotated: its output folder is not where it was", error);
		else if (error)
			end(session, why, "make that possible, and rotate again");
		else
			begin_chunk(session);
		sessions_reap_soon(session->daemon->sessions);
	} else if (session->rotation.state == ROTATION_MOVING && final &&
		   chunk == session->rotation.chunk) {
		session->rotation.completed += !dropped;
		session->rotation.has_begun = session->state != SESSION_IDLE;
		session->rotation.size_before = session->written.bytes;
		session_end_split(session);
		end(session, NULL, NULL);
	}
}

void session_stop_rotation(struct session *session)
{
	if (session_is_rotating(session))
		end(session, "the session was destroyed while it was rotated",
		    "what it recorded lies in its output folder");
	session->rotation.timer = sd_event_source_disable_unref(session->rotation.timer);
}

/* ---- by itself ------------------------------------------------------------------- */

static bool can_rotate(const struct session *session)
{
	return session->state == SESSION_ACTIVE && !session_is_rotating(session) &&
	       !session_is_clearing(session) && !session_is_given_up(session) &&
	       session->has_consumer;
}

static void rotate_by_itself(struct session *session)
{
	if (can_rotate(session))
		begin(session, true, NULL, NULL);
}

void session_split(struct session *session)
{
	if (!session->clock.rotate || !can_rotate(session))
		return;
	session->clock.rotate = false;
	begin(session, true, NULL, NULL);
}

static int on_period(sd_event_source *source, uint64_t usec, void *data)
{
	struct session *session = data;
	uint64_t period = session->rotation.period_ms * 1000;

	rotate_by_itself(session);
	/* Counted from when it was due: delays do not add up, and missed periods are skipped. */
	sd_event_source_set_time(source, usec + ((time_now_usec() - usec) / period + 1) * period);
	return 0;
}

int session_rotate_regularly(struct session *session, uint64_t period_ms, uint64_t size)
{
	uint64_t when = time_now_usec() + period_ms * 1000;
	sd_event_source *timer = NULL;
	int error = 0;

	if (period_ms != 0)
		error = sd_event_add_time(session->daemon->event, &timer, CLOCK_MONOTONIC, when,
					  ACCURACY_USEC, on_period, session);
	if (error >= 0 && timer)
		error = sd_event_source_set_enabled(timer, SD_EVENT_ON);
	if (error < 0) {
		sd_event_source_disable_unref(timer);
		return error;
	}
	sd_event_source_disable_unref(session->rotation.timer);
	session->rotation.timer = timer;
	session->rotation.period_ms = period_ms;
	session->rotation.size = size;
	daemon_save_state(session->daemon);
	return 0;
}

void session_check_size(struct session *session)
{
	if (session->rotation.size == 0 ||
	    session->written.bytes - session->rotation.size_before < session->rotation.size)
		return;
	/* Where it fails, it is tried again after as much. */
	session->rotation.size_before = session->written.bytes;
	rotate_by_itself(session);
}
