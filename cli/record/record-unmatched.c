/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * record-unmatched.c - at the end, names the rules that matched no event and may be mistyped, and
 * the fields in filters that no event has. The daemon also knows the events of programs that ended.
 */
#include <config.h>

#include "cli/record/record.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/base/suggest.h"
#include "cli/client/control-client.h"
#include "cli/client/filter-name.h"

/* True if one of the events, an array of objects, matches the pattern. */
static bool is_matched(struct json_object *events, const char *pattern)
{
	for (size_t i = 0; i < json_object_array_length(events); i++) {
		struct json_object *event = json_object_array_get_idx(events, i);

		if (fnmatch(pattern, control_answer_text(event, "name"), 0) == 0)
			return true;
	}
	return false;
}

static void tell(struct json_object *events, const char *pattern)
{
	struct suggestion best = suggestion_begin(pattern, strlen(pattern));

	for (size_t i = 0; i < json_object_array_length(events); i++)
		suggestion_offer(&best,
				 control_answer_text(json_object_array_get_idx(events, i), "name"));
	message_note("no event matched the rule '%s'", pattern);
	if (best.word)
		message_hint("did you mean '%s'?", best.word);
}

static bool tell_fields(struct json_object *events, const char *pattern, const char *filter)
{
	struct filter_name name = { .length = 0 };
	bool any = false;

	for (; filter_name_find_missing(&name, filter, events, pattern); any = true) {
		message_note("no event has the field '%.*s' of the filter '%s'", (int)name.length,
			     name.at, filter);
		message_hint("did you mean '%s'?", name.similar);
	}
	return any;
}

/* A rule is one pattern, or several with commas between. */
static bool tell_rule(struct json_object *events, const char *rule, const char *filter)
{
	char pattern[256];
	bool any = false;

	for (size_t length; *rule; rule += length + (rule[length] == ',')) {
		length = strcspn(rule, ",");
		snprintf(pattern, sizeof(pattern), "%.*s", (int)length, rule);
		if (length == 0)
			continue;
		if (is_matched(events, pattern)) {
			any |= filter && tell_fields(events, pattern, filter);
			continue;
		}
		tell(events, pattern);
		any = true;
	}
	return any;
}

bool record_unmatched_report(const struct record *record)
{
	bool any = false;

	if (!record->events)
		return false;
	for (size_t i = 0; i < record->options.nr_rules; i++)
		any |= tell_rule(record->events, record->options.rules[i].rule,
				 record->options.rules[i].filter);
	return any;
}
