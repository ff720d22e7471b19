/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-enable.c - lttngmap enable RULE: a channel records the events that match. */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/base/suggest.h"
#include "cli/client/control-client.h"
#include "cli/client/filter-name.h"
#include "cli/client/logger-rule.h"
#include "cli/client/probe.h"
#include "cli/client/session-events.h"
#include "cli/client/session-verb.h"

#define EVERYTHING "*"
#define EVERY_KERNEL_EVENT "*:*"
/* Name of the channel that is made if a session has none, the same as in `record`. */
#define DEFAULT_CHANNEL "events"

static struct {
	char **exclude;
	char *loglevel, *loglevel_only, *filter;
	int all, kernel, uprobe, kprobe;
} typed;
static unsigned level;
/* The daemon gets these: typed, or made of loggers' names. */
static const char *rule_sent;
static char *filter_sent;

static const struct poptOption options[] = {
	{ "all", 'a', POPT_ARG_NONE, &typed.all, 0, "Every event, in place of RULE", NULL },
	{ "kernel", '\0', POPT_ARG_NONE, &typed.kernel, 0,
	  "Events of the kernel's, SYSTEM:NAME; root only", NULL },
	{ "uprobe", '\0', POPT_ARG_NONE, &typed.uprobe, 0,
	  "Calls of a function in any program, PATH:SYMBOL..., by the kernel; root only", NULL },
	{ "kprobe", '\0', POPT_ARG_NONE, &typed.kprobe, 0,
	  "Calls of a function of the kernel's, SYMBOL...; root only", NULL },
	{ "exclude", 'x', POPT_ARG_ARGV, &typed.exclude, 0,
	  "But not the events that match this; may be repeated", "RULE" },
	{ "loglevel", 'l', POPT_ARG_STRING, &typed.loglevel, 0,
	  "Events that are at least as severe", "LEVEL" },
	{ "loglevel-only", '\0', POPT_ARG_STRING, &typed.loglevel_only, 0, "Events of that level",
	  "LEVEL" },
	{ "filter", 'f', POPT_ARG_STRING, &typed.filter, 0, "Events for which that is true",
	  "EXPRESSION" },
	SESSION_INCLUDE(logger_rule_table),
	SESSION_INCLUDE(session_channel_table),
	POPT_TABLEEND
};

static bool is_probe(void)
{
	return typed.uprobe || typed.kprobe;
}

/* The rule and the filter that the typed names of loggers stand for. */
static int check_loggers(const char *loggers)
{
	const struct logger_kind *kind = logger_kind();
	const struct logger_rule rule = {
		.loggers = loggers,
		.level = typed.loglevel ? typed.loglevel : typed.loglevel_only,
		.level_only = typed.loglevel_only != NULL,
		.filter = typed.filter,
	};
	int error;

	if (logger_kind_check("enable"))
		return -EINVAL;
	if (typed.kernel || is_probe() || typed.exclude) {
		message_error("enable: --%s goes with --loglevel and --filter only",
			      logger_kind_option(kind));
		return -EINVAL;
	}
	error = logger_rule_filter(kind, &rule, &filter_sent);
	if (error == -EINVAL) {
		message_error("enable: '%s' is no log level of --%s", rule.level,
			      logger_kind_option(kind));
		message_hint("it is a number, or one of %s", logger_kind_levels(kind));
	} else if (error) {
		message_error("enable: out of memory");
	}
	rule_sent = logger_kind_event(kind);
	return error;
}

static int check(int argc, const char **argv)
{
	const char *loglevel = typed.loglevel ? typed.loglevel : typed.loglevel_only;

	if (typed.all ? argc != 0 : is_probe() ? argc == 0 : argc != 1) {
		message_error("enable: %s", argc > 1 ? "one rule at a time; join several by commas"
					    : typed.all ? "--all, or a rule, not both"
							: "which events?");
		if (argc == 0)
			message_hint("give a rule, PROVIDER:NAME with '*' for any text, or --all");
		return -EINVAL;
	}
	if (typed.loglevel && typed.loglevel_only) {
		message_error("enable: --loglevel or --loglevel-only, not both");
		return -EINVAL;
	}
	if (typed.kernel + typed.uprobe + typed.kprobe > 1) {
		message_error("enable: --kernel, --uprobe or --kprobe, one of them");
		return -EINVAL;
	}
	if (is_probe() && typed.all) {
		message_error("enable: there are no probes of everything");
		return -EINVAL;
	}
	if ((typed.kernel || is_probe()) &&
	    (loglevel || typed.exclude || session_options.channel)) {
		message_error("enable: --%s goes with --filter only", typed.kernel   ? "kernel"
								      : typed.uprobe ? "uprobe"
										     : "kprobe");
		message_hint("the kernel's events have no level, and no channel");
		return -EINVAL;
	}
	rule_sent = typed.all ? EVERYTHING : argv[0];
	filter_sent = typed.filter;
	if (logger_kind())
		return check_loggers(rule_sent);
	if (loglevel && options_parse_loglevel(loglevel, &level)) {
		message_error("enable: '%s' is no log level", loglevel);
		message_hint("it is 0 (EMERG) to 14 (DEBUG), or a name such as WARNING");
		return -EINVAL;
	}
	return 0;
}

/* NULL: no memory. */
static char *join(const char *const *words, char between)
{
	char *joined = strdup(words[0]);

	for (int i = 1; joined && words[i]; i++) {
		char *longer;

		if (asprintf(&longer, "%s%c%s", joined, between, words[i]) < 0)
			longer = NULL;
		free(joined);
		joined = longer;
	}
	return joined;
}

static struct json_object *describe(struct session_verb *self)
{
	struct json_object *request = session_verb_request(self, "enable");

	session_add_text(request, "rule", rule_sent);
	if (typed.exclude) {
		/* One rule holds any number of patterns. */
		char *joined = join((const char *const *)typed.exclude, ',');

		session_add_text(request, "exclude", joined ? joined : "");
		free(joined);
	}
	if (!logger_kind() && (typed.loglevel || typed.loglevel_only)) {
		session_add_number(request, "loglevel", level);
		json_object_object_add(request, "loglevel_only",
				       json_object_new_boolean(typed.loglevel_only != NULL));
	}
	if (filter_sent)
		session_add_text(request, "filter", filter_sent);
	return request;
}

static int add_default_channel(struct session_verb *self, bool snapshot)
{
	struct json_object *request;
	uint64_t subbuf_size;
	int error = session_verb_set_channel(self, DEFAULT_CHANNEL);

	if (error)
		return error;
	options_parse_size(OPTIONS_SUBBUF_SIZE, &subbuf_size);
	request = session_verb_request(self, "channel");
	session_add_number(request, "subbuf_size", subbuf_size);
	session_add_number(request, "subbufs", OPTIONS_SUBBUFS);
	session_add_text(request, "mode", snapshot ? "overwrite" : "discard");
	return session_verb_ask(self, request, NULL);
}

/* Sets *added when the channel was made for this. */
static int choose_channel(struct session_verb *self, bool *added)
{
	struct json_object *session;

	*added = false;
	if (session_options.channel)
		return session_verb_choose_channel(self);
	session = session_verb_find(self);
	if (!session)
		return -ENOENT;
	if (json_object_array_length(session_member_array(session, "channels")) > 0)
		return session_verb_choose_channel(self);
	*added = true;
	return add_default_channel(self, control_answer_flag(session, "snapshot"));
}

static int enable(struct session_verb *self, struct json_object **answer)
{
	bool added;
	int error = choose_channel(self, &added);

	if (error)
		return error;
	error = session_verb_ask(self, describe(self), answer);
	if (error && added)
		session_verb_ask(self, session_verb_request(self, "channel-remove"), NULL);
	if (!error && added && !session_options.json)
		message_line("added channel %s to session %s", self->channel, self->session);
	return error;
}

/* The filter is in the kernel's own language. */
static int enable_kernel(struct session_verb *self, const char *rule, struct json_object **answer)
{
	struct json_object *request = session_verb_request(self, "kernel-enable");
	int error;

	session_add_text(request, "rule", typed.all ? EVERY_KERNEL_EVENT : rule);
	if (typed.filter)
		session_add_text(request, "filter", typed.filter);
	error = session_verb_ask(self, request, answer);
	if (!error && !session_options.json)
		message_line("enabled '%s' of the kernel's events in session %s, as rule %" PRIu64
			     "; events that match: %" PRIu64,
			     rule, self->session, control_answer_count(*answer, "id"),
			     control_answer_count(*answer, "matched"));
	return error;
}

static int enable_probe(struct session_verb *self, const char **words, struct json_object **answer)
{
	struct json_object *request = session_verb_request(self, "kernel-probe");
	/* The arguments of a probe may be typed as several words. */
	char *text = join(words, ' ');
	struct problem problem;
	int error = text ? probe_parse(text, typed.kprobe, request, &problem)
			 : problem_set(&problem, -ENOMEM, "try again", "out of memory");

	free(text);
	if (error) {
		json_object_put(request);
		message_error("enable: %s", problem.why);
		message_hint("%s", problem.hint);
		return error;
	}
	if (typed.filter)
		session_add_text(request, "filter", typed.filter);
	error = session_verb_ask(self, request, answer);
	if (!error && !session_options.json)
		message_line("enabled event %s of the kernel's in session %s",
			     control_answer_text(*answer, "event"), self->session);
	return error;
}

/* The event exists: its filter may name a field that the event lacks. */
static void suggest_field(struct json_object *event, const char *filter, bool is_said)
{
	struct json_object *events = json_object_new_array();
	struct filter_name name = { .length = 0 };

	json_object_array_add(events, json_object_get(event));
	while (filter_name_find_missing(&name, filter, events, "*")) {
		/* The daemon says it of a program that runs. */
		if (!is_said)
			message_note("the event '%s' of a program that ended has no field '%.*s'",
				     control_answer_text(event, "name"), (int)name.length, name.at);
		message_hint("did you mean '%s'?", name.similar);
	}
	json_object_put(events);
}

/* A rule may be of programs that are still to come. It may be mistyped, too. */
static void suggest_event(struct session_verb *self, const char *rule, bool is_said)
{
	struct suggestion best = suggestion_begin(rule, strlen(rule));
	struct json_object *answer, *events, *known = NULL;

	if (session_events_ask(self, 0, &answer))
		return;
	events = session_member_array(answer, "events");
	for (size_t i = 0; i < json_object_array_length(events); i++) {
		struct json_object *event = json_object_array_get_idx(events, i);
		const char *name = control_answer_text(event, "name");

		if (strcmp(name, rule) == 0)
			known = event;
		suggestion_offer(&best, name);
	}
	if (known && typed.filter)
		suggest_field(known, typed.filter, is_said);
	else if (!known && best.word)
		message_hint("did you mean '%s'?", best.word);
	json_object_put(answer);
}

static int run(int argc, const char **argv)
{
	struct session_verb self;
	struct json_object *answer = NULL;
	const char *rule = typed.all ? EVERYTHING : argv[0];
	int error;

	if (check(argc, argv))
		return verb_usage_error(&verb_enable);
	error = session_verb_open(&self, &verb_enable, false);
	if (!error)
		error = session_verb_choose(&self, NULL);
	if (!error && is_probe())
		error = enable_probe(&self, argv, &answer);
	else if (!error && typed.kernel)
		error = enable_kernel(&self, rule, &answer);
	else if (!error)
		error = enable(&self, &answer);
	if (!error && !typed.kernel && !is_probe() && !session_options.json)
		message_line("enabled '%s' in channel %s of session %s, as rule %" PRIu64
			     "; event classes that match now: %" PRIu64 "%s",
			     rule, self.channel, self.session, control_answer_count(answer, "id"),
			     control_answer_count(answer, "matched"),
			     control_answer_count(answer, "matched")
				     ? ""
				     : "; those of programs that start later will match, too");
	if (!error && !typed.kernel && !is_probe() && !session_options.json &&
	    control_answer_count(answer, "matched") == 0)
		suggest_event(&self, rule_sent,
			      json_object_array_length(session_member_array(answer, "warnings")) >
				      0);
	return session_verb_close(&self, error, answer);
}

const struct verb verb_enable = {
	.name = "enable",
	.arguments = "[OPTIONS] RULE",
	.summary = "Record the events that match a rule",
	.example = "lttngmap enable 'shop:*' --filter 'number > 4 && customer == \"A*\"'",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
