/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* output-session-rotate.c - a chunk of the trace ends: see trace-chunk.c. */
#include "consumerd/session/output-session-private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/beneath.h"
#include "consumerd/session/output-channel.h"

static void answer_rotation(struct output_session *session, const char *error, bool dropped)
{
	session->rotation.name = NULL;
	session->rotation.dropped = dropped;
	session->rotation.error = error;
	session->has_answer = true;
	output_session_report_now(session);
}

static void prepare_rotation(struct output_session *session)
{
	int error = session->trouble ? session->trouble : -ENOENT;

	(void)output_session_check_place(session);
	if (output_session_misplaced(session)) {
		answer_rotation(session, output_session_misplaced(session), false);
		return;
	}
	if (session->is_open)
		error = trace_prepare_chunk(&session->trace, session->chunk_name);
	session->is_prepared = !error;
	answer_rotation(session, error ? beneath_why(error) : NULL, false);
}

/* *dropped: it stays where it is. */
static int move_chunk(struct output_session *session, bool *dropped)
{
	struct cds_list_head *node;
	int error = 0;

	cds_list_for_each(node, &session->channels) if (!error)
		error = output_channel_close_streams(output_channel_of_node(node));
	if (error)
		return error;
	*dropped = session->rotation.drop_empty && trace_is_empty(&session->trace);
	if (!*dropped)
		return trace_move_chunk(&session->trace, session->chunk_name);
	trace_abandon_chunk(&session->trace, session->chunk_name);
	return 0;
}

void output_session_rotate_now(struct output_session *session)
{
	bool dropped = false;
	int error;

	if (!session->is_rotating || !session->is_open || session->is_clearing)
		return;
	error = move_chunk(session, &dropped);
	if (error) {
		output_session_failed(session, NULL, error);
		return;
	}
	session->is_rotating = false;
	session->is_prepared = false;
	session->trace.chunk = session->rotation.chunk;
	if (!dropped) {
		session->chunk_from = session->written.events;
		trace_leave(&session->trace);
		session->is_open = false;
		session->has_metadata = false;
		session->text_written = 0;
		output_session_open_trace(session);
		output_session_write_metadata(session);
	}
	answer_rotation(session, NULL, dropped);
	output_session_wake(session);
}

void output_session_rotate(struct output_session *session,
			   const struct output_session_rotation *rotation)
{
	snprintf(session->chunk_name, sizeof(session->chunk_name), "%s", rotation->name);
	session->rotation = *rotation;
	session->has_answer = false;
	session->is_rotating = rotation->final;
	if (rotation->final)
		output_session_rotate_now(session);
	else
		prepare_rotation(session);
}
