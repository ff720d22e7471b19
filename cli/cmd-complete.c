/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * cmd-complete.c - lttngmap complete WORD...: how a command line may go on.
 *
 * The shells' completions (cli/completion/) ask for each of their answers here, so that
 * none of them has a list of its own. The name that the usage gives to a value or an
 * argument tells what it may be: DIR, SESSION, FAMILY,... (complete-value.c).
 */
#include <config.h>

#include "cli/verbs.h"

#include <stdio.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/client/session-verb.h"
#include "cli/complete.h"
#include "cli/usage.h"

/* The words on the line before the word to be completed. */
struct line {
	const struct verb *verb;
	const struct poptOption *open; /* the word is this option's value, or NULL */
	int command;                   /* index of a command's first word, or 0 */
	bool ended;                    /* by --: no more options */
	bool is_kernel;                /* --kernel was given: rules are for the kernel's events */
	const char *argument;          /* the first word that is no option's, or NULL */
	unsigned nr_arguments;         /* such words */
};

static bool takes_value(const struct poptOption *option)
{
	unsigned kind = option->argInfo & POPT_ARG_MASK;

	return kind != POPT_ARG_NONE && kind != POPT_ARG_VAL;
}

static bool is_last(const struct poptOption *option)
{
	return !option->longName && !option->shortName && !option->arg;
}

/* By its long name, or by its letter where `name` is NULL. */
static const struct poptOption *find_in(const struct poptOption *table, const char *name,
					size_t length, char letter)
{
	const struct poptOption *found = NULL;

	for (; table && !found && !is_last(table); table++) {
		if ((table->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE)
			found = find_in(table->arg, name, length, letter);
		else if (name ? table->longName && strlen(table->longName) == length &&
					 strncmp(table->longName, name, length) == 0
			      : table->shortName == letter)
			found = table;
	}
	return found;
}

static const struct poptOption *find_option(const struct verb *verb, const char *word)
{
	const struct poptOption *option;
	size_t length;

	if (strncmp(word, "--", 2) != 0)
		return find_in(verb->options, NULL, 0, word[strlen(word) - 1]);
	length = strcspn(word + 2, "=");
	option = find_in(verb->options, word + 2, length, '\0');
	return option ? option : find_in(usage_help_table, word + 2, length, '\0');
}

static void print_options(const struct poptOption *table, const char *word)
{
	for (; table && !is_last(table); table++) {
		char name[64];

		if ((table->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE) {
			print_options(table->arg, word);
		} else if (table->longName && !(table->argInfo & POPT_ARGFLAG_DOC_HIDDEN)) {
			snprintf(name, sizeof(name), "--%s", table->longName);
			complete_print(word, "", name, table->descrip);
		}
	}
}

/* Keeps the value of an option that names the daemon, the session, or the trace to ask. */
static void keep_value(const struct poptOption *option, const char *value)
{
	if (option->arg == &session_options.session)
		session_options.session = (char *)value;
	else if (option->arg == &session_options.runtime_dir)
		session_options.runtime_dir = (char *)value;
}

/* words[0] is the verb's, words[count] the one that is asked for. */
static void read_line(struct line *line, int count, const char **words)
{
	for (int i = 1; i < count && !line->command; i++) {
		const char *word = words[i], *value = strchr(word, '=');

		if (line->open) {
			keep_value(line->open, word);
			line->open = NULL;
		} else if (strcmp(word, "--") == 0 && !line->ended) {
			line->ended = true;
			line->command = line->verb->takes_command ? i + 1 : 0;
		} else if (word[0] == '-' && word[1] != '\0' && !line->ended) {
			const struct poptOption *option = find_option(line->verb, word);

			if (option && takes_value(option) && !(word[1] == '-' && value))
				line->open = option;
			else if (option && takes_value(option))
				keep_value(option, value + 1);
			else if (option && option->longName &&
				 strcmp(option->longName, "kernel") == 0)
				line->is_kernel = true;
		} else if (line->verb->takes_command) {
			line->command = i;
		} else {
			if (!line->argument)
				line->argument = word;
			line->nr_arguments++;
		}
	}
}

/*
 * The name of the verb's arguments: the last word of its usage, without brackets. Where the first
 * one is one of several words, that of argument number `index`.
 */
static void argument_name(const struct verb *verb, unsigned index, char *name, size_t size)
{
	const char *last = strrchr(verb->arguments, ' ');
	const char *first = strchr(verb->arguments, ' ');
	size_t length;

	if (first && first != last && memchr(first + 1, '|', strcspn(first + 1, " ")))
		for (last = first; index > 0 && strchr(last + 1, ' '); index--)
			last = strchr(last + 1, ' ');
	last = last ? last + 1 : verb->arguments;
	last += *last == '[';
	length = strcspn(last, " ].");
	if (length < size) {
		memcpy(name, last, length);
		name[length] = '\0';
	}
}

static void complete_verb(const char *word)
{
	for (int i = 0; verbs[i]; i++)
		complete_print(word, "", verbs[i]->name, verbs[i]->summary);
	if (word[0] == '-') {
		complete_print(word, "", "--help", "Show the verbs");
		complete_print(word, "", "--version", "Show the version");
	}
}

static void complete_word(const struct line *line, const char *word)
{
	char name[64] = "", before[64];
	const char *value = strchr(word, '=');
	const struct poptOption *option = NULL;

	if (line->open) {
		complete_value(line->verb, line->open->argDescrip, word, "", line->argument);
	} else if (line->command) {
		printf("\tcommand\t%d\n", line->command);
	} else if (strncmp(word, "--", 2) == 0 && value && !line->ended) {
		option = find_option(line->verb, word);
		if (!option || !takes_value(option) || value - word >= (int)sizeof(before) - 1)
			return;
		snprintf(before, sizeof(before), "%.*s", (int)(value + 1 - word), word);
		complete_value(line->verb, option->argDescrip, value + 1, before, line->argument);
	} else if (word[0] == '-' && !line->ended) {
		print_options(line->verb->options, word);
		print_options(usage_help_table, word);
	} else if (line->verb->takes_command) {
		complete_print(word, "", "--", "The command follows");
	} else {
		argument_name(line->verb, line->nr_arguments, name, sizeof(name));
		complete_value(line->verb,
			       line->is_kernel && strcmp(name, "RULE") == 0 ? "SYSTEM:NAME,..."
									    : name,
			       word, "", NULL);
	}
}

static int run(int argc, const char **argv)
{
	struct line line = { 0 };

	if (argc <= 1) {
		complete_verb(argc == 1 ? argv[0] : "");
	} else {
		line.verb = verbs_find(argv[0]);
		if (line.verb) {
			read_line(&line, argc - 1, argv);
			complete_word(&line, argv[argc - 1]);
		}
	}
	return message_flush_output() ? CLI_STATUS_FAILED : CLI_STATUS_OK;
}

const struct verb verb_complete = {
	.name = "complete",
	.arguments = "-- [WORD...]",
	.summary = "Tell a shell how a command line may go on",
	.example = "lttngmap complete -- record --sub",
	.options = NULL,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
