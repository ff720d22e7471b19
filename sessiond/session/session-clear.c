/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-clear.c - forget what a session recorded, whether it runs or not.
 *
 *   1. Each ring set lets go of all that was written into it up to now, and
 *      counts into new totals from then on.
 *   2. The consumer is told. It cuts every stream, and says so: what it writes
 *      afterwards was recorded after step 1.
 *
 * Events between the two steps may be forgotten or kept; of each stream the later part
 * is kept.
 */
#include "sessiond/session/session.h"

#include <errno.h>
#include <stdlib.h>

#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "common/base/time.h"
#include "sessiond/consumer/consumer-link.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process-channel.h"
#include "sessiond/session/session-consumer.h"
#include "sessiond/storage/saved-state.h"

#define CLEAR_USEC UINT64_C(30000000)

static void answer(struct session *session, const char *error, const char *hint)
{
	session_stopped *cleared = session->clear.done;

	session->clear.done = NULL;
	session->clear.pending = false;
	daemon_save_state(session->daemon);
	if (cleared)
		cleared(session, session->clear.data, error, hint);
}

int session_clear(struct session *session, session_stopped *cleared, void *data)
{
	struct session_totals *totals = calloc(1, sizeof(*totals));
	struct channel *channel;

	if (!totals)
		return -ENOMEM;
	/* A restarted daemon, if it comes in between, begins it anew. */
	session->clear.pending = true;
	daemon_save_state(session->daemon);
	urcu_ref_init(&totals->references);
	totals->rings.metadata_generation = session->record->generation;
	cds_list_for_each_entry(channel, &session->channels, node) {
		struct process_channel *process_channel;

		cds_list_for_each_entry(process_channel, &channel->process_channels, node)
			process_channel_clear(process_channel, totals);
	}
	session_totals_put(session->totals);
	session->totals = totals;
	session->written = (struct session_written){ .generation = session->written.generation };
	session->earlier = (struct session_written){ .packets = 0 };
	session_note_written(session);
	session->rotation.size_before = 0;
	session->rotation.before_clear = session->rotation.completed;

	saved_totals_clear(session->record);
	session->clear.done = cleared;
	session->clear.data = data;
	session->clear.since_usec = time_now_usec();
	session_push_clear(session);
	sessions_reap_soon(session->daemon->sessions);
	return 0;
}

void session_push_clear(struct session *session)
{
	/* A flight recorder has nothing on disk. */
	if (session->is_flight_recorder)
		return;
	session->clear.asked++;
	session_consumer_send_clear(session->consumer, session);
}

void session_step_clear(struct session *session, uint64_t now)
{
	if (!session->clear.pending)
		return;
	if (session->is_flight_recorder || !consumer_link_expected(session->consumer))
		answer(session, NULL, NULL);
	else if (session_is_given_up(session))
		answer(session, "what lies on disk is not removed yet: its output does not answer",
		       "it is removed when that does");
	else if (now - session->clear.since_usec > CLEAR_USEC)
		answer(session, "what lies on disk was not removed: its writer does not answer",
		       "see the messages of `status`");
}

bool session_take_cleared(struct session *session, uint64_t cleared, const char *error)
{
	if (cleared < session->clear.asked)
		return false;
	if (session->clear.pending)
		answer(session, error ? "what lies on disk is not removed yet" : NULL, error);
	return true;
}
