/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* session-counts.h - counts of recorded and lost events of a session. */
#ifndef CLI_CLIENT_SESSION_COUNTS_H
#define CLI_CLIENT_SESSION_COUNTS_H

#include "cli/client/session-verb.h"

/* Asks for "status", and adds who sends the session to a collector. The caller puts *answer. */
int session_counts_ask(struct session_verb *self, struct json_object **answer);
/* Call after "start": makes room beside the trace for what is lost (common/base/losses.h). */
void session_counts_start(struct session_verb *self);
/* Sends "stop", then does the same; notes the losses beside the trace. */
int session_counts_stop(struct session_verb *self, struct json_object **answer);
/* Prints an answer to "status": counts on stdout, messages on stderr. */
void session_counts_print(struct session_verb *self, struct json_object *answer);
/* Prints only the messages. */
void session_counts_messages(struct session_verb *self, struct json_object *answer);
/* If the session records, and no process is traced: says how unchanged programs are. */
void session_counts_hint(struct json_object *answer);

#endif /* CLI_CLIENT_SESSION_COUNTS_H */
