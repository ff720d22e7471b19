/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * verbs.h - the verbs of the lttngmap command. One file cmd-VERB.c each, with
 * one popt table that makes the parser and the usage text; a test holds the
 * manual page against it.
 */
#ifndef LTTNGMAP_CLI_VERBS_H
#define LTTNGMAP_CLI_VERBS_H

#include <popt.h>
#include <stdbool.h>
#include <stdio.h>

/* Exit statuses of the command's own making; the manual pages list them. */
enum cli_status {
	CLI_STATUS_OK = 0,
	CLI_STATUS_FAILED = 1,
	CLI_STATUS_USAGE = 2,
	CLI_STATUS_BROKEN = 3, /* a trace cannot be read, or written, in part; the rest was shown */
	/*
	 * `record` returns its program's status, so that its own errors, of usage
	 * too, need a number that programs rarely use: env's and timeout's.
	 */
	CLI_STATUS_RECORD = 125,
	CLI_STATUS_NOT_EXECUTABLE = 126,
	CLI_STATUS_NOT_FOUND = 127,
	CLI_STATUS_SIGNALLED = 128, /* plus the signal's number */
};

struct verb {
	const char *name;
	const char *arguments; /* as shown in its usage */
	const char *summary;   /* one line, no full stop */
	const char *example;   /* of a call, for the usage */
	const struct poptOption *options;
	int usage_status;   /* what a wrong call returns */
	bool takes_command; /* options end at the first argument: the rest is another's */
	/* What stands behind the options, NULL-terminated. The exit status. */
	int (*run)(int argc, const char **argv);
};

extern const struct verb verb_attach;
extern const struct verb verb_channel;
extern const struct verb verb_clear;
extern const struct verb verb_complete;
extern const struct verb verb_context;
extern const struct verb verb_create;
extern const struct verb verb_destroy;
extern const struct verb verb_detach;
extern const struct verb verb_disable;
extern const struct verb verb_enable;
extern const struct verb verb_events;
extern const struct verb verb_export;
extern const struct verb verb_help;
extern const struct verb verb_list;
extern const struct verb verb_load;
extern const struct verb verb_record;
extern const struct verb verb_recover;
extern const struct verb verb_merge;
extern const struct verb verb_relay;
extern const struct verb verb_remove;
extern const struct verb verb_report;
extern const struct verb verb_rotate;
extern const struct verb verb_save;
extern const struct verb verb_snapshot;
extern const struct verb verb_start;
extern const struct verb verb_status;
extern const struct verb verb_stop;
extern const struct verb verb_top;
extern const struct verb verb_track;
extern const struct verb verb_untrack;
extern const struct verb verb_view;

/* In the order of `lttngmap help`; ends with NULL. */
extern const struct verb *const verbs[];
/* By our name, or by LTTng's where that means the same (synonyms.h). */
const struct verb *verb_find(const char *name);
/* The known verb that is most like `name`, or NULL where none is. */
const struct verb *verb_suggest(const char *name);
/* Usage of a verb with its options. */
void verb_print_usage(const struct verb *verb, FILE *stream);
void verbs_print(FILE *stream);
/* Tells on stderr where the usage is to be found; returns usage_status. */
int verb_usage_error(const struct verb *verb);

#endif /* LTTNGMAP_CLI_VERBS_H */
