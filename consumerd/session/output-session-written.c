/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* output-session-written.c - what the daemon is told of a session, and what people are in trouble.
 */
#include "consumerd/session/output-session-private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/beneath.h"
#include "common/base/log.h"
#include "common/protocol/protocol-control.h"

#define RETRY_US (500 * UINT64_C(1000))
#define REPORT_US (PROTOCOL_CONTROL_WRITTEN_MS * UINT64_C(1000))

void output_session_report_later(struct output_session *session)
{
	int enabled;

	if (sd_event_source_get_enabled(session->report, &enabled) < 0 || enabled != SD_EVENT_OFF)
		return;
	(void)sd_event_source_set_time_relative(session->report, REPORT_US);
	(void)sd_event_source_set_enabled(session->report, SD_EVENT_ONESHOT);
}

/* The remedy for a name in the way differs from that for a missing folder. */
static const char *find_error(const struct output_session *session)
{
	if (session->removed[0] && session->trouble != -BENEATH_REFUSED)
		return session->removed;
	return session->trouble ? session->error : session->spool_error;
}

/* Events that were written and are not on disk: files made room, or a folder was removed. */
static uint64_t count_gone(const struct output_session *session)
{
	uint64_t gone = session->gone_earlier + session->written.events - session->gone_from;

	return session->removed[0] && gone > session->trace.overwritten
		       ? gone
		       : session->trace.overwritten;
}

void output_session_report_now(struct output_session *session)
{
	struct output_session_shared *shared = session->shared;
	struct output_session_written told;
	int error;

	(void)sd_event_source_set_enabled(session->report, SD_EVENT_OFF);
	(void)output_session_check_place(session);
	session->written.error = find_error(session);
	session->written.moved = session->moved[0] ? session->moved : NULL;
	told = session->written;
	told.overwritten = count_gone(session);
	/* The daemon counts the kernel's events on disk by these figures. */
	if (session->trace.is_kernel) {
		told.events -= told.overwritten;
		told.overrun += told.overwritten;
	}
	error = shared->report(shared, session->name, &told);
	if (!error && session->has_answer) {
		error = shared->report_rotation(shared, session->name, &session->rotation);
		session->has_answer = error == -EAGAIN;
	}
	if (error == -EAGAIN)
		output_session_report_later(session);
}

void output_session_count(struct output_session *session, const struct output_session_written *more)
{
	session->written.packets += more->packets;
	session->written.events += more->events;
	session->written.overrun += more->overrun;
	session->written.broken += more->broken;
	session->written.bytes += more->bytes;
	spool_count(session->spool, more->bytes);
	sync_due(&session->sync);
	output_session_report_later(session);
}

/* ---- trouble ------------------------------------------------------------- */

void output_session_retry_in(struct output_session *session, uint64_t usec)
{
	int enabled;

	if (sd_event_source_get_enabled(session->retry, &enabled) < 0 || enabled != SD_EVENT_OFF)
		return;
	(void)sd_event_source_set_time_relative(session->retry, usec);
	(void)sd_event_source_set_enabled(session->retry, SD_EVENT_ONESHOT);
}

void output_session_retry_later(struct output_session *session)
{
	output_session_retry_in(session, RETRY_US);
}

static const char *advice(int error)
{
	switch (error) {
	case -ENOSPC:
	case -EDQUOT:
	case -EFBIG:
		return "make room there" PROTOCOL_CONTROL_GOES_ON;
	case -EMFILE:
	case -ENFILE:
		return "raise the limit of open files (ulimit -n)";
	case -EEXIST:
		return "another trace lies there: choose another output folder";
	case -BENEATH_REFUSED:
		return "remove it or move it away, and put back what was "
		       "there" PROTOCOL_CONTROL_GOES_ON;
	case -ENOENT:
		return PROTOCOL_CONTROL_ANOTHER;
	case -EACCES:
	case -EPERM:
	case -EROFS:
		return "make it writable" PROTOCOL_CONTROL_GOES_ON;
	default:
		return "recording goes on as soon as it can be written";
	}
}

void output_session_failed(struct output_session *session, const char *what, int error)
{
	session->stalled = true;
	output_session_retry_later(session);
	/* Once for one trouble, whatever the number of rings that run into it. */
	if (session->trouble == error)
		return;
	session->trouble = error;
	snprintf(session->error, sizeof(session->error), "cannot write %s/%s%s%s: %s; %s",
		 session->output, trace_directory(&session->trace), what ? "/" : "",
		 what ? what : "", beneath_why(error), advice(error));
	output_session_report_now(session);
}

void output_session_recovered(struct output_session *session)
{
	(void)output_session_check_place(session);
	/* A file that was open before takes what is written to it, and is lost. */
	if (session->removed[0]) {
		output_session_retry_later(session);
		return;
	}
	log_info("session %s: %s/%s can be written again; recording goes on", session->name,
		 session->output, trace_directory(&session->trace));
	session->trouble = 0;
	output_session_report_now(session);
}

void output_session_note_losses(struct output_session *session, const struct losses *losses)
{
	int error;

	if (session->spool || session->trace.output < 0)
		return;
	trace_become_owner(&session->trace);
	error = losses_write(session->trace.output, losses);
	trace_become_self();
	if (error)
		log_warning("session %s: its losses are not noted in %s: %s", session->name,
			    session->output, beneath_why(error));
}
