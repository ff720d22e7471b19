/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * cmd-record.c - lttngmap record [OPTIONS] -- COMMAND: run a command and
 * record its events, with private daemons that end with it.
 */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/losses.h"
#include "common/base/rings-note.h"
#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/record/record.h"
#include "common/base/beneath.h"
#include "common/base/name.h"

#define REGISTER_DEFAULT_MS 5000
#define REGISTER_MOST_MS 60000

static struct record record = {
	.options = {
		.verb = "record",
		.subbufs = RECORD_SUBBUFS_DEFAULT,
	},
	.notify_fd = -1,
	.sdt_fd = -1,
	.log_fd = -1,
	.signal_fd = -1,
};

/* Values of options that have no letter. */
enum {
	OPTION_SDT = 255,
	OPTION_KERNEL,
	OPTION_UPROBE,
	OPTION_KPROBE,
	OPTION_KERNEL_FILTER,
};

/*
 * A filter is of the rule before it. Options that do not fit together are kept as they were
 * given, and check_rules() names them: popt lets nobody refuse here.
 */
static void add_rule(struct record_rule **list, size_t *count, const char *value, bool is_filter,
		     enum record_rule_kind kind)
{
	struct record_rule *rules = *list, *last = *count ? &rules[*count - 1] : NULL;

	value = strdup(value);
	if (is_filter && value && last && !last->filter) {
		last->filter = value;
		return;
	}
	rules = reallocarray(rules, *count + 1, sizeof(*rules));
	if (!rules || !value)
		abort();
	rules[*count] = is_filter ? (struct record_rule){ .filter = value }
				  : (struct record_rule){ .rule = value, .kind = kind };
	*list = rules;
	(*count)++;
}

static void take_rule(poptContext context, enum poptCallbackReason reason,
		      const struct poptOption *option, const char *value, void *data)
{
	struct record_options *typed = &record.options;

	(void)context;
	(void)reason;
	(void)data;
	/* It is told of the other options of the table, too. */
	if (option->shortName == 'e' || option->shortName == 'f')
		add_rule(&typed->rules, &typed->nr_rules, value, option->shortName == 'f',
			 RECORD_RULE_EVENTS);
	else if (option->val == OPTION_SDT)
		add_rule(&typed->rules, &typed->nr_rules, value, false, RECORD_RULE_SDT);
	else if (option->val >= OPTION_KERNEL && option->val <= OPTION_KERNEL_FILTER)
		add_rule(&typed->kernel_rules, &typed->nr_kernel_rules, value,
			 option->val == OPTION_KERNEL_FILTER,
			 option->val == OPTION_UPROBE   ? RECORD_RULE_UPROBE
			 : option->val == OPTION_KPROBE ? RECORD_RULE_KPROBE
							: RECORD_RULE_EVENTS);
}

static const struct poptOption what_table[] = {
	{ NULL, '\0', POPT_ARG_CALLBACK, (void *)take_rule, 0, NULL, NULL },
	{ "event", 'e', POPT_ARG_STRING, NULL, 0, "PROVIDER:NAME, with '*'; again for more",
	  "RULE" },
	{ "filter", 'f', POPT_ARG_STRING, NULL, 0, "Of the rule before, or of all: if that is true",
	  "EXPRESSION" },
	{ "context", '\0', POPT_ARG_ARGV, &record.options.contexts, 0,
	  "With events: callstack, none (default: vtid,ip)", "NAME,..." },
	{ "preload", '\0', POPT_ARG_STRING, &record.options.preload, 0,
	  "Functions: " RECORD_FAMILIES ", none (default: libc,dl, or as the rules say)",
	  "FAMILY,..." },
	{ "functions", '\0', POPT_ARG_STRING, &record.options.functions, 0,
	  "Only these of the program's own functions", "[!]GLOB,..." },
	{ "sdt", '\0', POPT_ARG_STRING, NULL, OPTION_SDT, "SDT probes that match PROVIDER:NAME",
	  "RULE" },
	{ "follow", '\0', POPT_ARG_NONE, &record.options.follow, 0,
	  "Until all that it started has ended, or ^C", NULL },
	POPT_TABLEEND
};

static const struct poptOption where_table[] = {
	{ "output", 'o', POPT_ARG_STRING, &record.options.output, 0,
	  "New or empty (default: ./PROGRAM-DATE-TIME)", "DIR" },
	{ "file-size", '\0', POPT_ARG_STRING, &record.options.file_size, 0,
	  "Begin a new file of a stream at this size", "N[K|M|G]" },
	{ "file-count", '\0', POPT_ARG_INT, &record.options.file_count, 0,
	  "Keep so many files of a stream, the newest", "N" },
	{ "url", '\0', POPT_ARG_STRING, &record.options.relay.url, 0,
	  "To lttng-relayd there; without -o, only there", "net://HOST" },
	{ "spool-size", '\0', POPT_ARG_STRING, &record.options.relay.spool_size, 0,
	  "So much may wait to be sent (default: " RELAY_SPOOL_SIZE ")", "N[K|M|G]" },
	{ "live", '\0', POPT_ARG_STRING, &record.options.relay.live, 0,
	  "Can be watched at the collector, so often", "N[ms|s]" },
	{ "flight-recorder", '\0', POPT_ARG_NONE, &record.options.flight_recorder, 0,
	  "Write only what buffers hold at the end", NULL },
	{ "quiet", 'q', POPT_ARG_NONE, &record.options.quiet, 0,
	  "No summary unless something was lost", NULL },
	POPT_TABLEEND
};

static const struct poptOption kernel_table[] = {
	{ NULL, '\0', POPT_ARG_CALLBACK, (void *)take_rule, 0, NULL, NULL },
	{ "kernel", '\0', POPT_ARG_STRING, NULL, OPTION_KERNEL,
	  "Events that match SYSTEM:NAME,..., with '*'", "SYSTEM:NAME,..." },
	{ "uprobe", '\0', POPT_ARG_STRING, NULL, OPTION_UPROBE,
	  "Calls of a function of any program", "FILE:SYMBOL" },
	{ "kprobe", '\0', POPT_ARG_STRING, NULL, OPTION_KPROBE,
	  "Calls of a function of the kernel's", "SYMBOL" },
	{ "kernel-filter", '\0', POPT_ARG_STRING, NULL, OPTION_KERNEL_FILTER,
	  "Of the one before, in the kernel's language", "TEXT" },
	{ "kernel-pid", '\0', POPT_ARG_ARGV, &record.options.kernel_pids, 0,
	  "Only of these, or program, and of children", "PID,..." },
	{ "kernel-buffer", '\0', POPT_ARG_STRING, &record.options.kernel_buffer, 0,
	  "Bytes for each CPU", "N[K|M|G]" },
	POPT_TABLEEND
};

static const struct poptOption buffers_table[] = {
	{ "mode", '\0', POPT_ARG_STRING, &record.options.mode, 0,
	  "When full (default: discard new events)", "discard|overwrite|blocking" },
	{ "buffers", '\0', POPT_ARG_STRING, &record.options.buffers, 0,
	  "Of each process (default), or shared by a user's", "process|user" },
	{ "subbuf-size", '\0', POPT_ARG_STRING, &record.options.subbuf_size, 0,
	  "A power of two (default: 1M where memory allows)", "N[K|M|G]" },
	{ "subbufs", '\0', POPT_ARG_INT, &record.options.subbufs, 0,
	  "For each CPU, a power of two (default: 64 or 8)", "N" },
	POPT_TABLEEND
};

static const struct poptOption advanced_table[] = {
	{ "ring-dir", '\0', POPT_ARG_STRING, &record.options.ring_dir, 0,
	  "Buffers are files there, for lttngmap recover", "DIR" },
	{ "survive-panic", '\0', POPT_ARG_STRING, &record.options.survive_panic, 0,
	  "Likewise, on DAX: they outlive a panic", "DIR" },
	{ "register-timeout", '\0', POPT_ARG_STRING, &record.options.register_timeout, 0,
	  "So long a program waits for us (default: 5s)", "N" },
	{ "mediator", '\0', POPT_ARG_STRING, &record.options.mediator, 0,
	  "Buffers by ring-fs, ring-socket, ring-kernel", "KIND" },
	{ "clock", '\0', POPT_ARG_STRING, &record.options.clock, 0,
	  "Default: tsc, where the kernel uses it", "tsc|monotonic" },
	POPT_TABLEEND
};

#define GROUP(table, heading)                                                                      \
	{                                                                                          \
		NULL, '\0', POPT_ARG_INCLUDE_TABLE, (void *)(table), 0, heading, NULL              \
	}

static const struct poptOption options[] = {
	GROUP(what_table, "What to record:"),
	GROUP(where_table, "Where to:"),
	GROUP(kernel_table, "The kernel's events, as root; may be repeated:"),
	GROUP(buffers_table, "Buffers:"),
	GROUP(advanced_table, "Advanced:"),
	POPT_TABLEEND
};

static int check_word(const char *option, const char *value, const char *const *words)
{
	char known[80] = "";
	size_t used = 0;

	if (!value)
		return 0;
	for (int i = 0; words[i]; i++) {
		if (strcmp(value, words[i]) == 0)
			return 0;
	}
	for (int i = 0; words[i] && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
					 i == 0         ? ""
					 : words[i + 1] ? ", "
							: " or ",
					 words[i]);
	message_error("record: --%s: '%s' is none of those known", option, value);
	message_hint("it is %s", known);
	return -EINVAL;
}

static int check_timeout(void)
{
	const char *text = record.options.register_timeout;

	record.register_ms = REGISTER_DEFAULT_MS;
	if (!text)
		return 0;
	if (options_parse_duration(text, &record.register_ms) || !record.register_ms ||
	    record.register_ms > REGISTER_MOST_MS) {
		message_error("record: --register-timeout: '%s' cannot be used", text);
		message_hint("give 1ms to 60s, as 500ms or 5s");
		return -EINVAL;
	}
	return 0;
}

/* How large a file must be is the daemon's to say. */
static int check_files(void)
{
	const char *text = record.options.file_size;

	if (text && options_parse_size(text, &record.file_size)) {
		message_error("record: --file-size: '%s' is not a size", text);
		message_hint("write a number of bytes, or one with K, M or G");
		return -EINVAL;
	}
	if (record.options.file_count < 0) {
		message_error("record: --file-count: '%d' cannot be used",
			      record.options.file_count);
		message_hint("it is a number");
		return -EINVAL;
	}
	return 0;
}

static int check_rule(struct record_rule *rule)
{
	const char *why;

	if (!rule->rule && record.options.nr_rules == 1)
		rule->rule = RECORD_EVERYTHING;
	if (!rule->rule) {
		message_error(
			rule == record.options.rules
				? "record: --filter: '%s' stands before the rule that it is of"
				: "record: --filter: '%s' is a second one for a rule",
			rule->filter);
		message_hint("give it behind its -e or --sdt; one rule's are joined by && or ||");
		return -EINVAL;
	}
	if (options_check_rule(rule->rule, &why)) {
		message_error("record: %s: '%s' is not a rule",
			      rule->kind == RECORD_RULE_SDT ? "--sdt" : "-e", rule->rule);
		message_hint("%s", why);
		return -EINVAL;
	}
	return 0;
}

static int check_rules(void)
{
	int error = 0;

	for (size_t i = 0; !error && i < record.options.nr_rules; i++)
		error = check_rule(&record.options.rules[i]);
	return error;
}

/* It overwrites, and nobody reads it before the end. */
static int check_flight_recorder(void)
{
	struct record_options *typed = &record.options;

	if (typed->survive_panic && typed->ring_dir) {
		message_error("record: --survive-panic and --ring-dir both say where buffers are");
		return -EINVAL;
	}
	if (typed->survive_panic)
		typed->ring_dir = typed->survive_panic;
	if (!typed->flight_recorder)
		return 0;
	if (typed->mode && strcmp(typed->mode, "overwrite") != 0) {
		message_error("record: --mode %s: a flight recorder overwrites its oldest events",
			      typed->mode);
		message_hint("leave out --mode, or --flight-recorder");
		return -EINVAL;
	}
	if (typed->relay.url || typed->file_size || typed->file_count || typed->nr_kernel_rules) {
		message_error("record: --flight-recorder writes one trace of programs' events, at "
			      "the end");
		message_hint("leave out %s", typed->relay.url ? "--url"
					     : typed->nr_kernel_rules
						     ? "the kernel's events"
						     : "--file-size, --file-count");
		return -EINVAL;
	}
	typed->mode = (char *)"overwrite";
	return 0;
}

static int check_options(int argc)
{
	static const char *const modes[] = { "discard", "overwrite", "blocking", NULL };
	static const char *const buffers[] = { "process", "user", NULL };
	static const char *const mediators[] = { "ring-fs", "ring-socket", "ring-kernel", NULL };
	static const char *const clocks[] = { "tsc", "monotonic", NULL };

	if (argc == 0) {
		message_error("record: no command to record");
		return -EINVAL;
	}
	if (check_word("mode", record.options.mode, modes) ||
	    check_word("buffers", record.options.buffers, buffers) ||
	    check_word("mediator", record.options.mediator, mediators) ||
	    check_word("clock", record.options.clock, clocks))
		return -EINVAL;
	if (relay_options_check("record", &record.options.relay, record.options.output))
		return -EINVAL;
	if (check_files() || record_rings_check(&record) || check_timeout() || check_rules() ||
	    record_kernel_check(&record))
		return -EINVAL;
	return record_preload_check(&record.options);
}

/* A trace has one clock, and a ring belongs to its CPU. */
static void note_plugins(void)
{
	const char *clock = getenv("LTTNG_UST_CLOCK_PLUGIN");
	const char *cpu = getenv("LTTNG_UST_GETCPU_PLUGIN");

	if (clock || cpu)
		message_note("record: ignored: %s%s%s: plugins of clock and CPU are not used",
			     clock ? "LTTNG_UST_CLOCK_PLUGIN" : "", clock && cpu ? ", " : "",
			     cpu ? "LTTNG_UST_GETCPU_PLUGIN" : "");
}

static void announce(void)
{
	if (record.options.quiet)
		return;
	note_plugins();
	if (record.options.nr_rules == 0 && !record.options.preload)
		message_note("recording %s: malloc and its kin (see -e, --preload)",
			     record.command[0]);
}

/* Makes the output directory: the chosen one, or one named after the program. */
static int create_output(void)
{
	const char *base = strrchr(record.command[0], '/');
	char name[NAME_PROGRAM_SIZE];
	int error;

	base = base ? base + 1 : record.command[0];
	name_clean_program(base, strlen(base), name);
	/* Two of one program may begin in one second, by which the collector names their folders.
	 */
	snprintf(record.relay_session, sizeof(record.relay_session), "%s-%d", name, (int)getpid());
	if (record.options.relay.url && relay_child_check("record", &record.options.relay))
		return -EHOSTUNREACH;
	if (record.options.relay.spool)
		return relay_spool_create("record", &record.output);
	error = output_dir_create("record", record.options.output, name, &record.output);
	if (error)
		return error;
	record_rings_fit(&record);
	/* A full disk has no room for it at the end. */
	error = losses_reserve(record.output.folder);
	if (error)
		message_note("record: losses are not noted in the trace: %s", beneath_why(error));
	return 0;
}

/* Everything up to the program's first instruction. An exit status. */
static int begin(void)
{
	int status = record_program_find(&record);

	if (status)
		return status;
	if (record_follow_begin(&record) || record_signals_watch(&record) ||
	    record_runtime_create(&record) || record_sdt_prepare(&record) ||
	    record_preload_choose(&record) || create_output() || record_daemon_start(&record) ||
	    record_session_start(&record) || record_relay_start(&record))
		return CLI_STATUS_RECORD;
	if (record.options.ring_dir)
		rings_note_write(record.output.folder, record.options.ring_dir);
	record_signals_handle(&record);
	if (record.interrupted)
		return CLI_STATUS_RECORD;
	announce();
	return record_child_start(&record);
}

/* For readers of the trace. A collector's trace is elsewhere. */
static void note_losses(void)
{
	const struct record_counts *counts = &record.counts;
	const struct losses losses = {
		.kept = counts->kept,
		.discarded = counts->discarded,
		.overwritten = counts->overwritten,
		.broken = counts->broken,
		/* `recover` brings in what is left in a --ring-dir. */
		.buffered = record.options.ring_dir ? 0 : counts->buffered,
		.kernel = counts->kernel_lost,
		.cut = counts->cut,
	};

	if (record.has_ended && !record.options.relay.spool)
		(void)losses_write(record.output.folder, &losses);
}

/* The program has ended: complete the trace and tell of it. */
static int finish(int status)
{
	int error = record.client ? record_session_stop(&record) : -EPIPE;

	note_losses();
	record_sdt_report(&record);
	if (record_wants_end(&record))
		message_note("given up: the trace in %s is incomplete", record.output.path);
	record_daemon_end(&record);
	if (error) {
		message_error("record: the trace in %s may lack its end", record.output.path);
		if (record.options.ring_dir)
			message_hint("`lttngmap recover %s` brings in what is left in the rings",
				     record.options.ring_dir);
		if (record.has_ended)
			record_progress_summary(&record);
		return status ? status : CLI_STATUS_RECORD;
	}
	if (record.options.ring_dir)
		rings_note_write(record.output.folder, NULL);
	if (record_relay_finish(&record))
		return status ? status : CLI_STATUS_RECORD;
	record_progress_summary(&record);
	if (record_is_empty(&record) && record.options.nr_kernel_rules == 0)
		output_dir_remove(&record.output);
	return status;
}

static int run(int argc, const char **argv)
{
	int status;

	if (check_flight_recorder())
		return verb_usage_error(&verb_record);
	if (!record.options.mode)
		record.options.mode = (char *)"discard";
	if (check_options(argc))
		return verb_usage_error(&verb_record);
	record.command = (char *const *)argv;

	status = begin();
	if (status) {
		record_child_drop(&record);
		record_relay_stop(&record);
		/* The failure was reported. A daemon that is ended this early may complain, too. */
		record_log_end(&record);
		record_daemon_end(&record);
		output_dir_remove(&record.output);
		if (record_wants_end(&record))
			return CLI_STATUS_SIGNALLED + record.interrupted;
		return status;
	}
	record_progress_begin(&record);
	status = record_child_wait(&record);
	return finish(status);
}

const struct verb verb_record = {
	.name = "record",
	.arguments = "[OPTIONS] -- COMMAND [ARGUMENTS]",
	.summary = "Run a command and record its events",
	.example = "lttngmap record -o trace -- python3 -c 'print(sum(range(1000)))'",
	.options = options,
	.usage_status = CLI_STATUS_RECORD,
	.takes_command = true,
	.run = run,
};
