/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* session-private.h - what the files of session.h share. Main thread. */
#ifndef SESSIOND_SESSION_SESSION_PRIVATE_H
#define SESSIOND_SESSION_SESSION_PRIVATE_H

#include "sessiond/session/session.h"

/* How often sessions that stop are looked at. */
#define TICK_STOPPING_USEC UINT64_C(2000)

struct sessions {
	struct daemon *daemon;
	struct cds_list_head list;
	sd_event_source *timer; /* on while anything is to be reaped or stopped */
};

/* The classes of all processes that it takes are described, and turned on. */
void session_describe_all(struct session *session);
/* Send the consumer the metadata as it is now; `final`: for the last time. */
void session_send_metadata(struct session *session, bool final);
/* The same, after the clock and the untraced processes were brought up to date; for the last time.
 */
void session_end_metadata(struct session *session);
/* Like session_send_metadata(), to a consumer that has no part of it. */
void session_resend_metadata(struct session *session, bool final);
/* Why the consumer could not write; NULL: what it wrote last is on disk. */
const char *session_write_error(const struct session *session);
/* The session was rotated: its chunk may have the clock as it is now. */
void session_end_split(struct session *session);
/* The clock of now, or the one that the chunk keeps. Recovered rings may be of another boot. */
void session_read_clock(const struct session *session, struct clock_description *clock);

#endif /* SESSIOND_SESSION_SESSION_PRIVATE_H */
