/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/client/session-rules.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/client/control-client.h"
#include "cli/client/logger-rule.h"
#include "cli/client/session-batch.h"

#define WHERE_SIZE 200

static int all, kernel;
static char *typed_id;
static bool is_disable; /* the verb is `disable`, else `remove` */

const struct poptOption session_rules_table[] = {
	{ "all", 'a', POPT_ARG_NONE, &all, 0, "All rules of the channel", NULL },
	{ "kernel", '\0', POPT_ARG_NONE, &kernel, 0,
	  "A rule for events of the kernel's, or a probe by its event; root only", NULL },
	{ "id", '\0', POPT_ARG_STRING, &typed_id, 0,
	  "The rule with this number, as `lttngmap list SESSION` shows", "N" },
	SESSION_INCLUDE(logger_rule_table),
	SESSION_INCLUDE(session_channel_table),
	POPT_TABLEEND
};

static int check(const struct verb *verb, int argc, uint64_t *id)
{
	if (argc + !!all + !!typed_id != 1) {
		message_error("%s: a rule, --id or --all, and one of them", verb->name);
		return -EINVAL;
	}
	if (typed_id && options_parse_number(typed_id, UINT32_MAX, id)) {
		message_error("%s: --id: '%s' is no number", verb->name, typed_id);
		return -EINVAL;
	}
	if (logger_kind_check(verb->name))
		return -EINVAL;
	if (kernel && logger_kind()) {
		message_error("%s: --kernel or --%s, not both", verb->name,
			      logger_kind_option(logger_kind()));
		return -EINVAL;
	}
	if (kernel && session_options.channel) {
		message_error("%s: the kernel's events have no channel", verb->name);
		return -EINVAL;
	}
	return 0;
}

/* A probe has its event's name. */
static bool is_probe_of(struct json_object *probe, const char *text)
{
	const char *kind = control_answer_text(probe, "kind");
	size_t length = strlen(kind);

	return length > 0 && strncmp(text, kind, length) == 0 &&
	       strncmp(text + length, "s:", 2) == 0 &&
	       strcmp(text + length + 2, control_answer_text(probe, "name")) == 0;
}

static bool is_meant(struct json_object *rule, const char *text, uint64_t id)
{
	if (typed_id)
		return control_answer_count(rule, "id") == id;
	if (logger_kind())
		return logger_rule_is_for(logger_kind(), all ? "*" : text,
					  control_answer_text(rule, "rule"),
					  control_answer_text(rule, "filter"));
	if (all)
		return true;
	if (json_object_object_get_ex(rule, "kind", NULL))
		return is_probe_of(rule, text);
	return strcmp(control_answer_text(rule, "rule"), text) == 0;
}

/* The request that enables a rule again, made from the list; NULL: the rule was disabled. */
static struct json_object *undo_request(struct session_verb *self, struct json_object *rule)
{
	struct json_object *request;

	if (!control_answer_flag(rule, "enabled"))
		return NULL;
	request = session_verb_request(self, !kernel ? "enable"
					     : json_object_object_get_ex(rule, "kind", NULL)
						     ? "kernel-probe"
						     : "kernel-enable");
	json_object_object_foreach(rule, key, value)
	{
		if (strcmp(key, "id") != 0 && strcmp(key, "enabled") != 0)
			json_object_object_add(request, key, json_object_get(value));
	}
	return request;
}

/* Adds a step for each chosen rule, and its number to `ids`. */
static int add_steps(struct session_verb *self, struct json_object *rules, const char *text,
		     uint64_t id, struct session_batch *batch, struct json_object *ids)
{
	int error = 0;

	for (size_t i = 0; !error && i < json_object_array_length(rules); i++) {
		struct json_object *rule = json_object_array_get_idx(rules, i), *request;
		uint64_t number = control_answer_count(rule, "id");

		if (!is_meant(rule, text, id) ||
		    (all && is_disable && !control_answer_flag(rule, "enabled")))
			continue;
		request = session_verb_request(self, !kernel      ? self->verb->name
						     : is_disable ? "kernel-disable"
								  : "kernel-remove");
		session_add_number(request, "id", number);
		error = session_batch_add(batch, request, undo_request(self, rule), NULL);
		json_object_array_add(ids, json_object_new_uint64(number));
	}
	return error;
}

/* Prints "channel x of session s" into `text`. */
static const char *where(const struct session_verb *self, char text[WHERE_SIZE])
{
	if (kernel)
		snprintf(text, WHERE_SIZE, "session %s for the kernel's events", self->session);
	else
		snprintf(text, WHERE_SIZE, "channel %s of session %s", self->channel,
			 self->session);
	return text;
}

/* The channel, or the session's kernel domain. NULL after a message: there is none. */
static struct json_object *find_owner(struct session_verb *self)
{
	struct json_object *owner = kernel ? session_verb_find(self)
					   : session_verb_find_channel(self);

	if (owner && kernel && !json_object_object_get_ex(owner, "kernel", &owner)) {
		message_error("%s: session %s has no rules for the kernel's events",
			      self->verb->name, self->session);
		message_hint("`lttngmap enable --kernel` makes one");
		return NULL;
	}
	return owner;
}

static int change(struct session_verb *self, const char *text, uint64_t id, struct json_object *ids)
{
	struct json_object *owner = find_owner(self);
	struct session_batch batch = { 0 };
	char place[WHERE_SIZE];
	int error;

	if (!owner)
		return -ENOENT;
	error = add_steps(self, session_member_array(owner, "rules"), text, id, &batch, ids);
	if (!error && kernel)
		error = add_steps(self, session_member_array(owner, "probes"), text, id, &batch,
				  ids);
	if (!error && batch.nr_steps == 0 && !all) {
		message_error("%s: %s has no rule %s%s%s", self->verb->name, where(self, place),
			      typed_id ? "" : "'", typed_id ? typed_id : text, typed_id ? "" : "'");
		message_hint("`lttngmap list %s` shows its rules", self->session);
		error = -ENOENT;
	}
	if (!error)
		error = session_batch_run(&batch, self);
	session_batch_clear(&batch);
	return error;
}

int session_rules_run(const struct verb *verb, bool disable, int argc, const char **argv)
{
	struct session_verb self;
	struct json_object *answer = NULL, *ids;
	char place[WHERE_SIZE];
	uint64_t id = 0;
	int error;

	is_disable = disable;
	if (check(verb, argc, &id))
		return verb_usage_error(verb);
	error = session_verb_open(&self, verb, false);
	if (!error)
		error = session_verb_choose(&self, NULL);
	if (!error && !kernel)
		error = session_verb_choose_channel(&self);
	ids = json_object_new_array();
	if (!error)
		error = change(&self, argv[0], id, ids);
	if (!error && !session_options.json)
		message_line("%s %zu rule%s of %s", disable ? "disabled" : "removed",
			     json_object_array_length(ids),
			     message_plural(json_object_array_length(ids)), where(&self, place));
	answer = json_object_new_object();
	json_object_object_add(answer, "ids", ids);
	return session_verb_close(&self, error, answer);
}
