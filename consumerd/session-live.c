/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* session-live.c - up to when all of a trace is there. */
#include "common/log.h"
#include "consumerd/channel.h"
#include "consumerd/live.h"
#include "consumerd/session-parts.h"

static void note_live(struct session *session, uint64_t time)
{
	/* In trouble, entries may be missing in the indexes. */
	if (!session->is_open || session->trouble || session->stalled)
		return;
	session->live_time = time;
	session->live_is_full = false;
	if (live_tell(&session->trace, time, false) < 0)
		log_debug("session %s: who watches it is not told how far it is", session->name);
}

/* Who sends keeps what is later than that time, and would keep it for ever. */
void session_note_full(struct session *session)
{
	if (!session->is_live || session->live_is_full)
		return;
	session->live_is_full = live_tell(&session->trace, session->live_time, true) == 0;
}

void session_drain(struct session *session)
{
	struct cds_list_head *node;

	session->is_draining = true;
	cds_list_for_each(node, &session->channels) channel_drain(channel_of_node(node));
	session_check_drained(session);
}

void session_check_drained(struct session *session)
{
	struct cds_list_head *node;

	if (!session->is_draining && !session->live_due)
		return;
	cds_list_for_each(
		node, &session->channels) if (!channel_is_drained(channel_of_node(node))) return;
	if (session->live_due)
		note_live(session, session->live_due);
	session->live_due = 0;
	if (!session->is_draining)
		return;
	session->is_draining = false;
	session->written.generation = session->text_generation;
	/* Whatever the trouble was, all is on disk. */
	if (session->trouble)
		session_recovered(session);
	else
		session_report_now(session);
}

void session_tell_live(struct session *session, uint64_t time)
{
	struct cds_list_head *node;

	if (!session->trace.is_kernel) {
		note_live(session, time);
		return;
	}
	session->live_due = time;
	cds_list_for_each(node, &session->channels) channel_drain(channel_of_node(node));
	session_check_drained(session);
}
