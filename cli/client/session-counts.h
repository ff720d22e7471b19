/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* session-counts.h - what a session has recorded, and what it has not. */
#ifndef LTTNGMAP_CLI_CLIENT_SESSION_COUNTS_H
#define LTTNGMAP_CLI_CLIENT_SESSION_COUNTS_H

#include "cli/client/session-verb.h"

/* "status" into *answer, the caller's to put, with who sends it to a collector. */
int session_counts_ask(struct session_verb *self, struct json_object **answer);
/* "stop", then the same into *answer, the caller's to put. */
int session_counts_stop(struct session_verb *self, struct json_object **answer);
/* Lines on stdout, of an answer to "status"; its messages on stderr. */
void session_counts_print(struct session_verb *self, struct json_object *answer);
/* The messages alone. */
void session_counts_messages(struct session_verb *self, struct json_object *answer);

#endif /* LTTNGMAP_CLI_CLIENT_SESSION_COUNTS_H */
