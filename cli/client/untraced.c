/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/client/untraced.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/client/control-client.h"

/* the rest is counted together */
#define NAMES_SHOWN 8
#define NAME_SIZE 56

static struct json_object *list_of(struct json_object *answer)
{
	struct json_object *list = NULL;

	if (!json_object_object_get_ex(answer, "untraced", &list) ||
	    !json_object_is_type(list, json_type_array))
		return NULL;
	return list;
}

/* "ls", or "ls of user 1001": the user's process chose the name. */
static const char *name_of(struct json_object *list, size_t at, char text[NAME_SIZE])
{
	struct json_object *item = json_object_array_get_idx(list, at), *uid;
	const char *name = control_answer_text(item, "name");

	if (json_object_object_get_ex(item, "uid", &uid) && strcmp(name, "?") != 0 &&
	    !strchr(name, ' ') && json_object_get_int64(uid) != geteuid())
		snprintf(text, NAME_SIZE, "%.24s of user %" PRId64, name,
			 json_object_get_int64(uid));
	else
		snprintf(text, NAME_SIZE, "%.40s", name);
	return text;
}

/* True if the name was listed before, with another reason. */
static bool was_before(struct json_object *list, size_t end, const char *name)
{
	char other[NAME_SIZE];

	for (size_t i = 0; i < end; i++)
		if (strcmp(name_of(list, i, other), name) == 0)
			return true;
	return false;
}

static uint64_t count_of(struct json_object *list, const char *name)
{
	char other[NAME_SIZE];
	uint64_t count = 0;

	for (size_t i = 0; i < json_object_array_length(list); i++)
		if (strcmp(name_of(list, i, other), name) == 0)
			count += control_answer_count(json_object_array_get_idx(list, i), "count");
	return count;
}

char *untraced_describe(struct json_object *answer, char text[UNTRACED_TEXT_SIZE])
{
	uint64_t total = control_answer_count(answer, "not_traced"), named = 0;
	struct json_object *list = list_of(answer);
	size_t length = list ? json_object_array_length(list) : 0, used;
	char text_of_name[NAME_SIZE];
	int shown = 0;

	text[0] = '\0';
	if (!total)
		return text;
	used = (size_t)snprintf(text, UNTRACED_TEXT_SIZE, "%" PRIu64 " process%s not traced", total,
				total == 1 ? "" : "es");
	for (size_t i = 0; i < length && shown < NAMES_SHOWN; i++) {
		const char *name = name_of(list, i, text_of_name);
		uint64_t count;

		if (was_before(list, i, name))
			continue;
		count = count_of(list, name);
		named += count;
		used += (size_t)snprintf(text + used, UNTRACED_TEXT_SIZE - used,
					 "%s%s (%" PRIu64 ")", shown ? ", " : ": ", name, count);
		shown++;
	}
	if (named < total && shown)
		snprintf(text + used, UNTRACED_TEXT_SIZE - used, ", and %" PRIu64 " more",
			 total - named);
	return text;
}

bool untraced_has(struct json_object *answer, const char *why)
{
	struct json_object *list = list_of(answer);

	for (size_t i = 0; list && i < json_object_array_length(list); i++)
		if (strcmp(control_answer_text(json_object_array_get_idx(list, i), "why"), why) ==
		    0)
			return true;
	return false;
}

const char *untraced_hint(struct json_object *answer)
{
	static const struct {
		const char *why, *hint;
	} hints[] = {
		{ "late", "the session daemon did not answer them in time: is the machine "
			  "overloaded? --register-timeout of record lets programs wait longer" },
		{ "refused", "the messages of the session daemon say why it refused them" },
		{ "descriptors",
		  "the session daemon has no descriptors for them: raise ulimit -n" },
		{ "forked", "children that change their user or root directory, or have no "
			    "descriptor left, cannot reach the session daemon" },
		{ "executed",
		  "nothing is preloaded into programs that are statically linked, gain "
		  "privileges, are for another machine or C library, are started without "
		  "LD_PRELOAD, or see none of lttngmap's libraries, as in a container" },
		{ "alone", "programs that closed their descriptors, or are under a seccomp filter, "
			   "take part only in channels that were started before" },
	};
	struct json_object *list = list_of(answer);
	const char *why = "";

	if (list && json_object_array_length(list) > 0)
		why = control_answer_text(json_object_array_get_idx(list, 0), "why");
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		if (strcmp(hints[i].why, why) == 0)
			return hints[i].hint;
	return NULL;
}
