/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/client/json-keys.h"

#include <stdbool.h>
#include <string.h>

/* Each key of an object is compared with all others of the object: there are few. */
#define KEYS_MOST 64

struct level {
	bool object;
	bool at_key; /* the next string is a key */
	size_t nr_keys;
	struct {
		size_t begin, length;
	} keys[KEYS_MOST];
};

/* From the opening quote to behind the closing one. */
static size_t skip_string(const char *text, size_t size, size_t at)
{
	for (at++; at < size && text[at] != '"'; at++) {
		if (text[at] == '\\')
			at++;
	}
	return at < size ? at + 1 : size;
}

static bool add_key(struct level *level, const char *text, size_t begin, size_t length)
{
	if (memchr(text + begin, '\\', length))
		return false;
	for (size_t i = 0; i < level->nr_keys; i++) {
		if (level->keys[i].length == length &&
		    memcmp(text + level->keys[i].begin, text + begin, length) == 0)
			return false;
	}
	if (level->nr_keys < KEYS_MOST) {
		level->keys[level->nr_keys].begin = begin;
		level->keys[level->nr_keys++].length = length;
	}
	return true;
}

size_t json_keys_find_duplicate(const char *text, size_t size)
{
	static struct level levels[JSON_KEYS_DEPTH];
	struct level *level = NULL;
	size_t depth = 0, at = 0;

	while (at < size) {
		size_t end = at + 1;

		switch (text[at]) {
		case '{':
		case '[':
			if (depth == JSON_KEYS_DEPTH)
				return size;
			level = &levels[depth++];
			level->object = level->at_key = text[at] == '{';
			level->nr_keys = 0;
			break;
		case '}':
		case ']':
			depth = depth ? depth - 1 : 0;
			level = depth ? &levels[depth - 1] : NULL;
			break;
		case ',':
			if (level)
				level->at_key = level->object;
			break;
		case '"':
			end = skip_string(text, size, at);
			if (level && level->at_key && !add_key(level, text, at, end - at))
				return at;
			if (level)
				level->at_key = false;
			break;
		}
		at = end;
	}
	return size;
}
