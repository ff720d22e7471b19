/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "control-client.h"
#include "options.h"
#include "report.h"
#include "session-batch.h"
#include "session-rules.h"

static int all;
static char *typed_id;

const struct poptOption session_rules_table[] = {
	{ "all", 'a', POPT_ARG_NONE, &all, 0, "All rules of the channel", NULL },
	{ "id", '\0', POPT_ARG_STRING, &typed_id, 0,
	  "The rule with this number, as `lttngmap list SESSION` shows", "N" },
	SESSION_INCLUDE(session_channel_table),
	POPT_TABLEEND
};

static int check(const struct verb *verb, int argc, uint64_t *id)
{
	if (argc + !!all + !!typed_id != 1) {
		report_error("%s: a rule, --id or --all, and one of them", verb->name);
		return -EINVAL;
	}
	if (typed_id && options_parse_number(typed_id, UINT32_MAX, id)) {
		report_error("%s: --id: '%s' is no number", verb->name, typed_id);
		return -EINVAL;
	}
	return 0;
}

static bool is_meant(struct json_object *rule, const char *text, uint64_t id)
{
	if (all)
		return true;
	if (typed_id)
		return control_answer_count(rule, "id") == id;
	return strcmp(control_answer_text(rule, "rule"), text) == 0;
}

/* The request that gives an enabled rule back, as it stands in the list. */
static struct json_object *undo_request(struct session_verb *self, struct json_object *rule)
{
	struct json_object *request;

	if (!control_answer_flag(rule, "enabled"))
		return NULL;
	request = session_verb_request(self, "enable");
	json_object_object_foreach(rule, key, value)
	{
		if (strcmp(key, "id") != 0 && strcmp(key, "enabled") != 0)
			json_object_object_add(request, key, json_object_get(value));
	}
	return request;
}

/* The numbers of the rules go into `ids`. */
static int change(struct session_verb *self, const char *text, uint64_t id, struct json_object *ids)
{
	struct json_object *channel = session_verb_find_channel(self), *rules;
	struct session_batch batch = { 0 };
	int error = 0;

	if (!channel)
		return -ENOENT;
	rules = session_member_array(channel, "rules");
	for (size_t i = 0; !error && i < json_object_array_length(rules); i++) {
		struct json_object *rule = json_object_array_get_idx(rules, i), *request;
		uint64_t number = control_answer_count(rule, "id");

		if (!is_meant(rule, text, id) ||
		    (all && self->verb == &verb_disable && !control_answer_flag(rule, "enabled")))
			continue;
		request = session_verb_request(self, self->verb->name);
		session_add_number(request, "id", number);
		error = session_batch_add(&batch, request, undo_request(self, rule), NULL);
		json_object_array_add(ids, json_object_new_uint64(number));
	}
	if (!error && batch.nr_steps == 0 && !all) {
		report_error("%s: channel %s of session %s has no rule %s%s%s", self->verb->name,
			     self->channel, self->session, typed_id ? "" : "'",
			     typed_id ? typed_id : text, typed_id ? "" : "'");
		report_hint("`lttngmap list %s` shows its rules", self->session);
		error = -ENOENT;
	}
	if (!error)
		error = session_batch_run(&batch, self);
	session_batch_clear(&batch);
	return error;
}

int session_rules_run(const struct verb *verb, const char *done, int argc, const char **argv)
{
	struct session_verb self;
	struct json_object *answer = NULL, *ids;
	uint64_t id = 0;
	int error;

	if (check(verb, argc, &id))
		return verb_usage_error(verb);
	error = session_verb_open(&self, verb, false);
	if (!error)
		error = session_verb_choose(&self, NULL);
	if (!error)
		error = session_verb_choose_channel(&self);
	ids = json_object_new_array();
	if (!error)
		error = change(&self, argv[0], id, ids);
	if (!error && !session_options.json)
		report_line("%s %zu rule%s of channel %s of session %s", done,
			    json_object_array_length(ids),
			    report_plural(json_object_array_length(ids)), self.channel,
			    self.session);
	answer = json_object_new_object();
	json_object_object_add(answer, "ids", ids);
	return session_verb_close(&self, error, answer);
}
