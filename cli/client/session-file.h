/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-file.h - sessions in a file, as `save` writes and `load` reads them: one JSON object,
 * described in lttngmap-save(1).
 *
 * The parser refuses unknown, missing and duplicate members, wrong types, and values out of range;
 * its message names the place. The daemon refuses names that are taken, also by an earlier session
 * of the file.
 */
#ifndef CLI_CLIENT_SESSION_FILE_H
#define CLI_CLIENT_SESSION_FILE_H

#include <json-c/json.h>
#include <stddef.h>

#define SESSION_FILE_FORMAT "lttngmap-sessions"
#define SESSION_FILE_VERSION 1
/* A larger file is refused. */
#define SESSION_FILE_MAX (16u << 20)
#define SESSION_FILE_WHY_SIZE 512

/* Makes a file of sessions as the daemon lists them; the caller puts the object. */
struct json_object *session_file_make(struct json_object *sessions);
/*
 * 0, and the caller puts *file, which is valid throughout; or -EINVAL with the fault and its place
 * in `why`.
 */
int session_file_parse(const char *text, size_t size, struct json_object **file,
		       char why[SESSION_FILE_WHY_SIZE]);

#endif /* CLI_CLIENT_SESSION_FILE_H */
