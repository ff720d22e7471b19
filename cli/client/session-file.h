/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-file.h - sessions in a file, as `save` writes and `load` reads them:
 * one JSON object, described in lttngmap-save(1).
 *
 * Reading is strict: members that are unknown, missing, twice there or of
 * another type, and values out of range are refused, with the place. The daemon
 * refuses names that are taken, also by an earlier session of the file.
 */
#ifndef LTTNGMAP_CLI_CLIENT_SESSION_FILE_H
#define LTTNGMAP_CLI_CLIENT_SESSION_FILE_H

#include <json-c/json.h>
#include <stddef.h>

#define SESSION_FILE_FORMAT "lttngmap-sessions"
#define SESSION_FILE_VERSION 1
/* Bytes; more is no such file. */
#define SESSION_FILE_MAX (16u << 20)
#define SESSION_FILE_WHY_SIZE 512

/* From sessions as the daemon lists them; the caller's to put. */
struct json_object *session_file_make(struct json_object *sessions);
/*
 * 0, with the caller's to put; -EINVAL with what is wrong and where in `why`.
 * The object is valid throughout.
 */
int session_file_parse(const char *text, size_t size, struct json_object **file,
		       char why[SESSION_FILE_WHY_SIZE]);

#endif /* LTTNGMAP_CLI_CLIENT_SESSION_FILE_H */
