/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* session-events.h - lists event classes, for `events` and `list`. */
#ifndef CLI_CLIENT_SESSION_EVENTS_H
#define CLI_CLIENT_SESSION_EVENTS_H

#include "cli/client/session-verb.h"

/* Asks for {"events": [...]} of process `pid`; 0: of all processes. */
int session_events_ask(struct session_verb *self, uint64_t pid, struct json_object **answer);
/* Prints a line for each class on stdout, which begins with `indent`. */
void session_events_print(struct json_object *answer, const char *indent);

#endif /* CLI_CLIENT_SESSION_EVENTS_H */
