/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* output-session-live.c - up to when all of a trace is there. */
#include "consumerd/session/output-session-private.h"

#include "common/base/log.h"
#include "consumerd/session/live.h"
#include "consumerd/session/output-channel.h"

static void note_live(struct output_session *session, uint64_t time)
{
	/* In trouble, entries may be missing in the indexes. */
	if (!session->is_open || session->trouble || session->stalled)
		return;
	session->live_time = time;
	session->live_is_full = false;
	if (live_tell(&session->trace, time, false) < 0)
		log_debug("session %s: who watches it is not told how far it is", session->name);
}

/* The sender keeps packets later than that time, and would keep them for ever. */
void output_session_note_full(struct output_session *session)
{
	if (!session->is_live || session->live_is_full)
		return;
	session->live_is_full = live_tell(&session->trace, session->live_time, true) == 0;
}

void output_session_drain(struct output_session *session)
{
	struct cds_list_head *node;

	session->is_draining = true;
	cds_list_for_each(node, &session->channels)
		output_channel_drain(output_channel_of_node(node));
	output_session_check_drained(session);
}

void output_session_check_drained(struct output_session *session)
{
	struct cds_list_head *node;

	if (!session->is_draining && !session->live_due)
		return;
	cds_list_for_each(node, &session->channels) if (!output_channel_is_drained(
								output_channel_of_node(
									node))) return;
	if (session->live_due)
		note_live(session, session->live_due);
	session->live_due = 0;
	if (!session->is_draining)
		return;
	session->is_draining = false;
	session->written.generation = session->text_generation;
	/* All is on disk, so the trouble is over. */
	if (session->trouble)
		output_session_recovered(session);
	else
		output_session_report_now(session);
}

void output_session_tell_live(struct output_session *session, uint64_t time)
{
	struct cds_list_head *node;

	if (!session->trace.is_kernel) {
		note_live(session, time);
		return;
	}
	session->live_due = time;
	cds_list_for_each(node, &session->channels)
		output_channel_drain(output_channel_of_node(node));
	output_session_check_drained(session);
}
