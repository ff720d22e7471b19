/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* session-print.h - prints a session from the daemon's list on stdout. */
#ifndef CLI_CLIENT_SESSION_PRINT_H
#define CLI_CLIENT_SESSION_PRINT_H

#include <json-c/json.h>
#include <stdbool.h>

/* Prints one line; `with_current`: it says whether the session is the current one. */
void session_print_line(struct json_object *session, bool with_current);
/* Prints the session with its channels, their rules and contexts, and its trackers. */
void session_print_all(struct json_object *session);

#endif /* CLI_CLIENT_SESSION_PRINT_H */
