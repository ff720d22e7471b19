/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * suggest.h - "did you mean": finds the known word that is most like a mistyped one.
 *
 *   struct suggestion best = suggestion_begin("reocrd", 6);
 *   for each known word: suggestion_offer(&best, word);
 *   if (best.word) ...
 */
#ifndef CLI_BASE_SUGGEST_H
#define CLI_BASE_SUGGEST_H

#include <popt.h>
#include <stddef.h>

struct suggestion {
	const char *typed;
	size_t length;
	const char *word; /* the best word so far, as offered; NULL: none */
	unsigned distance;
};

struct suggestion suggestion_begin(const char *typed, size_t length);
/*
 * Takes `word` if it begins with the typed text, or has fewer wrong letters than the best so far.
 */
void suggestion_offer(struct suggestion *suggestion, const char *word);
/* Offers all long options of the table. */
void suggestion_offer_options(struct suggestion *suggestion, const struct poptOption *table);

#endif /* CLI_BASE_SUGGEST_H */
