/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * cmd-count.c - lttngmap count [OPTIONS] -- COMMAND: run a command and count its events in a map of
 * a private daemon's. Nothing is recorded, and nothing stays.
 */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/base/output-file.h"
#include "cli/map/map-print.h"
#include "cli/map/map-request.h"
#include "cli/record/record.h"
#include "common/base/beneath.h"

#define REGISTER_MS 5000

static struct {
	char **events, **sdt;
	char *output, *every;
	struct map_options map;
	int top, json;
} typed = { .top = MAP_PRINT_TOP };

static struct record record = {
	.options = { .verb = "count", .map = &typed.map, .mode = (char *)"discard" },
	.register_ms = REGISTER_MS,
	.notify_fd = -1,
	.sdt_fd = -1,
	.log_fd = -1,
	.signal_fd = -1,
};

static const struct poptOption options[] = {
	{ "event", 'e', POPT_ARG_ARGV, &typed.events, 0,
	  "PROVIDER:NAME, with '*'; again for more (default: all)", "RULE" },
	{ "filter", 'f', POPT_ARG_STRING, &typed.map.filter, 0,
	  "Only events for which that is true", "EXPRESSION" },
	{ "by", 'b', POPT_ARG_STRING, &typed.map.by, 0,
	  "A count for each value of that, or of several (default: of $ctx.event, the name)",
	  "EXPRESSION,..." },
	{ "histogram", '\0', POPT_ARG_STRING, &typed.map.histogram, 0,
	  "A histogram of that integer", "EXPRESSION" },
	{ "latency", '\0', POPT_ARG_STRING, &typed.map.latency, 0,
	  "How long after the event that matches this", "RULE" },
	{ "key", '\0', POPT_ARG_STRING, &typed.map.key, 0,
	  "Both have this in common (default: the thread)", "EXPRESSION,..." },
	{ "sum", '\0', POPT_ARG_STRING, &typed.map.sum, 0, "Add that up, too", "EXPRESSION" },
	{ "keys", '\0', POPT_ARG_INT, &typed.map.keys, 0,
	  "A table of so many keys, a power of two (default: 4096)", "N" },
	{ "preload", '\0', POPT_ARG_STRING, &record.options.preload, 0,
	  "Functions: " RECORD_FAMILIES ", none (default: as the rules say)", "FAMILY,..." },
	{ "functions", '\0', POPT_ARG_STRING, &record.options.functions, 0,
	  "Only these of the program's own functions", "[!]GLOB,..." },
	{ "sdt", '\0', POPT_ARG_ARGV, &typed.sdt, 0, "SDT probes that match PROVIDER:NAME",
	  "RULE" },
	{ "follow", '\0', POPT_ARG_NONE, &record.options.follow, 0,
	  "Until all that it started has ended, or ^C", NULL },
	{ "every", '\0', POPT_ARG_STRING, &typed.every, 0, "Also so often, while it runs",
	  "N[ms|s]" },
	{ "top", '\0', POPT_ARG_INT, &typed.top, 0,
	  "So many lines, the greatest (default: 20; 0: all)", "N" },
	{ "json", '\0', POPT_ARG_NONE, &typed.json, 0, "As JSON, one line each time", NULL },
	{ "output", 'o', POPT_ARG_STRING, &typed.output, 0,
	  "There, not on standard error; -: standard output", "FILE" },
	POPT_TABLEEND
};

/* ---- options ------------------------------------------------------------------------ */

static int add_rules(char **rules, enum record_rule_kind kind)
{
	struct record_options *wanted = &record.options;
	const char *why;

	for (; rules && *rules; rules++) {
		if (options_check_rule(*rules, &why)) {
			message_error("count: %s: '%s' is not a rule",
				      kind == RECORD_RULE_SDT ? "--sdt" : "-e", *rules);
			message_hint("%s", why);
			return -EINVAL;
		}
		wanted->rules =
			reallocarray(wanted->rules, wanted->nr_rules + 1, sizeof(wanted->rules[0]));
		if (!wanted->rules)
			abort();
		wanted->rules[wanted->nr_rules++] =
			(struct record_rule){ .rule = *rules, .kind = kind };
	}
	return 0;
}

static int check_options(int argc)
{
	static char everything[] = RECORD_EVERYTHING;
	static char *all[] = { everything, NULL };

	if (argc == 0) {
		message_error("count: no command to run");
		return -EINVAL;
	}
	if (typed.every &&
	    (options_parse_duration(typed.every, &record.tick_ms) || record.tick_ms == 0)) {
		message_error("count: --every: '%s' cannot be used", typed.every);
		message_hint("give a time, as 500ms or 1s");
		return -EINVAL;
	}
	if (typed.map.latency && !typed.events && !typed.sdt) {
		message_error("count: --latency needs the rule of the later event, too: -e");
		message_hint("lttngmap count --latency PROVIDER:BEGIN -e PROVIDER:END -- COMMAND");
		return -EINVAL;
	}
	if (!typed.events && !typed.sdt)
		typed.events = all;
	if (!typed.map.by && !typed.map.histogram && !typed.map.sum && !typed.map.latency)
		typed.map.by = strdup("$ctx.event");
	if (map_options_check("count", &typed.map) || add_rules(typed.events, RECORD_RULE_EVENTS) ||
	    add_rules(typed.sdt, RECORD_RULE_SDT))
		return -EINVAL;
	if (add_rules((char *[]){ typed.map.latency, NULL }, RECORD_RULE_EVENTS))
		return -EINVAL;
	return record_preload_check(&record.options);
}

/* ---- output ------------------------------------------------------------------------- */

static int output_fd = -1;

static int open_output(void)
{
	FILE *stream = stderr;

	if (typed.output) {
		output_fd = output_file_open(typed.output, true);
		stream = output_fd < 0 ? NULL : fdopen(dup(output_fd), "w");
	}
	if (stream) {
		message_set_output(stream);
		return 0;
	}
	message_error("count: cannot write %s: %s", typed.output,
		      output_fd < 0 ? beneath_why(output_fd) : strerror(errno));
	return -EIO;
}

/* 0, or -errno after a message. */
static int close_output(void)
{
	int error = message_flush_output();

	if (output_fd >= 0) {
		int closed = output_file_close(output_fd, true, error);

		if (closed && !error)
			message_error("count: cannot write %s: %s", typed.output,
				      beneath_why(closed));
		error = error ? error : closed;
	}
	return error;
}

static void print(struct json_object *answer)
{
	const char *name = strrchr(record.command[0], '/');

	if (typed.json)
		message_line("%s", json_object_to_json_string_ext(answer, JSON_C_TO_STRING_PLAIN));
	else
		map_print_counts(name ? name + 1 : record.command[0], answer,
				 typed.top < 0 ? 0 : (size_t)typed.top);
	(void)message_flush_output();
}

static void tick(struct record *self)
{
	struct json_object *answer;

	if (record_map_read(self, &answer)) {
		self->tick_ms = 0;
		return;
	}
	print(answer);
	json_object_put(answer);
}

/* ---- the run ------------------------------------------------------------------------ */

/* Everything up to the program's first instruction. An exit status. */
static int begin(void)
{
	int status = record_program_find(&record);

	if (status)
		return status;
	if (open_output() || record_follow_begin(&record) || record_signals_watch(&record) ||
	    record_runtime_create(&record) || record_sdt_prepare(&record) ||
	    record_preload_choose(&record) || record_daemon_start(&record) ||
	    record_map_start(&record))
		return CLI_STATUS_RECORD;
	record_signals_handle(&record);
	if (record.interrupted)
		return CLI_STATUS_RECORD;
	return record_child_start(&record);
}

static int finish(int status)
{
	struct json_object *answer = NULL;
	int error = record.client ? record_map_end(&record, &answer) : -EPIPE;

	record_sdt_report(&record);
	record_daemon_end(&record);
	if (answer)
		print(answer);
	json_object_put(answer);
	if (error)
		message_error("count: the counts %s", answer ? "may lack their end" : "are lost");
	if (close_output() || error)
		return status ? status : CLI_STATUS_RECORD;
	if (record_is_empty(&record)) {
		record_explain_nothing(&record);
		return status;
	}
	record_explain_untraced(&record);
	if (record.counts.alive)
		message_note("%llu traced process%s still running: counted until now",
			     (unsigned long long)record.counts.alive,
			     record.counts.alive == 1 ? " is" : "es are");
	(void)record_unmatched_report(&record);
	return status;
}

static int run(int argc, const char **argv)
{
	int status;

	if (check_options(argc))
		return verb_usage_error(&verb_count);
	record.command = (char *const *)argv;
	status = begin();
	if (status) {
		record_child_drop(&record);
		record_log_end(&record);
		record_daemon_end(&record);
		if (output_fd >= 0)
			(void)output_file_close(output_fd, true, -ECANCELED);
		if (record_wants_end(&record))
			return CLI_STATUS_SIGNALLED + record.interrupted;
		return status;
	}
	record.tick = tick;
	return finish(record_child_wait(&record));
}

const struct verb verb_count = {
	.name = "count",
	.arguments = "[OPTIONS] -- COMMAND [ARGUMENTS]",
	.summary = "Run a command and count its events, without a trace",
	.example = "lttngmap count -e lttng_ust_libc:malloc --histogram size -- ls",
	.options = options,
	.usage_status = CLI_STATUS_RECORD,
	.takes_command = true,
	.run = run,
};
