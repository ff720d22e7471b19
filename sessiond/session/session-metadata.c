/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* session-metadata.c - what a session's metadata says of now, and sending it to the consumer. */
#include "sessiond/session/session-private.h"

#include <stdlib.h>

#include "common/base/clock.h"
#include "sessiond/base/parts.h"
#include "sessiond/ring/ring-set.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process-channel.h"
#include "sessiond/session/session-consumer.h"
#include "sessiond/session/untraced.h"
#include "sessiond/storage/saved-state.h"

void session_read_clock(const struct session *session, struct clock_description *clock)
{
	if (session->clock.is_held) {
		*clock = session->clock.held;
		return;
	}
	/* A break is seen by clock-watch.h; until then this describes what was before. */
	if (!session->daemon->recovery)
		clock_calibration_update(session->daemon->calibration);
	clock_calibration_describe(session->daemon->calibration, clock);
}

/* Packets that the kernel module gives say it, too. */
static void describe_rings(const struct session *session)
{
	struct channel *channel;
	struct process_channel *process_channel;

	cds_list_for_each_entry(channel, &session->channels, node)
		cds_list_for_each_entry(process_channel, &channel->process_channels, node)
			ring_set_describe(process_channel->set, session->record->generation);
}

void session_send_metadata(struct session *session, bool final)
{
	session->pushed = metadata_generation(session->metadata);
	session->record->generation++;
	session_consumer_send_metadata(session->consumer, session, final);
	/*
	 * Packets say it from now on. Release: whoever takes a packet with an
	 * event that this describes, turned on later, finds it.
	 */
	__atomic_store_n(&session->totals->rings.metadata_generation, session->record->generation,
			 __ATOMIC_RELEASE);
	describe_rings(session);
}

void session_resend_metadata(struct session *session, bool final)
{
	session->sent = (struct metadata_sent){ .head = 0 };
	session_send_metadata(session, final);
}

void session_push_snapshot(struct session *session, bool final)
{
	if (final)
		session_send_metadata(session, true);
	else
		session_resend_metadata(session, false);
}

void session_push_metadata(struct session *session)
{
	if (metadata_generation(session->metadata) != session->pushed)
		session_send_metadata(session, false);
}

/* A live viewer has one clock from the beginning to the end. */
static void update_clock(struct session *session)
{
	struct clock_description clock;

	if (session_is_live(session))
		return;
	session_read_clock(session, &clock);
	metadata_set_clock(session->metadata, &clock);
}

/* Without memory the trace does not have it; `status` has. */
static void update_untraced(struct session *session)
{
	char *text = untraced_text(session);

	if (text)
		metadata_set_untraced(session->metadata, text);
	free(text);
}

void session_push_clock(struct session *session)
{
	update_clock(session);
	update_untraced(session);
	session_send_metadata(session, false);
}

void session_end_metadata(struct session *session)
{
	update_clock(session);
	update_untraced(session);
	session_send_metadata(session, true);
}
