/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/client/filter-name.h"

#include <fnmatch.h>
#include <string.h>

#include "cli/base/suggest.h"
#include "cli/client/control-client.h"

/* The next name of a field in a filter, or NULL: no label, no context, no number. */
static const char *next_name(const char *at, size_t *length)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
				     "0123456789.$:";

	while (*at) {
		*length = strspn(at, others);
		if (*length && strchr(letters, *at))
			return at;
		if (*length) {
			at += *length;
		} else if (*at == '"') {
			for (at++; *at && *at != '"'; at++)
				at += *at == '\\' && at[1];
			at += *at == '"';
		} else {
			at++;
		}
	}
	return NULL;
}

/* True if the event has that field. */
static bool offer_fields(struct json_object *event, const struct filter_name *name,
			 struct suggestion *best)
{
	struct json_object *fields = NULL;
	bool is_known = false;

	if (!json_object_object_get_ex(event, "fields", &fields) ||
	    !json_object_is_type(fields, json_type_array))
		return false;
	for (size_t i = 0; i < json_object_array_length(fields); i++) {
		const char *field =
			control_answer_text(json_object_array_get_idx(fields, i), "name");

		is_known |= strlen(field) == name->length &&
			    strncmp(field, name->at, name->length) == 0;
		suggestion_offer(best, field);
	}
	return is_known;
}

bool filter_name_find_missing(struct filter_name *name, const char *filter,
			      struct json_object *events, const char *pattern)
{
	const char *from = name->at ? name->at + name->length : filter;

	while ((name->at = next_name(from, &name->length))) {
		struct suggestion best = suggestion_begin(name->at, name->length);
		bool is_known = false;

		for (size_t i = 0; i < json_object_array_length(events); i++) {
			struct json_object *event = json_object_array_get_idx(events, i);

			if (fnmatch(pattern, control_answer_text(event, "name"), 0) == 0)
				is_known |= offer_fields(event, name, &best);
		}
		name->similar = best.word;
		if (!is_known && best.word)
			return true;
		from = name->at + name->length;
	}
	return false;
}
