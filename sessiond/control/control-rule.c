/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-rule.c - the verbs about the rules of a channel.
 */
#include "sessiond/control/control-verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sessiond/base/parts.h"
#include "sessiond/control/control-args.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/session.h"
#include "sessiond/storage/saved-state.h"

/* Maximum number of classes named that a filter does not fit. */
#define WARNINGS_MAX 16

int control_take_rule(struct control_client *client, struct json_object *request,
		      struct rule_config *config)
{
	uint64_t loglevel = UINT64_MAX;

	*config = (struct rule_config){ .patterns = NULL };
	config->patterns = control_need_string(client, request, "rule");
	if (!config->patterns)
		return -EINVAL;
	if (control_take_string(client, request, "exclude", &config->exclude) != 0 ||
	    control_take_string(client, request, "filter", &config->filter) != 0 ||
	    control_take_bool(client, request, "loglevel_only", &config->loglevel_only) != 0 ||
	    control_take_number(client, request, "loglevel", LTTNGMAP_LOGLEVEL_DEBUG, &loglevel) !=
		    0)
		return -EINVAL;
	config->has_loglevel = loglevel != UINT64_MAX;
	if (config->has_loglevel) {
		config->loglevel = (uint8_t)loglevel;
	} else if (config->loglevel_only) {
		control_refuse(client, "give \"loglevel\"",
			       "'loglevel_only' says nothing without a level");
		return -EINVAL;
	}
	return 0;
}

void control_refuse_rule(struct control_client *client, const struct channel *channel,
			 const struct rule_config *config, const struct rule_problem *problem,
			 int error)
{
	if (problem->in_filter)
		control_refuse_at(client, "lttngmap-filter(7) has the language", problem->why,
				  problem->in, problem->column, problem->length);
	else if (error == -ENOSPC)
		control_refuse(client, "join rules by commas, or use '*'",
			       "cannot enable '%.100s' in channel %s: %s", config->patterns,
			       channel->name, problem->why);
	else
		control_refuse(client,
			       "`lttngmap events` lists those of programs that run or have run",
			       "cannot enable '%.100s': %s", config->patterns, problem->why);
}

/* The classes of the processes that run now: a bit for each id. */
static const uint64_t *running_classes(const struct daemon *daemon)
{
	static uint64_t running[LTTNGMAP_EVENT_IDS / 64];

	memset(running, 0, sizeof(running));
	for (uint32_t index = 0; index < SAVED_PROCESSES; index++) {
		const struct saved_process *process = saved_process(daemon->saved_state, index);

		if (saved_process_state(daemon->saved_state, index) != SAVED_LIVE)
			continue;
		for (uint32_t i = 0; i < process->class_words; i++)
			running[i] |= process->classes[i];
	}
	return running;
}

/*
 * How many classes there are for it now, and what it does not fit. A class that only ended programs
 * had is no reason for a warning: the program may have been built anew since, with another class.
 */
static void add_matches(struct json_object *answer, const uint64_t *visible,
			const struct channel *channel, const struct rule_entry *entry,
			struct rule_problem *problem)
{
	const struct registry *registry = channel->session->daemon->registry;
	const uint64_t *running = running_classes(channel->session->daemon);
	struct json_object *warnings = json_object_new_array();
	uint32_t matched = 0, unfit = 0;
	char text[RULE_LIST_WHY_SIZE + 64];

	if (problem->why[0] != '\0')
		json_object_array_add(warnings, json_object_new_string(problem->why));
	for (uint32_t id = 0; id < registry_count(registry); id++) {
		const struct registry_class *event_class = registry_get(registry, id);

		if (!event_class || (visible && !(visible[id / 64] >> id % 64 & 1)) ||
		    !rule_entry_match(entry, event_class))
			continue;
		/* In a long turn of a user with limits, filters are not checked for the answer. */
		if ((visible && run_queue_is_long(channel->session->daemon->run_queue)) ||
		    rule_entry_check(entry, channel->rules.map, event_class, problem) == 0) {
			matched++;
			continue;
		}
		if (!(running[id / 64] >> id % 64 & 1) || unfit++ >= WARNINGS_MAX)
			continue;
		snprintf(text, sizeof(text), "no event %.128s is recorded by this rule: %.250s",
			 event_class->full_name, problem->why);
		json_object_array_add(warnings, json_object_new_string(text));
	}
	if (unfit > WARNINGS_MAX) {
		snprintf(text, sizeof(text), "… nor are %u others", unfit - WARNINGS_MAX);
		json_object_array_add(warnings, json_object_new_string(text));
	}
	control_add_number(answer, "matched", matched);
	json_object_object_add(answer, "warnings", warnings);
}

void control_answer_rule(struct control_client *client, const struct channel *channel,
			 const struct rule_entry *entry, struct rule_problem *problem)
{
	struct json_object *answer = json_object_new_object();

	control_add_number(answer, "id", entry->id);
	add_matches(answer, control_visible_classes(client), channel, entry, problem);
	control_answer(client, answer);
}

void control_serve_enable(struct control_client *client, struct json_object *request)
{
	struct session *session = control_need_session(client, request);
	struct rule_problem problem;
	struct rule_config config;
	struct rule_entry *entry;
	struct channel *channel;
	int error;

	if (!session)
		return;
	channel = control_need_channel(client, session, request);
	if (!channel || control_take_rule(client, request, &config) != 0 ||
	    !control_list_fits(client, session, request))
		return;
	error = session_enable(channel, &config, &entry, &problem);
	if (error) {
		control_refuse_rule(client, channel, &config, &problem, error);
		return;
	}
	control_answer_rule(client, channel, entry, &problem);
}

static void disable(struct control_client *client, struct json_object *request, bool remove)
{
	struct session *session = control_need_session(client, request);
	struct rule_entry *entry;
	struct channel *channel;
	uint64_t id;

	if (!session)
		return;
	channel = control_need_channel(client, session, request);
	if (!channel || control_need_number(client, request, "id", UINT32_MAX, &id) != 0)
		return;
	entry = rule_list_find(&channel->rules, (uint32_t)id);
	if (!entry) {
		control_refuse(client, "`list` has the rules and their numbers",
			       "channel %s has no rule %llu", channel->name,
			       (unsigned long long)id);
	} else if (!remove && !entry->enabled) {
		control_refuse(client, "enable it again, or remove it",
			       "rule %llu of channel %s is disabled already",
			       (unsigned long long)id, channel->name);
	} else {
		session_disable(channel, entry, remove);
		control_answer(client, NULL);
	}
}

void control_serve_disable(struct control_client *client, struct json_object *request)
{
	disable(client, request, false);
}

void control_serve_remove(struct control_client *client, struct json_object *request)
{
	disable(client, request, true);
}
