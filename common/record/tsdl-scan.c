/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/record/tsdl-scan.h"

#include <errno.h>
#include <string.h>

void tsdl_fail(struct tsdl_scan *scan, const char *expected)
{
	if (!scan->error) {
		scan->error = -ENOTSUP;
		scan->wrong = scan->begin;
		scan->expected = expected;
	}
	scan->at = scan->end;
	scan->token = TSDL_END;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_space(struct tsdl_scan *scan)
{
	while (scan->at < scan->end) {
		if (memchr(" \t\n", *scan->at, 3)) {
			scan->at++;
		} else if (scan->end - scan->at >= 2 && memcmp(scan->at, "/*", 2) == 0) {
			scan->begin = scan->at;
			scan->at =
				memmem(scan->at + 2, (size_t)(scan->end - scan->at) - 2, "*/", 2);
			if (!scan->at) {
				tsdl_fail(scan, "the end of this comment");
				return;
			}
			scan->at += 2;
		} else {
			return;
		}
	}
}

static void take_text(struct tsdl_scan *scan)
{
	for (scan->at++; scan->at < scan->end && *scan->at != '"'; scan->at++) {
		if (*scan->at == '\\' && scan->end - scan->at > 1)
			scan->at++;
	}
	if (scan->at >= scan->end) {
		tsdl_fail(scan, "the end of this text");
		return;
	}
	scan->at++;
	scan->token = TSDL_TEXT;
}

static void take_number(struct tsdl_scan *scan)
{
	scan->number = 0;
	scan->is_negative = *scan->at == '-';
	for (scan->at += scan->is_negative; scan->at < scan->end && is_digit(*scan->at); scan->at++)
		if (__builtin_mul_overflow(scan->number, 10, &scan->number) ||
		    __builtin_add_overflow(scan->number, (uint64_t)(*scan->at - '0'),
					   &scan->number)) {
			tsdl_fail(scan, "a number of 64 bits");
			return;
		}
	scan->token = TSDL_NUMBER;
}

void tsdl_next(struct tsdl_scan *scan)
{
	skip_space(scan);
	scan->begin = scan->at;
	scan->token = TSDL_END;
	if (scan->at >= scan->end)
		return;
	if (is_letter(*scan->at)) {
		while (scan->at < scan->end && (is_letter(*scan->at) || is_digit(*scan->at)))
			scan->at++;
		scan->token = TSDL_WORD;
	} else if (*scan->at == '"') {
		take_text(scan);
	} else if (is_digit(*scan->at) ||
		   (*scan->at == '-' && scan->end - scan->at > 1 && is_digit(scan->at[1]))) {
		take_number(scan);
	} else {
		scan->at++;
		scan->token = TSDL_SIGN;
	}
}

bool tsdl_is(const struct tsdl_scan *scan, const char *text)
{
	size_t length = strlen(text);

	return scan->token != TSDL_END && (size_t)(scan->at - scan->begin) == length &&
	       memcmp(scan->begin, text, length) == 0;
}

bool tsdl_take_if(struct tsdl_scan *scan, const char *text)
{
	if (!tsdl_is(scan, text))
		return false;
	tsdl_next(scan);
	return true;
}

void tsdl_expect(struct tsdl_scan *scan, const char *text)
{
	if (!tsdl_take_if(scan, text))
		tsdl_fail(scan, text);
}

uint64_t tsdl_take_value(struct tsdl_scan *scan)
{
	uint64_t number = scan->number;

	if (scan->token != TSDL_NUMBER || scan->is_negative)
		tsdl_fail(scan, "a number");
	tsdl_next(scan);
	return number;
}

void tsdl_skip_block(struct tsdl_scan *scan)
{
	unsigned depth = 1;

	while (depth > 0 && scan->token != TSDL_END) {
		if (tsdl_is(scan, "{"))
			depth++;
		else if (tsdl_is(scan, "}"))
			depth--;
		tsdl_next(scan);
	}
	if (depth > 0)
		tsdl_fail(scan, "}");
}

void tsdl_skip_statement(struct tsdl_scan *scan)
{
	while (!tsdl_is(scan, ";") && scan->token != TSDL_END) {
		if (tsdl_take_if(scan, "{"))
			tsdl_skip_block(scan);
		else
			tsdl_next(scan);
	}
	tsdl_expect(scan, ";");
}
