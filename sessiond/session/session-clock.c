/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-clock.c - a trace whose clock did not go on while the machine slept.
 *
 * A trace describes its clock once, by a frequency and an offset. So the chunk that was
 * being recorded keeps the description from before the sleep, the session is rotated,
 * and the next chunk has the description from after it.
 *
 *   1. The clock breaks: `held` saves the description from before, and a rotation begins.
 *   2. The chunk is moved, and keeps `held` (session-rotate.c).
 *   3. The next chunk is on disk: the consumer gets the new description.
 *
 * Events that programs write after the resume and before their rings are marked, for some
 * milliseconds, stand at the end of the earlier chunk, with its description.
 *
 * A session that is stopped when the clock breaks rotates when it is started again. A
 * flight recorder and a trace that somebody watches cannot be rotated: the snapshots of the
 * first have the description of the time when they are taken; the second has one clock from
 * the beginning to the end, and a message says that later times are wrong.
 */
#include "sessiond/session/session-private.h"

#include "sessiond/base/messages.h"
#include "sessiond/ring/ring-set.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process-channel.h"

static void break_clock(struct session *session, const struct clock_description *before)
{
	if (session_is_live(session)) {
		message_of(session->key,
			   "session %s: its times are too early from now on: destroy it, and "
			   "create it again",
			   session->name);
		return;
	}
	/* On disk there is nothing from before. */
	if (session->is_flight_recorder || !session->has_consumer)
		return;
	/* Broken again before it was rotated: the chunk began before both. */
	if (!session->clock.is_held)
		session->clock.held = *before;
	session->clock.is_held = true;
	session->clock.rotate = true;
	session_split(session);
}

void sessions_break_clock(struct sessions *sessions, const struct clock_description *before,
			  uint64_t reset)
{
	struct session *session;
	struct channel *channel;
	struct process_channel *process_channel;

	cds_list_for_each_entry(session, &sessions->list, node) {
		cds_list_for_each_entry(channel, &session->channels, node)
			cds_list_for_each_entry(process_channel, &channel->process_channels, node)
				if (reset)
					ring_set_reset_clock(process_channel->set, reset);
		break_clock(session, before);
	}
}

void session_end_split(struct session *session)
{
	if (session->clock.rotate || !session->clock.is_held)
		return;
	session->clock.is_held = false;
	session_push_clock(session);
}
