/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * usage.c - what `lttngmap help VERB` shows: how it is called, an example, the options. A table
 * that is included with a text is a group of that heading. Lines have 80 columns at most.
 */
#include <config.h>

#include "cli/usage.h"

#include <string.h>

#define COLUMNS 80
/* Where the options' texts begin; one whose name is longer has its text on the next line. */
#define TEXT_COLUMN 32

const struct poptOption usage_help_table[] = { { "help", 'h', POPT_ARG_NONE, NULL,
						 USAGE_OPTION_HELP, "Show this usage", NULL },
					       POPT_TABLEEND };

static bool is_last(const struct poptOption *option)
{
	return !option->longName && !option->shortName && !option->arg;
}

static bool is_table(const struct poptOption *option)
{
	return (option->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE;
}

/* `text` by words, in lines that begin at `indent`, where the first one is already. */
static void put_words(FILE *stream, const char *text, int indent)
{
	int column = indent;

	while (*text) {
		int length = (int)strcspn(text, " ");

		if (column > indent && column + 1 + length > COLUMNS) {
			fprintf(stream, "\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			fputc(' ', stream);
			column++;
		}
		fprintf(stream, "%.*s", length, text);
		column += length;
		text += length + strspn(text + length, " ");
	}
	fputc('\n', stream);
}

static void put_text(FILE *stream, const char *text, int column)
{
	if (column > TEXT_COLUMN - 1) {
		fputc('\n', stream);
		column = 0;
	}
	fprintf(stream, "%*s", TEXT_COLUMN - column, "");
	put_words(stream, text, TEXT_COLUMN);
}

static void put_option(FILE *stream, const struct poptOption *option)
{
	int column;

	if (!option->longName || option->argInfo & POPT_ARGFLAG_DOC_HIDDEN)
		return;
	if (option->shortName)
		column = fprintf(stream, "  -%c, --%s", option->shortName, option->longName);
	else
		column = fprintf(stream, "      --%s", option->longName);
	if (option->argDescrip)
		column += fprintf(stream, "=%s", option->argDescrip);
	put_text(stream, option->descrip, column);
}

/* Those of the table itself, and of tables in it that have no heading. */
static void put_plain(FILE *stream, const struct poptOption *table)
{
	for (; table && !is_last(table); table++) {
		if (is_table(table) && !table->descrip)
			put_plain(stream, table->arg);
		else if (!is_table(table))
			put_option(stream, table);
	}
}

static bool has_plain(const struct poptOption *table)
{
	for (; table && !is_last(table); table++) {
		if (!table->longName && is_table(table) && !table->descrip && has_plain(table->arg))
			return true;
		if (table->longName)
			return true;
	}
	return false;
}

void usage_print(const struct verb *verb, FILE *stream)
{
	char summary[256];
	/* lttngmap(1) describes that one. */
	bool has_page = strcmp(verb->name, "help") != 0;

	fprintf(stream, "Usage: lttngmap %s %s\n", verb->name, verb->arguments);
	snprintf(summary, sizeof(summary), "%s%s See also lttngmap%s%s(1).", verb->summary,
		 verb->summary[strlen(verb->summary) - 1] == '.' ? "" : ".", has_page ? "-" : "",
		 has_page ? verb->name : "");
	put_words(stream, summary, 0);
	if (verb->example)
		fprintf(stream, "\nExample: %s\n", verb->example);
	for (const struct poptOption *table = verb->options; table && !is_last(table); table++) {
		if (!is_table(table) || !table->descrip)
			continue;
		fprintf(stream, "\n%s\n", table->descrip);
		put_plain(stream, table->arg);
	}
	/* Behind groups, it belongs to the last one. */
	if (has_plain(verb->options) || !verb->options)
		fprintf(stream, "\nOptions:\n");
	put_plain(stream, verb->options);
	put_plain(stream, usage_help_table);
}
