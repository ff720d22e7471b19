/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * output-session-records.c - packets that no reader of the trace could read do not go into it.
 *
 * The layouts of records are from the metadata, as readers have them. Packets of processes of
 * other users than the trace's are copied, then checked, then written; one with a wrong record is
 * left out. So whatever another user's process writes into its rings, the trace stays readable.
 * Metadata that is not understood, as a later daemon's may be, describes no layouts: then packets
 * are written unchecked, and the log says so. Why not all packets: doc/design/consumer.md,
 * "Records".
 */
#include "consumerd/session/output-session-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "common/protocol/metadata-room.h"

static void forget_layout(struct output_session *session, int error)
{
	char text[RECORD_TRACE_FAULT_SIZE];
	const char *fault = record_trace_fault(&session->described, text);

	log_warning("session %s: the metadata is not understood (%s): records are not checked",
		    session->name, fault ? fault : strerror(-error));
	record_layout_destroy(session->layout);
	session->layout = NULL;
	session->described = (struct record_trace){ .is_ours = false };
}

int output_session_learn_layout(struct output_session *session)
{
	int error;

	/* The kernel's packets are made by us. */
	if (session->trace.is_kernel)
		return 0;
	/* Another text may describe the same streams otherwise. */
	if (session->text_learnt == 0 || !session->layout) {
		record_layout_destroy(session->layout);
		session->layout = record_layout_create();
		session->described = (struct record_trace){ .is_ours = false };
		session->text_learnt = 0;
	}
	if (!session->layout)
		return -ENOMEM;
	error = record_layout_parse(session->layout, session->text + session->text_learnt,
				    session->text_size - session->text_learnt, &session->described);
	if (error == -ENOMEM) {
		session->text_learnt = 0;
		return error;
	}
	if (error)
		forget_layout(session, error);
	else
		session->text_learnt = session->text_size;
	return 0;
}

/* The metadata on disk, without room. False: there is none of this trace that is understood. */
static bool read_earlier(struct output_session *session, char **text, size_t *size,
			 struct record_layout *layout, struct record_trace *described)
{
	int error;

	trace_become_owner(&session->trace);
	error = trace_read_metadata(&session->trace, text, size);
	trace_become_self();
	if (error)
		return false;
	*size = metadata_room_remove(*text, *size);
	return record_layout_parse(layout, *text, *size, described) == 0 &&
	       memcmp(described->uuid, session->uuid, sizeof(session->uuid)) == 0;
}

int output_session_keep_earlier(struct output_session *session)
{
	struct record_layout *layout;
	struct record_trace described = { .is_ours = false };
	char *text = NULL;
	size_t size;

	if (!session->is_recovered || session->trace.is_kernel || session->text_written > 0 ||
	    session->is_kept)
		return 0;
	layout = record_layout_create();
	if (!layout)
		return -ENOMEM;
	if (!read_earlier(session, &text, &size, layout, &described) ||
	    (session->layout && record_layout_covers(session->layout, layout))) {
		record_layout_destroy(layout);
		free(text);
		return 0;
	}
	log_warning("session %s: what the daemon left of its event classes is damaged: the trace "
		    "keeps its metadata, and events of other classes are left out",
		    session->name);
	record_layout_destroy(session->layout);
	free(session->text);
	session->layout = layout;
	session->described = described;
	session->text = text;
	session->text_size = session->text_room = session->text_learnt = size;
	session->is_kept = true;
	return 0;
}

bool output_session_is_foreign(const struct output_session *session,
			       const struct lttngmap_packet *packet)
{
	return packet->uid != session->owner || session->is_recovered;
}

bool output_session_is_sound(const struct output_session *session, uint32_t stream_id,
			     const struct lttngmap_packet *packet, const void *body,
			     struct record_fault *fault)
{
	const struct record_span span = {
		.bytes = body,
		.length = packet->length,
		.begin = packet->timestamp_begin,
		.end = packet->timestamp_end,
		.events = packet->events,
	};

	return !session->layout || record_layout_check(session->layout, stream_id, &span, fault);
}

bool output_session_report_broken(struct output_session *session,
				  const struct output_session_broken *broken)
{
	struct output_session_shared *shared = session->shared;

	log_warning("session %s, stream %s: a packet of %s (process %u) is left out: %s",
		    session->name, broken->stream, broken->program, broken->pid, broken->why);
	return !shared->report_broken ||
	       shared->report_broken(shared, session->name, broken) != -EAGAIN;
}
