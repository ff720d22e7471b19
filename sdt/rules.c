/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sdt/rules.h"

#include <string.h>

/* `pattern` up to its end, '*' being any text; PROVIDER:NAME in two parts. */
static bool matches(const char *pattern, const char *end, const char *text)
{
	const char *star = NULL, *from = NULL;

	while (*text) {
		if (pattern < end && *pattern == '*') {
			star = pattern++;
			from = text;
		} else if (pattern < end && *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++from;
		} else {
			return false;
		}
	}
	while (pattern < end && *pattern == '*')
		pattern++;
	return pattern == end;
}

bool sdt_rules_match(const char *rules, const char *provider, const char *name)
{
	char full[512];
	size_t length = strlen(provider);

	if (length + strlen(name) + 2 > sizeof(full))
		return false;
	memcpy(full, provider, length);
	full[length] = ':';
	strcpy(full + length + 1, name);
	for (const char *rule = rules; *rule; rule += *rule == ',') {
		const char *end = rule + strcspn(rule, ",");

		if (matches(rule, end, full))
			return true;
		rule = end;
	}
	return false;
}
