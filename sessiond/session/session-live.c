/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-live.c - who watches a trace while it is recorded is told up to which time all of
 * it is on disk.
 *
 *   1. Twice a period, each ring is marked where it is, at the time T(n).
 *   2. When all that stands below has been read and released, the consumer is told T(n-1),
 *      and notes it in the trace's folder (common/protocol/live-time.h) behind the index entries of
 * all that it has released.
 *
 * T(n-1), not T(n): a writer reads the clock before its record counts, so one that
 * is in its event while its ring is marked has a time before T(n), and is read in the
 * next round. To be later than that, it would have to be stopped there for half
 * a period; by rseq it reads the clock again then. The consumer gives a later time to an event
 * that comes too late all the same (consumerd/session/live.h).
 *
 * The kernel's rings the consumer reads by itself: it is asked to read them up to that time.
 *
 * A ring that nobody reads, a full disk or a full spool stop the rounds: nothing is said then.
 */
#include "sessiond/session/session-private.h"

#include "common/base/clock.h"
#include "sessiond/base/parts.h"
#include "common/base/time.h"
#include "sessiond/consumer/consumer-link.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process-channel.h"
#include "sessiond/session/session-consumer.h"

#define ROUNDS_PER_PERIOD 2
#define ACCURACY_USEC UINT64_C(1000)
/* Readers are woken once more. */
#define WAKE_USEC UINT64_C(100000)

static void begin_round(struct session *session)
{
	struct channel *channel;
	struct process_channel *process_channel;

	session->live.before = session->live.marked;
	session->live.marked = clock_read(session->daemon->calibration->clock);
	session->live.is_reading = true;
	session->live.woken_usec = time_now_usec();
	cds_list_for_each_entry(channel, &session->channels, node)
		cds_list_for_each_entry(process_channel, &channel->process_channels, node)
			process_channel_flush(process_channel);
	sessions_reap_soon(session->daemon->sessions);
}

static bool is_read(struct session *session, bool wake)
{
	struct channel *channel;
	struct process_channel *process_channel;
	bool all = true;

	cds_list_for_each_entry(channel, &session->channels, node)
		cds_list_for_each_entry(process_channel, &channel->process_channels, node)
			all &= process_channel_is_flushed(process_channel, wake);
	return all;
}

static void tell(const struct session *session, uint64_t time)
{
	session_consumer_send_live(session->consumer, session, time);
	session->daemon->kernel_ops->send_live(session->kernel, time);
}

bool session_step_live(struct session *session, uint64_t now)
{
	bool wake = now - session->live.woken_usec > WAKE_USEC;

	if (!session->live.is_reading)
		return false;
	if (wake)
		session->live.woken_usec = now;
	if (!is_read(session, wake))
		return true;
	session->live.is_reading = false;
	if (session->live.before)
		tell(session, session->live.before);
	return false;
}

void session_tell_live(struct session *session)
{
	if (!session_is_live(session))
		return;
	session->live.is_reading = false;
	session->live.marked = clock_read(session->daemon->calibration->clock);
	tell(session, session->live.marked);
}

static int on_period(sd_event_source *source, uint64_t usec, void *data)
{
	struct session *session = data;
	uint64_t round_usec = session->live.period_ms * 1000 / ROUNDS_PER_PERIOD;

	(void)usec;
	if (!session->live.is_reading && !session_is_clearing(session))
		begin_round(session);
	sd_event_source_set_time(source, time_now_usec() + round_usec);
	return 0;
}

int session_begin_live(struct session *session)
{
	int error;

	if (!session_is_live(session))
		return 0;
	error = sd_event_add_time_relative(session->daemon->event, &session->live.timer,
					   CLOCK_MONOTONIC, 0, ACCURACY_USEC, on_period, session);
	if (error >= 0)
		error = sd_event_source_set_enabled(session->live.timer, SD_EVENT_ON);
	return error < 0 ? error : 0;
}

void session_end_live(struct session *session)
{
	session->live.timer = sd_event_source_disable_unref(session->live.timer);
}
