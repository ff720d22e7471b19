/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/rule/rule.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stands for '*' in a compiled pattern: a byte that no name contains. */
#define ANY '\1'

struct rule {
	char *text;
	char *patterns; /* compiled, each with its NUL, one after another */
	size_t nr_patterns;
};

struct problem {
	char *why;
	size_t size;
};

static int refuse(const struct problem *problem, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(const struct problem *problem, const char *format, ...)
{
	va_list arguments;
	int length;

	if (!problem->why || problem->size == 0)
		return -EINVAL;
	va_start(arguments, format);
	length = vsnprintf(problem->why, problem->size, format, arguments);
	va_end(arguments);
	if (length >= 0 && (size_t)length < problem->size)
		snprintf(problem->why + length, problem->size - (size_t)length,
			 "; a rule is PROVIDER:NAME, where '*' stands for any text, or several of "
			 "these with commas between");
	return -EINVAL;
}

/* A pattern that can match nothing is a mistake that would show much later. */
static int check_pattern(const char *pattern, const struct problem *problem)
{
	const char *colon = strchr(pattern, ':');

	if (*pattern == '\0')
		return refuse(problem, "a pattern is empty");
	if (!colon && !strchr(pattern, ANY))
		return refuse(problem, "'%s' has no ':'", pattern);
	if (colon == pattern)
		return refuse(problem, "no provider stands before the ':'");
	if (colon && colon[1] == '\0')
		return refuse(problem, "no name stands after the ':'");
	return 0;
}

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("_.:-", c));
}

static int refuse_byte(const struct problem *problem, unsigned char byte)
{
	if (byte > 0x20 && byte < 0x7f)
		return refuse(problem, "no event has '%c' in its name", byte);
	return refuse(problem, "no event has the byte %#04x in its name", byte);
}

/* Compile text into `to`, which has room for as many bytes. */
static int compile(const char *text, char *to, size_t *nr_patterns, const struct problem *problem)
{
	char *pattern = to;
	int error;

	*nr_patterns = 0;
	for (;; text++) {
		if (*text == ',' || *text == '\0') {
			*to++ = '\0';
			error = check_pattern(pattern, problem);
			if (error < 0)
				return error;
			++*nr_patterns;
			if (*text == '\0')
				return 0;
			pattern = to;
		} else if (*text == '*') {
			/* Many in a row say the same as one. */
			if (to == pattern || to[-1] != ANY)
				*to++ = ANY;
		} else if (*text == '\\') {
			text++;
			if (*text == '\0' || !strchr("*,\\", *text))
				return refuse(problem,
					      "'\\' stands before none of '*', ',' and '\\'");
			*to++ = *text;
		} else if (is_name_byte(*text)) {
			*to++ = *text;
		} else {
			return refuse_byte(problem, (unsigned char)*text);
		}
	}
}

int rule_parse(const char *text, struct rule **rule, char *why, size_t why_size)
{
	struct problem problem = { why, why_size };
	size_t length = strnlen(text, RULE_LENGTH_MAX + 1);
	struct rule *new;
	int error;

	if (length > RULE_LENGTH_MAX)
		return refuse(&problem, "a rule of more than %u bytes is too long",
			      RULE_LENGTH_MAX);
	new = calloc(1, sizeof(*new) + 2 * (length + 1));
	if (!new)
		return -ENOMEM;
	new->text = (char *)(new + 1);
	new->patterns = new->text + length + 1;
	memcpy(new->text, text, length);
	error = compile(new->text, new->patterns, &new->nr_patterns, &problem);
	if (error < 0) {
		free(new);
		return error;
	}
	*rule = new;
	return 0;
}

void rule_destroy(struct rule *rule)
{
	free(rule);
}

const char *rule_text(const struct rule *rule)
{
	return rule->text;
}

/*
 * Where bytes differ after a '*', let that one take a byte more and try again
 * from there. Earlier ones need no second try: the last takes what they would.
 */
static bool match_pattern(const char *pattern, const char *name)
{
	const char *after = NULL; /* of the last '*' in the pattern */
	const char *taken = NULL; /* up to where it takes the name */

	while (*name) {
		if (*pattern == ANY) {
			after = ++pattern;
			taken = name;
		} else if (*pattern == *name) {
			pattern++;
			name++;
		} else if (after) {
			pattern = after;
			name = ++taken;
		} else {
			return false;
		}
	}
	return *pattern == '\0' || (*pattern == ANY && pattern[1] == '\0');
}

bool rule_match(const struct rule *rule, const struct registry_class *event_class)
{
	const char *pattern = rule->patterns;

	for (size_t i = 0; i < rule->nr_patterns; i++) {
		if (match_pattern(pattern, event_class->full_name))
			return true;
		pattern += strlen(pattern) + 1;
	}
	return false;
}
