/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/kernel/kernel-format.h"

#include <ctype.h>
#include <string.h>

/* Offsets, sizes and ids have less. */
#define DIGITS_MAX 9

struct scan {
	const char *at;
	const char *end;
};

static bool skip(struct scan *scan, const char *text)
{
	size_t length = strlen(text);

	if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, text, length) != 0)
		return false;
	scan->at += length;
	return true;
}

static bool is_word_byte(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_';
}

static bool skip_number(struct scan *scan)
{
	const char *begin = scan->at;

	while (scan->at < scan->end && isdigit((unsigned char)*scan->at))
		scan->at++;
	return scan->at > begin && scan->at - begin <= DIGITS_MAX;
}

static bool skip_word(struct scan *scan)
{
	const char *begin = scan->at;

	if (scan->at < scan->end && isdigit((unsigned char)*scan->at))
		return false;
	while (scan->at < scan->end && is_word_byte(*scan->at))
		scan->at++;
	return scan->at > begin;
}

/* [], [N], [NAME], or one of them plus another. */
static bool skip_brackets(struct scan *scan)
{
	if (!skip(scan, "["))
		return false;
	while (scan->at < scan->end &&
	       (is_word_byte(*scan->at) || *scan->at == ' ' || *scan->at == '+'))
		scan->at++;
	return skip(scan, "]");
}

static void skip_spaces(struct scan *scan)
{
	while (skip(scan, " "))
		;
}

/*
 * A type, which is words and stars, then a name, which may have brackets: two words
 * at least, the last one being the name. Where a word leads to an array, the brackets
 * are the type's: `__data_loc char[] name`.
 */
static bool skip_declaration(struct scan *scan)
{
	bool is_elsewhere = skip(scan, "__data_loc ") || skip(scan, "__rel_loc ");
	bool is_name = false;
	unsigned words = 0;

	while (scan->at < scan->end && *scan->at != ';' && *scan->at != '[') {
		is_name = skip_word(scan);
		if (!is_name && (words == 0 || !skip(scan, "*")))
			return false;
		words += is_name;
		skip_spaces(scan);
	}
	if (!is_name)
		return false;
	if (scan->at == scan->end || *scan->at != '[')
		return words > 1;
	if (!skip_brackets(scan))
		return false;
	if (!is_elsewhere)
		return words > 1;
	skip_spaces(scan);
	return skip_word(scan);
}

static bool skip_field(struct scan *scan)
{
	return skip_declaration(scan) && skip(scan, ";\toffset:") && skip_number(scan) &&
	       skip(scan, ";\tsize:") && skip_number(scan) &&
	       (skip(scan, ";\tsigned:0;\n") || skip(scan, ";\tsigned:1;\n"));
}

bool kernel_format_check(const char *text, size_t size, struct kernel_format *format)
{
	struct scan scan = { .at = text, .end = text + size };

	format->fields = 0;
	if (!skip(&scan, "name: ") || !skip_word(&scan) || !skip(&scan, "\nID: ") ||
	    !skip_number(&scan) || !skip(&scan, "\nformat:\n"))
		return false;
	for (;;) {
		format->print = (size_t)(scan.at - text);
		if (skip(&scan, "print fmt: "))
			return !memchr(scan.at, '\0', (size_t)(scan.end - scan.at));
		if (skip(&scan, "\n"))
			continue;
		if (!skip(&scan, "\tfield:") || !skip_field(&scan))
			return false;
		format->fields++;
	}
}
