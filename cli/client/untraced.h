/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* untraced.h - describes the processes that a session could not trace. */
#ifndef CLI_CLIENT_UNTRACED_H
#define CLI_CLIENT_UNTRACED_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#define UNTRACED_TEXT_SIZE 768

/*
 * Describes "not_traced" and "untraced" of an answer: "3 processes not traced: ls (2), cc1 (1)",
 * the most frequent names first. "": none.
 */
char *untraced_describe(struct json_object *answer, char text[UNTRACED_TEXT_SIZE]);
/*
 * True if some of them were left out for that reason (protocol-control.h). Those that "executed" a
 * program without our libraries hand none on.
 */
bool untraced_has(struct json_object *answer, const char *why);
/* A remedy for the most frequent reason; NULL: none. */
const char *untraced_hint(struct json_object *answer);

#endif /* CLI_CLIENT_UNTRACED_H */
