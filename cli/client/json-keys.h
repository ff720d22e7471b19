/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* json-keys.h - finds members that an object has twice. json-c silently keeps the last one. */
#ifndef CLI_CLIENT_JSON_KEYS_H
#define CLI_CLIENT_JSON_KEYS_H

#include <stddef.h>

/* Deepest nesting of objects and arrays. */
#define JSON_KEYS_DEPTH 16

/*
 * Returns the offset in `text`, which is valid JSON, of a member that its object has twice. A name
 * with a backslash counts as such a member, because it could spell any name. Returns `size` if
 * there is none, or if values are nested deeper than JSON_KEYS_DEPTH.
 */
size_t json_keys_find_duplicate(const char *text, size_t size);

#endif /* CLI_CLIENT_JSON_KEYS_H */
