/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-top.c - lttngmap top: what is traced now, how fast, and what is lost. */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/client/session-daemon.h"
#include "cli/client/session-verb.h"
#include "cli/top/top.h"

/* Daemons are asked again and again; one that hangs must not hang us for long. */
#define ANSWER_TIMEOUT_MS 1000
#define ONCE_TIMEOUT_MS 10000
#define INTERVAL_LEAST_MS 100
#define INTERVAL_MOST_MS 3600000

static int once;
static char *interval;

static const struct poptOption options[] = { { "once", '1', POPT_ARG_NONE, &once, 0,
					       "Look for one interval, print that, and end", NULL },
					     { "interval", 'i', POPT_ARG_STRING, &interval, 0,
					       "Look so often (default: 1s)", "DURATION" },
					     SESSION_INCLUDE(session_daemon_table),
					     POPT_TABLEEND };

static void wait_ms(uint64_t ms)
{
	struct timespec rest = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	while (nanosleep(&rest, &rest) < 0 && errno == EINTR)
		continue;
}

/* Rates are of the time between two looks. */
static int print_once(struct top *top)
{
	top->timeout_ms = ONCE_TIMEOUT_MS;
	if (top_look(top) > 0)
		wait_ms(top->interval_ms);
	if (top_look(top) == 0) {
		if (top_count(top) == 0 || session_daemon_chosen(top->chosen))
			session_daemon_report_missing("top", top->chosen);
		else
			message_error("top: no session daemon answers");
		if (session_options.json)
			top_print_error();
		return CLI_STATUS_FAILED;
	}
	if (session_options.json)
		top_print_json(top);
	else
		top_print_text(top);
	return CLI_STATUS_OK;
}

/* A line for each interval, until we are ended, as by a reader that goes away. */
static int print_json_lines(struct top *top)
{
	for (;;) {
		top_look(top);
		top_print_json(top);
		if (message_flush_output())
			return CLI_STATUS_FAILED;
		wait_ms(top->interval_ms);
	}
}

static int run(int argc, const char **argv)
{
	struct top top = {
		.chosen = session_options.runtime_dir,
		.interval_ms = 1000,
		.timeout_ms = ANSWER_TIMEOUT_MS,
	};
	int status;

	if (argc > 0) {
		message_error("top: it takes no argument, and '%s' is one", argv[0]);
		return verb_usage_error(&verb_top);
	}
	if (interval &&
	    (options_parse_duration(interval, &top.interval_ms) ||
	     top.interval_ms < INTERVAL_LEAST_MS || top.interval_ms > INTERVAL_MOST_MS)) {
		message_error("top: --interval '%s' is no time from 100ms to 1h", interval);
		return verb_usage_error(&verb_top);
	}
	if (!once && !session_options.json && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))) {
		message_error("top: this is no terminal");
		message_hint("--once prints what is known, and ends; --json prints it as JSON");
		return verb_usage_error(&verb_top);
	}
	if (once)
		status = print_once(&top);
	else if (session_options.json)
		status = print_json_lines(&top);
	else
		status = top_screen_run(&top);
	top_free(&top);
	return message_flush_output() ? CLI_STATUS_FAILED : status;
}

const struct verb verb_top = {
	.name = "top",
	.arguments = "[OPTIONS]",
	.summary = "Watch what is traced, how fast, and what is lost",
	.example = "lttngmap top --once",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
