/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * channel-flush.c - a channel whose events go to the disk within a period, also where programs are
 * idle and no sub-buffer fills up. Each period, what its rings hold is read, as for the request
 * "flush".
 */
#include "sessiond/session/channel.h"

#include "common/base/time.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "sessiond/session/process-channel.h"
#include "sessiond/session/session.h"

#define ACCURACY_USEC UINT64_C(1000)

static int on_period(sd_event_source *source, uint64_t usec, void *data)
{
	struct channel *channel = data;
	struct process_channel *process_channel;

	(void)usec;
	if (!session_is_clearing(channel->session))
		cds_list_for_each_entry(process_channel, &channel->process_channels, node)
			process_channel_flush(process_channel);
	/* From now: a daemon that was late skips what it missed. */
	sd_event_source_set_time(source, time_now_usec() + channel->flush_ms * UINT64_C(1000));
	return 0;
}

void channel_begin_flushes(struct channel *channel)
{
	struct daemon *daemon = channel->session->daemon;
	int error;

	channel_end_flushes(channel);
	if (!channel->flush_ms)
		return;
	error = sd_event_add_time_relative(daemon->event, &channel->flush_timer, CLOCK_MONOTONIC,
					   channel->flush_ms * UINT64_C(1000), ACCURACY_USEC,
					   on_period, channel);
	if (error >= 0)
		error = sd_event_source_set_enabled(channel->flush_timer, SD_EVENT_ON);
	if (error < 0)
		message_of(channel->session->key,
			   "channel %s of session %s is not flushed by itself: out of memory",
			   channel->name, channel->session->name);
}

void channel_end_flushes(struct channel *channel)
{
	channel->flush_timer = sd_event_source_disable_unref(channel->flush_timer);
}
