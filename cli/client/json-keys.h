/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * json-keys.h - members that an object has twice: json-c keeps the last one
 * without a word.
 */
#ifndef LTTNGMAP_CLI_CLIENT_JSON_KEYS_H
#define LTTNGMAP_CLI_CLIENT_JSON_KEYS_H

#include <stddef.h>

/* Objects and arrays within each other, at most. */
#define JSON_KEYS_DEPTH 16

/*
 * `text` is valid JSON. Where in it a member begins that its object has
 * already, or one whose name is spelled with a backslash, which could be any;
 * `size` where there is none, or where values are nested deeper than
 * JSON_KEYS_DEPTH.
 */
size_t json_keys_find_duplicate(const char *text, size_t size);

#endif /* LTTNGMAP_CLI_CLIENT_JSON_KEYS_H */
