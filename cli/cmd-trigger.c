/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-trigger.c - lttngmap trigger add|list|remove|wait: actions where a condition comes true. */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/client/control-client.h"
#include "cli/client/session-verb.h"
#include "common/base/amount.h"

#define EVENT_PREFIX "event:"

static struct {
	char *on, *filter, *exclude, *capture, *above, *every, *timeout;
	char **actions;
	int times, after;
} typed = { .after = -1 };

static const struct poptOption options[] = {
	{ "on", '\0', POPT_ARG_STRING, &typed.on, 0,
	  "add: event:RULE, or lost:, bytes:, rotated:, fill:SESSION, count:MAP", "CONDITION" },
	{ "filter", 'f', POPT_ARG_STRING, &typed.filter, 0, "add: events for which that is true",
	  "EXPRESSION" },
	{ "exclude", 'x', POPT_ARG_STRING, &typed.exclude, 0,
	  "add: but not the events that match this", "RULE" },
	{ "capture", '\0', POPT_ARG_STRING, &typed.capture, 0,
	  "add: tell this number of the events", "EXPRESSION" },
	{ "above", '\0', POPT_ARG_STRING, &typed.above, 0,
	  "add: more than that; of fill: percent (default: 0)", "N" },
	{ "do", '\0', POPT_ARG_ARGV, &typed.actions, 0,
	  "add: notify (default), or start:, stop:, rotate:, snapshot:SESSION", "ACTION" },
	{ "every", '\0', POPT_ARG_STRING, &typed.every, 0, "add: once in so long at most",
	  "N[ms|s|m]" },
	{ "times", '\0', POPT_ARG_INT, &typed.times, 0, "add: so often at most", "N" },
	{ "after", '\0', POPT_ARG_INT, &typed.after, 0,
	  "wait: for a round after this one (default: the next)", "ROUND" },
	{ "timeout", '\0', POPT_ARG_STRING, &typed.timeout, 0, "wait: so long at most",
	  "N[ms|s|m]" },
	SESSION_INCLUDE(session_daemon_table),
	POPT_TABLEEND
};

static struct json_object *make_request(const char *verb, const char *name)
{
	struct json_object *request = json_object_new_object();

	session_add_text(request, "verb", verb);
	if (name)
		session_add_text(request, "trigger", name);
	return request;
}

/* ---- add ---------------------------------------------------------------------------- */

/* A duration of an option; NULL leaves *ms. */
static int take_duration(const char *option, const char *text, uint64_t *ms)
{
	if (!text || (options_parse_duration(text, ms) == 0 && *ms > 0))
		return 0;
	message_error("trigger: --%s: '%s' cannot be used", option, text);
	message_hint("give a time, as 500ms or 10s");
	return -EINVAL;
}

static int check_condition(void)
{
	const bool is_event = strncmp(typed.on, EVENT_PREFIX, strlen(EVENT_PREFIX)) == 0;
	const char *why;

	if (!is_event && (typed.filter || typed.exclude || typed.capture)) {
		message_error("trigger add: --filter, --exclude and --capture are for events");
		message_hint("--on event:PROVIDER:NAME");
		return -EINVAL;
	}
	if (is_event && typed.above) {
		message_error("trigger add: --above is not for events");
		message_hint("--filter 'FIELD > N' is");
		return -EINVAL;
	}
	if (is_event && options_check_rule(typed.on + strlen(EVENT_PREFIX), &why)) {
		message_error("trigger add: '%s' is not a rule", typed.on + strlen(EVENT_PREFIX));
		message_hint("%s", why);
		return -EINVAL;
	}
	return 0;
}

static int check_add(int argc)
{
	uint64_t number;

	if (argc != 1 || !typed.on) {
		message_error("trigger add: %s", argc != 1 ? "which name?" : "on what?");
		message_hint("lttngmap trigger add NAME --on event:PROVIDER:NAME");
		return -EINVAL;
	}
	if (typed.above && options_parse_size(typed.above, &number)) {
		message_error("trigger add: --above: '%s' is no number", typed.above);
		message_hint("give a whole number, also as 64K or 10M");
		return -EINVAL;
	}
	if (typed.times < 0) {
		message_error("trigger add: --times: %d cannot be used", typed.times);
		message_hint("0 means that there is no limit");
		return -EINVAL;
	}
	return check_condition();
}

static void add_text(struct json_object *request, const char *key, const char *text)
{
	if (text)
		session_add_text(request, key, text);
}

static struct json_object *make_actions(void)
{
	struct json_object *array = json_object_new_array();

	for (char **action = typed.actions; action && *action; action++)
		json_object_array_add(array, json_object_new_string(*action));
	if (!typed.actions)
		json_object_array_add(array, json_object_new_string("notify"));
	return array;
}

static int add(struct session_verb *self, const char *name)
{
	struct json_object *request = make_request("trigger-add", name), *answer;
	uint64_t above = 0, every_ms = 0;
	int error = take_duration("every", typed.every, &every_ms);

	if (error) {
		json_object_put(request);
		return error;
	}
	if (strncmp(typed.on, EVENT_PREFIX, strlen(EVENT_PREFIX)) == 0) {
		session_add_text(request, "on", "event");
		session_add_text(request, "rule", typed.on + strlen(EVENT_PREFIX));
	} else {
		session_add_text(request, "on", typed.on);
	}
	add_text(request, "filter", typed.filter);
	add_text(request, "exclude", typed.exclude);
	add_text(request, "capture", typed.capture);
	if (typed.above && options_parse_size(typed.above, &above) == 0)
		session_add_number(request, "above", above);
	session_add_number(request, "every_ms", every_ms);
	session_add_number(request, "times", (uint64_t)typed.times);
	json_object_object_add(request, "do", make_actions());
	error = session_verb_ask(self, request, &answer);
	if (error)
		return error;
	if (!session_options.json)
		message_line("trigger %s: `lttngmap trigger wait %s` waits for it", name, name);
	json_object_put(answer);
	return 0;
}

/* ---- list --------------------------------------------------------------------------- */

static void print_text(struct json_object *trigger, const char *key, const char *what)
{
	const char *text = control_answer_text(trigger, key);

	if (text[0])
		message_line("  %s %s", what, text);
}

static void print_counts(struct json_object *trigger)
{
	uint64_t missed = control_answer_count(trigger, "missed");
	uint64_t failed = control_answer_count(trigger, "failed");
	uint64_t lost = control_answer_count(trigger, "lost");
	uint64_t muted_ms = control_answer_count(trigger, "muted_ms");
	char count[32], events[32], duration[32];

	message_line("  rounds: %s%s%s%s",
		     amount_format_count(control_answer_count(trigger, "rounds"), count),
		     json_object_object_get_ex(trigger, "events", NULL) ? ", events: " : "",
		     json_object_object_get_ex(trigger, "events", NULL)
			     ? amount_format_count(control_answer_count(trigger, "events"), events)
			     : "",
		     control_answer_flag(trigger, "spent") ? ", and no more" : "");
	if (muted_ms)
		message_line("  not again for %s", options_format_duration(muted_ms, duration));
	if (missed)
		message_line("  %s rounds may have been missed: the daemon was killed in them",
			     amount_format_count(missed, count));
	if (lost)
		message_line("  %s events could not be counted", amount_format_count(lost, count));
	if (failed)
		message_line("  %s actions failed; the last: %s",
			     amount_format_count(failed, count),
			     control_answer_text(trigger, "problem"));
}

static void print_trigger(struct json_object *trigger)
{
	struct json_object *actions = session_member_array(trigger, "do");
	uint64_t above = control_answer_count(trigger, "above");
	uint64_t every_ms = control_answer_count(trigger, "every_ms");
	uint64_t times = control_answer_count(trigger, "times");
	const char *rule = control_answer_text(trigger, "rule");
	char duration[32];

	message_line("%s: on %s%s%s", control_answer_text(trigger, "trigger"),
		     control_answer_text(trigger, "on"), rule[0] ? " " : "", rule);
	if (above)
		message_line("  above %" PRIu64, above);
	print_text(trigger, "exclude", "but not");
	print_text(trigger, "filter", "where");
	print_text(trigger, "capture", "captures");
	for (size_t i = 0; i < json_object_array_length(actions); i++)
		message_line("  does %s",
			     json_object_get_string(json_object_array_get_idx(actions, i)));
	if (every_ms)
		message_line("  once in %s", options_format_duration(every_ms, duration));
	if (times)
		message_line("  %" PRIu64 " times at most", times);
	print_counts(trigger);
}

static int list(struct session_verb *self, struct json_object **answer)
{
	int error =
		session_verb_ask_all(self, make_request("trigger-list", NULL), "triggers", answer);
	struct json_object *triggers;

	if (error || session_options.json)
		return error;
	triggers = session_member_array(*answer, "triggers");
	if (json_object_array_length(triggers) == 0)
		message_line("no triggers");
	for (size_t i = 0; i < json_object_array_length(triggers); i++)
		print_trigger(json_object_array_get_idx(triggers, i));
	return 0;
}

/* ---- wait --------------------------------------------------------------------------- */

/* "value 42 twice" is "42 (2)". */
static void format_values(struct json_object *round, char *text, size_t size)
{
	struct json_object *values = session_member_array(round, "captured");
	uint64_t others = control_answer_count(round, "others");
	int used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < json_object_array_length(values) && (size_t)used < size; i++) {
		struct json_object *pair = json_object_array_get_idx(values, i);

		if (!json_object_is_type(pair, json_type_array))
			continue;
		used += snprintf(text + used, size - (size_t)used, "%s%s (%" PRIu64 ")",
				 used ? ", " : ": ",
				 json_object_to_json_string(json_object_array_get_idx(pair, 0)),
				 json_object_get_uint64(json_object_array_get_idx(pair, 1)));
	}
	if (others && (size_t)used < size)
		snprintf(text + used, size - (size_t)used, "%sothers (%" PRIu64 ")",
			 used ? ", " : ": ", others);
}

static void print_round(const char *name, struct json_object *round)
{
	uint64_t ms = control_answer_count(round, "time_ms");
	time_t seconds = (time_t)(ms / 1000);
	char when[32] = "", values[512];
	struct tm local;

	if (localtime_r(&seconds, &local))
		strftime(when, sizeof(when), "%H:%M:%S", &local);
	format_values(round, values, sizeof(values));
	if (json_object_object_get_ex(round, "value", NULL))
		message_line("%s: round %" PRIu64 " at %s.%03u: value %" PRIu64, name,
			     control_answer_count(round, "round"), when, (unsigned int)(ms % 1000),
			     control_answer_count(round, "value"));
	else
		message_line("%s: round %" PRIu64 " at %s.%03u: %" PRIu64 " events%s", name,
			     control_answer_count(round, "round"), when, (unsigned int)(ms % 1000),
			     control_answer_count(round, "events"), values);
}

static int wait_for(struct session_verb *self, const char *name, struct json_object **answer)
{
	struct json_object *request = make_request("trigger-wait", name), *rounds;
	uint64_t timeout_ms = 0;
	int error = take_duration("timeout", typed.timeout, &timeout_ms);

	if (error) {
		json_object_put(request);
		return error;
	}
	if (typed.after >= 0)
		session_add_number(request, "after", (uint64_t)typed.after);
	error = session_verb_await(self, request, typed.timeout ? (int)timeout_ms : -1, answer);
	if (error == -ETIMEDOUT) {
		message_error("trigger wait: no round of %s in %s", name, typed.timeout);
		message_hint("`lttngmap trigger list` shows what it waits for");
	}
	if (error || session_options.json)
		return error;
	rounds = session_member_array(*answer, "rounds");
	for (size_t i = 0; i < json_object_array_length(rounds); i++)
		print_round(name, json_object_array_get_idx(rounds, i));
	return 0;
}

/* ---- all ---------------------------------------------------------------------------- */

static bool is_word(const char *word)
{
	static const char *const words[] = { "add", "list", "remove", "wait" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

static int check(int argc, const char **argv)
{
	if (argc == 0 || !is_word(argv[0])) {
		message_error("trigger: %s", argc == 0 ? "what about triggers?"
						       : "the first word is none that is known");
		message_hint("it is add, list, remove or wait");
		return -EINVAL;
	}
	if (strcmp(argv[0], "add") == 0)
		return check_add(argc - 1);
	if (strcmp(argv[0], "list") == 0 ? argc == 1 : argc == 2)
		return 0;
	message_error("trigger %s: %s", argv[0],
		      strcmp(argv[0], "list") == 0 ? "no argument is expected" : "which trigger?");
	message_hint("`lttngmap trigger list` has those that there are");
	return -EINVAL;
}

static int run(int argc, const char **argv)
{
	struct json_object *answer = NULL;
	struct session_verb self;
	int error;

	if (check(argc, argv) != 0)
		return verb_usage_error(&verb_trigger);
	error = session_verb_open(&self, &verb_trigger, strcmp(argv[0], "add") == 0);
	if (!error) {
		if (strcmp(argv[0], "add") == 0)
			error = add(&self, argv[1]);
		else if (strcmp(argv[0], "list") == 0)
			error = list(&self, &answer);
		else if (strcmp(argv[0], "wait") == 0)
			error = wait_for(&self, argv[1], &answer);
		else
			error = session_verb_ask(&self, make_request("trigger-remove", argv[1]),
						 NULL);
	}
	return session_verb_close(&self, error, answer);
}

const struct verb verb_trigger = {
	.name = "trigger",
	.arguments = "[OPTIONS] add|list|remove|wait [TRIGGER]",
	.summary = "Do something when an event or a condition comes",
	.example = "lttngmap trigger add slow --on event:shop:order -f 'ms > 50'",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
