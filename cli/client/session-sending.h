/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-sending.h - a session that is sent to a collector: bytes sent, bytes waiting, and whether
 * a process sends them. One thread.
 *
 * The functions read these from files in the session's folder, because the session daemon knows
 * nothing of sending. They print nothing if another user's folder cannot be read.
 */
#ifndef CLI_CLIENT_SESSION_SENDING_H
#define CLI_CLIENT_SESSION_SENDING_H

#include <json-c/json.h>
#include <stdbool.h>

/*
 * Adds "is_sending", and "sent" bytes, to a session from "list" or "status". Adds nothing if the
 * session is not sent, or its folder cannot be read.
 */
void session_sending_add(struct json_object *session);
/* True if the session should be sent, and no process sends it. */
bool session_sending_is_left(struct json_object *session);
/* Prints lines about sending, if known. */
void session_sending_print(const char *name, struct json_object *session);

#endif /* CLI_CLIENT_SESSION_SENDING_H */
