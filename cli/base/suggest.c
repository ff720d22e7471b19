/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/base/suggest.h"

#include <string.h>

#define LETTERS_MAX 63 /* longer words are compared up to here */

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned least = a < b ? a : b;

	return least < c ? least : c;
}

/* Letters to insert, remove, replace, or exchange with their neighbour. */
static unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned rows[3][LETTERS_MAX + 1];

	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *row = rows[i % 3], *above = rows[(i - 1) % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			row[j] = min3(above[j] + 1, row[j - 1] + 1,
				      above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = min3(row[j], row[j], rows[(i - 2) % 3][j - 2] + 1);
		}
	}
	return rows[na % 3][nb];
}

struct suggestion suggestion_begin(const char *typed, size_t length)
{
	length = length < LETTERS_MAX ? length : LETTERS_MAX;
	/* A word with more wrong letters is another word; short words may have fewer. */
	return (struct suggestion){ typed, length, NULL, length < 4 ? 2 : 3 };
}

void suggestion_offer(struct suggestion *suggestion, const char *word)
{
	unsigned distance = edit_distance(suggestion->typed, suggestion->length, word,
					  strnlen(word, LETTERS_MAX));

	if (suggestion->length >= 2 && strncmp(word, suggestion->typed, suggestion->length) == 0)
		distance = 0;
	if (distance < suggestion->distance) {
		suggestion->distance = distance;
		suggestion->word = word;
	}
}

void suggestion_offer_options(struct suggestion *suggestion, const struct poptOption *table)
{
	for (; table && (table->longName || table->shortName || table->arg); table++) {
		if ((table->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE)
			suggestion_offer_options(suggestion, table->arg);
		else if (table->longName && !(table->argInfo & POPT_ARGFLAG_DOC_HIDDEN))
			suggestion_offer(suggestion, table->longName);
	}
}
