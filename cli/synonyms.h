/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * synonyms.h - how LTTng spells what our verbs do: understood where it means
 * the same. synonyms.c is the one table.
 */
#ifndef CLI_SYNONYMS_H
#define CLI_SYNONYMS_H

#include <popt.h>

struct verb;

/* An option of LTTng's, and the options of ours that it stands for. */
struct synonym_option {
	const char *name; /* long, without the dashes; NULL: none */
	char letter;      /* '\0': none */
	const char *means;
};

struct synonym {
	const char *spelling;
	const char *argument; /* taken away where it comes first; NULL: none */
	const struct verb *verb;
	const struct synonym_option *options; /* ends with an empty one; or NULL */
	const char *hint;                     /* verb is NULL: what to do instead */
};

/* NULL: LTTng and we spell it alike, or it is unknown. */
const struct synonym *synonym_find(const char *spelling);
/* Teach `context` the options. Aborts without memory. */
void synonym_add_options(const struct synonym *synonym, poptContext context);
/* Values that poptGetNextOpt() returns for options of LTTng's that are spelled otherwise here. */
enum synonym_refused {
	SYNONYM_OF_AGENT = 'A' << 8,
	SYNONYM_OF_PLACE,
};
void synonym_refuse(const struct synonym *synonym, int value);
/* Said by LTTng of every verb, and meaning nothing here: -u, --userspace. */
extern const struct poptOption synonym_ignored_table[];

#endif /* CLI_SYNONYMS_H */
