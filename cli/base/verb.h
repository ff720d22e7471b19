/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * verb.h - a verb of the command: its name, options and function.
 *
 * One popt table of options makes both the parser and the usage. A test compares the manual page
 * with the table.
 */
#ifndef CLI_BASE_VERB_H
#define CLI_BASE_VERB_H

#include <popt.h>
#include <stdbool.h>

/* Exit statuses of the command; the manual pages list them. */
enum cli_status {
	CLI_STATUS_OK = 0,
	CLI_STATUS_FAILED = 1,
	CLI_STATUS_USAGE = 2,
	CLI_STATUS_BROKEN = 3, /* part of a trace cannot be read or written; the rest is shown */
	/*
	 * `record` returns its program's status. Its own errors, usage errors included, have
	 * the numbers of env and timeout, which programs rarely use.
	 */
	CLI_STATUS_RECORD = 125,
	CLI_STATUS_NOT_EXECUTABLE = 126,
	CLI_STATUS_NOT_FOUND = 127,
	CLI_STATUS_SIGNALLED = 128, /* plus the signal's number */
};

struct verb {
	const char *name;
	const char *arguments; /* as the usage shows them */
	const char *summary;   /* one line, no full stop */
	const char *example;   /* a command line, for the usage */
	const struct poptOption *options;
	int usage_status;   /* exit status after a wrong call */
	bool takes_command; /* options end at the first argument: a command to execute */
	/*
	 * `argv` has the arguments after the options and ends with NULL. Returns the exit status.
	 */
	int (*run)(int argc, const char **argv);
};

/* Prints on stderr how to see the verb's usage; returns usage_status. */
int verb_usage_error(const struct verb *verb);

#endif /* CLI_BASE_VERB_H */
