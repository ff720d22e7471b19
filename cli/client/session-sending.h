/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-sending.h - of a session that is sent to a collector: how much that has, how much
 * waits, and whether anybody sends. One thread.
 *
 * It is seen by what lies in the session's folder, for the session daemon has no part in it:
 * where another user's cannot be looked at, nothing is said.
 */
#ifndef LTTNGMAP_CLI_CLIENT_SESSION_SENDING_H
#define LTTNGMAP_CLI_CLIENT_SESSION_SENDING_H

#include <json-c/json.h>
#include <stdbool.h>

/*
 * To a session as "list" or "status" has it: "is_sending", and "sent" bytes. Nothing where it is
 * not sent, or cannot be looked at.
 */
void session_sending_add(struct json_object *session);
/* Is it known that nobody sends it? */
bool session_sending_is_left(struct json_object *session);
/* Lines about that, where it is known. */
void session_sending_print(const char *name, struct json_object *session);

#endif /* LTTNGMAP_CLI_CLIENT_SESSION_SENDING_H */
