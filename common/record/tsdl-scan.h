/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * tsdl-scan.h - a metadata text, token by token. A failure is sticky: the text has ended then. The
 * first one is kept: where it was, and what was expected there.
 * Never reads beyond the text, and each call goes on in it, or fails.
 */
#ifndef COMMON_RECORD_TSDL_SCAN_H
#define COMMON_RECORD_TSDL_SCAN_H

#include <stdbool.h>
#include <stdint.h>

enum tsdl_token { TSDL_END, TSDL_WORD, TSDL_NUMBER, TSDL_TEXT, TSDL_SIGN };

struct tsdl_scan {
	const char *at, *end;
	int error;
	enum tsdl_token token; /* the current one, from `begin` to `at` */
	const char *begin;
	uint64_t number;
	bool is_negative;
	const char *wrong;    /* the token that failed */
	const char *expected; /* in its place: a literal */
};

/* Nothing more is taken: `expected` is not there. The error is -ENOTSUP. */
void tsdl_fail(struct tsdl_scan *scan, const char *expected);
/* The next token becomes the current one. */
void tsdl_next(struct tsdl_scan *scan);
/* Is that the current one? And if so, go on. Or fail; `text` is a literal there. */
bool tsdl_is(const struct tsdl_scan *scan, const char *text);
bool tsdl_take_if(struct tsdl_scan *scan, const char *text);
void tsdl_expect(struct tsdl_scan *scan, const char *text);
/* A number that is not negative. */
uint64_t tsdl_take_value(struct tsdl_scan *scan);
/* Past the '}' of a block, whose '{' was taken. */
void tsdl_skip_block(struct tsdl_scan *scan);
/* Past the ';' of a statement that may have blocks. */
void tsdl_skip_statement(struct tsdl_scan *scan);

#endif /* COMMON_RECORD_TSDL_SCAN_H */
