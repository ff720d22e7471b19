/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-map.c - lttngmap map add|list|show|clear|remove: counts of events, without a trace. */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/client/control-client.h"
#include "cli/map/map-print.h"
#include "cli/map/map-request.h"
#include "cli/client/session-verb.h"
#include "common/protocol/protocol-control.h"

/* The cursor to the first line, and nothing below it. */
#define CLEAR_SCREEN "\033[H\033[J"

static struct {
	struct map_options map;
	char *watch;
	int top;
} typed = { .top = MAP_PRINT_TOP };

static const struct poptOption options[] = {
	{ "by", 'b', POPT_ARG_STRING, &typed.map.by, 0,
	  "add: a count for each value of that, or of several", "EXPRESSION,..." },
	{ "histogram", '\0', POPT_ARG_STRING, &typed.map.histogram, 0,
	  "add: a histogram of that integer", "EXPRESSION" },
	{ "latency", '\0', POPT_ARG_STRING, &typed.map.latency, 0,
	  "add: how long after the event that matches this", "RULE" },
	{ "key", '\0', POPT_ARG_STRING, &typed.map.key, 0,
	  "add: both have this in common (default: the thread)", "EXPRESSION,..." },
	{ "sum", '\0', POPT_ARG_STRING, &typed.map.sum, 0, "add: add that up, too", "EXPRESSION" },
	{ "filter", 'f', POPT_ARG_STRING, &typed.map.filter, 0,
	  "add: events for which that is true", "EXPRESSION" },
	{ "exclude", 'x', POPT_ARG_STRING, &typed.map.exclude, 0,
	  "add: but not the events that match this", "RULE" },
	{ "keys", '\0', POPT_ARG_INT, &typed.map.keys, 0,
	  "add: a table of so many keys, a power of two (default: 4096)", "N" },
	{ "top", '\0', POPT_ARG_INT, &typed.top, 0,
	  "show: so many lines, the greatest (default: 20; 0: all)", "N" },
	{ "watch", 'w', POPT_ARG_STRING, &typed.watch, 0, "show: again, so often, until ^C",
	  "N[ms|s]" },
	SESSION_INCLUDE(session_daemon_table),
	POPT_TABLEEND
};

/* ---- add ---------------------------------------------------------------------------- */

static int check_add(int argc, const char **argv)
{
	const char *why;

	if (argc != 2) {
		message_error("map add: %s", argc < 2 ? "which name, and which events?"
						      : "one rule at a time; join several by "
							"commas");
		message_hint("lttngmap map add NAME PROVIDER:EVENT");
		return -EINVAL;
	}
	if (options_check_rule(argv[1], &why)) {
		message_error("map add: '%s' is not a rule", argv[1]);
		message_hint("%s", why);
		return -EINVAL;
	}
	return map_options_check("map add", &typed.map);
}

static int add(struct session_verb *self, const char **argv)
{
	struct json_object *answer;
	int error = session_verb_ask(self, map_request_add(argv[0], argv[1], &typed.map), &answer);

	if (error)
		return error;
	if (!session_options.json)
		message_line("map %s counts %s: `lttngmap map show %s` shows it", argv[0], argv[1],
			     argv[0]);
	json_object_put(answer);
	return 0;
}

/* ---- list --------------------------------------------------------------------------- */

static int list(struct session_verb *self, struct json_object **answer)
{
	int error = session_verb_ask_all(self, map_request("map-list", NULL), "maps", answer);

	if (!error && !session_options.json)
		map_print_list(*answer);
	return error;
}

/* ---- show --------------------------------------------------------------------------- */

static int ask(void *data, struct json_object *request, struct json_object **answer)
{
	return session_verb_ask(data, request, answer);
}

/* *last: the answer, that session_verb_close() prints with --json. */
static int show(struct session_verb *self, const char *name, struct json_object **last)
{
	const size_t top = typed.top < 0 ? 0 : (size_t)typed.top;
	struct timespec period;
	uint64_t ms = 0;
	int error;

	if (typed.watch && (options_parse_duration(typed.watch, &ms) || ms == 0)) {
		message_error("map show: --watch: '%s' cannot be used", typed.watch);
		message_hint("give a time, as 500ms or 1s");
		return -EINVAL;
	}
	period = (struct timespec){ (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };
	for (;;) {
		error = map_request_show(name, ask, self, last);
		if (!error && ms && !session_options.json && isatty(STDOUT_FILENO))
			fputs(CLEAR_SCREEN, stdout);
		if (error == -ELOOP)
			message_error("map show: the session daemon repeats its answers");
		if (!error && !session_options.json)
			map_print_counts(name, *last, top);
		if (error || !ms)
			return error;
		if (session_options.json)
			message_line("%s",
				     json_object_to_json_string_ext(*last, JSON_C_TO_STRING_PLAIN));
		json_object_put(*last);
		*last = NULL;
		if (message_flush_output() || nanosleep(&period, NULL) != 0)
			return -EPIPE;
	}
}

/* ---- all ---------------------------------------------------------------------------- */

static int ask_only(struct session_verb *self, const char *verb, const char *name)
{
	return session_verb_ask(self, map_request(verb, name), NULL);
}

static bool is_word(const char *word)
{
	static const char *const words[] = { "add", "list", "show", "clear", "remove" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

static int check(int argc, const char **argv)
{
	if (argc == 0 || !is_word(argv[0])) {
		message_error("map: %s", argc == 0 ? "what about maps?"
						   : "the first word is none that is known");
		message_hint("it is add, list, show, clear or remove");
		return -EINVAL;
	}
	if (strcmp(argv[0], "add") == 0)
		return check_add(argc - 1, argv + 1);
	if (strcmp(argv[0], "list") == 0 ? argc == 1 : argc == 2)
		return 0;
	message_error("map %s: %s", argv[0],
		      strcmp(argv[0], "list") == 0 ? "no argument is expected" : "which map?");
	message_hint("`lttngmap map list` has those that there are");
	return -EINVAL;
}

static int run(int argc, const char **argv)
{
	struct json_object *answer = NULL;
	struct session_verb self;
	int error;

	if (check(argc, argv) != 0)
		return verb_usage_error(&verb_map);
	error = session_verb_open(&self, &verb_map, strcmp(argv[0], "add") == 0);
	if (!error) {
		if (strcmp(argv[0], "add") == 0)
			error = add(&self, argv + 1);
		else if (strcmp(argv[0], "list") == 0)
			error = list(&self, &answer);
		else if (strcmp(argv[0], "show") == 0)
			error = show(&self, argv[1], &answer);
		else if (strcmp(argv[0], "clear") == 0)
			error = ask_only(&self, "map-clear", argv[1]);
		else
			error = ask_only(&self, "map-remove", argv[1]);
	}
	return session_verb_close(&self, error, answer);
}

const struct verb verb_map = {
	.name = "map",
	.arguments = "[OPTIONS] add|list|show|clear|remove [MAP [RULE]]",
	.summary = "Count events in the programs, without a trace",
	.example = "lttngmap map add sizes lttng_ust_libc:malloc --histogram size",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
