/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * tsdl-scan.h - a metadata text, token by token. A failure is sticky: the text has ended then.
 * Never reads beyond the text, and each call goes on in it, or fails.
 */
#ifndef LTTNGMAP_COMMON_TSDL_SCAN_H
#define LTTNGMAP_COMMON_TSDL_SCAN_H

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
};

/* Nothing more is taken. Keeps the first error, which is -ENOTSUP. */
void tsdl_fail(struct tsdl_scan *scan);
/* The next token becomes the current one. */
void tsdl_next(struct tsdl_scan *scan);
/* Is that the current one? And if so, go on. Or fail. */
bool tsdl_is(const struct tsdl_scan *scan, const char *text);
bool tsdl_take_if(struct tsdl_scan *scan, const char *text);
void tsdl_expect(struct tsdl_scan *scan, const char *text);
/* A number that is not negative. */
uint64_t tsdl_take_value(struct tsdl_scan *scan);
/* Past the '}' of a block, whose '{' was taken. */
void tsdl_skip_block(struct tsdl_scan *scan);
/* Past the ';' of a statement that may have blocks. */
void tsdl_skip_statement(struct tsdl_scan *scan);

#endif /* LTTNGMAP_COMMON_TSDL_SCAN_H */
