/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-sending.h - a session that is sent to a collector: bytes sent, bytes waiting, and whether
 * a process sends them. One thread.
 *
 * The functions read these from files in the session's folder, because the session daemon knows
 * nothing of sending. They look at no other user's folder, where a file system may never answer.
 */
#ifndef CLI_CLIENT_SESSION_SENDING_H
#define CLI_CLIENT_SESSION_SENDING_H

#include <json-c/json.h>
#include <stdbool.h>

/*
 * Adds "is_sending", and "sent" bytes, to a session from "list" or "status", whose name is `name`:
 * USER/NAME if it is another user's. Adds nothing if it is, if the session is not sent, or if its
 * folder cannot be read.
 */
void session_sending_add(const char *name, struct json_object *session);
/* True if the session should be sent, and no process sends it. */
bool session_sending_is_left(struct json_object *session);
/* Prints lines about sending, if known. */
void session_sending_print(const char *name, struct json_object *session);

#endif /* CLI_CLIENT_SESSION_SENDING_H */
