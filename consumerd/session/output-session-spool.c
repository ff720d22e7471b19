/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* output-session-spool.c - room for more in a session's spool. */
#include "consumerd/session/output-session-private.h"

#include "common/base/log.h"

#define SPOOL_RETRY_US (10 * UINT64_C(1000))
#define SPOOL_FULL                                                                                 \
	"the collector takes events more slowly than they come, or not at all: the spool is "      \
	"full, and what comes is lost where the buffers are full, too"

/* Its sender says nothing when it made some: it is looked for again, soon. */
static bool has_room(struct output_session *session)
{
	enum spool_news news;
	bool has_room = spool_has_room(session->spool, &news);

	if (!has_room) {
		output_session_retry_in(session, SPOOL_RETRY_US);
		output_session_note_full(session);
	}
	if (news == SPOOL_NEWS_NONE)
		return has_room;
	session->spool_error = news == SPOOL_NEWS_FULL ? SPOOL_FULL : NULL;
	log_message(news == SPOOL_NEWS_FULL ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO, "session %s: %s",
		    session->name,
		    news == SPOOL_NEWS_FULL ? SPOOL_FULL : "the spool takes events again");
	output_session_report_later(session);
	return has_room;
}

void output_session_set_recording(struct output_session *session, bool on)
{
	if (output_session_check_place(session))
		output_session_report_now(session);
	if (!session->spool)
		return;
	spool_lift(session->spool, !on);
	/* The message about it no longer applies. */
	if (!on && has_room(session))
		output_session_wake(session);
}

/* A chunk that is to end is written to its end, though the spool be full. */
bool output_session_has_room_for(struct output_session *session,
				 const struct lttngmap_packet *packet)
{
	if (!session->spool)
		return true;
	if (session->is_prepared && packet->chunk == session->trace.chunk &&
	    spool_has_reserve(session->spool))
		return true;
	return has_room(session);
}
