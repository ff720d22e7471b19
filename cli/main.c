/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * main.c - lttngmap VERB [OPTIONS] …: finds the verb, reads its options.
 */
#include <config.h>

#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/suggest.h"
#include "cli/synonyms.h"
#include "cli/usage.h"
#include "cli/verbs.h"

/*
 * A context that knows the verb's options, those of its synonym, if any, and
 * --help; aborts without memory.
 */
static poptContext context_create(const struct verb *verb, const struct synonym *synonym, int argc,
				  const char **argv)
{
	static struct poptOption table[4];
	static char name[64];
	poptContext context;
	int n = 0;

	if (verb->options)
		table[n++] = (struct poptOption){
			NULL,       '\0', POPT_ARG_INCLUDE_TABLE, (void *)verb->options, 0,
			"Options:", NULL
		};
	table[n++] = (struct poptOption){
		NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)usage_help_table, 0, "Help:", NULL
	};
	if (!verb->takes_command)
		table[n++] = (struct poptOption){
			NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)synonym_ignored_table, 0,
			NULL, NULL
		};
	table[n] = (struct poptOption)POPT_TABLEEND;
	snprintf(name, sizeof(name), "lttngmap %s", verb->name);
	argv[0] = name; /* what popt calls us in the usage */
	context = poptGetContext(name, argc, argv, table,
				 verb->takes_command ? POPT_CONTEXT_POSIXMEHARDER : 0);
	if (!context)
		abort();
	synonym_add_options(synonym, context);
	return context;
}

#define HINT_MI "--json behind the verb prints one JSON object; XML there is none"

static void refuse_option(const struct verb *verb, const char *option)
{
	struct suggestion best;

	message_error("%s: unknown option %s", verb->name, option);
	if (verb == &verb_record && (strcmp(option, "-p") == 0 || strcmp(option, "--pid") == 0)) {
		message_hint("`lttngmap attach PID` brings tracing into a process that runs, for a "
			     "session of `lttngmap create`");
		return;
	}
	if (verb == &verb_export && strcmp(option, "--csv") == 0) {
		message_hint("lttngmap view --json | jq -r '[.timestamp, .event, .fields.NAME] | "
			     "@csv' writes such lines");
		return;
	}
	if (strcmp(option, "-m") == 0 || strcmp(option, "--mi") == 0) {
		message_hint(HINT_MI);
		return;
	}
	if (strncmp(option, "--", 2) != 0)
		return;
	best = suggestion_begin(option + 2, strcspn(option + 2, "="));
	suggestion_offer_options(&best, verb->options);
	if (best.word)
		message_hint("did you mean '--%s'?", best.word);
}

/* popt names a wrong value alone where that is an argument of its own. */
static const char *option_before(int argc, const char **argv, const char *value)
{
	if (value[0] == '-')
		return "";
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], value) == 0 && argv[i - 1][0] == '-')
			return argv[i - 1];
	return "";
}

static int verb_main(const struct verb *verb, const struct synonym *synonym, int argc,
		     const char **argv)
{
	poptContext context = context_create(verb, synonym, argc, argv);
	int status, next, count = 0;
	const char **rest;

	while ((next = poptGetNextOpt(context)) >= 0) {
		if (next == USAGE_OPTION_HELP) {
			usage_print(verb, stdout);
			poptFreeContext(context);
			return message_flush_output() ? CLI_STATUS_FAILED : CLI_STATUS_OK;
		}
		if (next == SYNONYM_OF_AGENT || next == SYNONYM_OF_PLACE) {
			synonym_refuse(synonym, next);
			poptFreeContext(context);
			return verb_usage_error(verb);
		}
	}
	if (next < -1) {
		const char *option = poptBadOption(context, POPT_BADOPTION_NOALIAS);

		if (next == POPT_ERROR_BADOPT)
			refuse_option(verb, option);
		else
			message_error("%s: option %s%s%s: %s", verb->name,
				      option_before(argc, argv, option),
				      option[0] == '-' ? "" : " ", option, poptStrerror(next));
		poptFreeContext(context);
		return verb_usage_error(verb);
	}
	rest = poptGetArgs(context);
	while (rest && rest[count])
		count++;
	if (synonym && synonym->argument && count > 0 && strcmp(rest[0], synonym->argument) == 0) {
		rest++;
		count--;
	}
	status = verb->run(count, rest ? rest : (const char *[]){ NULL });
	poptFreeContext(context);
	return status;
}

/*
 * Fills closed standard descriptors, so that no file opened here becomes standard input, output or
 * error. Close-on-exec, so that a program finds them closed.
 */
static void fill_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/* The lowest free number is this one, or a later round's. */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
			abort();
	}
}

static int refuse_verb(const char *name, const struct synonym *synonym)
{
	const struct verb *similar = verbs_suggest(name);

	message_error("unknown %s '%s'", name[0] == '-' ? "option" : "verb", name);
	if (strcmp(name, "-m") == 0 || strncmp(name, "--mi", 4) == 0)
		message_hint(HINT_MI);
	else if (synonym)
		message_hint("%s", synonym->hint);
	else if (similar)
		message_hint("did you mean 'lttngmap %s'?", similar->name);
	else
		message_hint("`lttngmap help` lists the verbs");
	return CLI_STATUS_USAGE;
}

int main(int argc, char **argv)
{
	const struct verb *verb;
	const struct synonym *synonym;

	fill_standard_descriptors();
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C"); /* numbers are for programs, too */
	if (argc < 2) {
		message_error("a verb is missing");
		verbs_print_short(stderr);
		return CLI_STATUS_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 ||
	    strcmp(argv[1], "version") == 0) {
		puts("lttngmap " PACKAGE_VERSION);
		return message_flush_output() ? CLI_STATUS_FAILED : CLI_STATUS_OK;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		argv[1] = (char *)verb_help.name;
	verb = verbs_find(argv[1]);
	synonym = synonym_find(argv[1]);
	if (verb)
		return verb_main(verb, synonym, argc - 1, (const char **)argv + 1);
	return refuse_verb(argv[1], synonym);
}
