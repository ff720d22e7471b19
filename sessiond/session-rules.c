/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-rules.c - the rules of a session's channels: enabled and disabled,
 * and what their filters are not for.
 */
#include <errno.h>
#include <stdio.h>

#include "sessiond/channel.h"
#include "sessiond/parts.h"
#include "sessiond/messages.h"
#include "sessiond/registry.h"
#include "sessiond/session.h"
#include "sessiond/state.h"

static bool is_in(const uint64_t *ids, uint32_t id)
{
	return ids[id / 64] >> id % 64 & 1;
}

static void tell_unfit_classes(const struct channel *channel, const struct rule_entry *entry,
			       const uint64_t *ids)
{
	const struct registry *registry = channel->session->daemon->registry;
	const struct registry_class *unfit = NULL;
	struct rule_problem problem, why;
	uint32_t others = 0;

	for (uint32_t id = 0; id < registry_count(registry); id++) {
		const struct registry_class *event_class = registry_get(registry, id);

		if (!event_class || !is_in(ids, id) || !rule_entry_match(entry, event_class) ||
		    rule_entry_check(entry, event_class, &problem) == 0)
			continue;
		others += unfit != NULL;
		if (unfit)
			continue;
		unfit = event_class;
		why = problem;
	}
	if (unfit && others > 0)
		message_say("rule %u of channel %s does not record event %s, nor %u other%s: %s",
			    entry->id, channel->name, unfit->full_name, others,
			    others == 1 ? "" : "s", why.why);
	else if (unfit)
		message_say("rule %u of channel %s does not record event %s: %s", entry->id,
			    channel->name, unfit->full_name, why.why);
}

void session_tell_unfit(const struct channel *channel, const uint64_t *ids)
{
	for (size_t i = 0; i < channel->rules.nr_entries; i++) {
		const struct rule_entry *entry = channel->rules.entries[i];

		if (entry->enabled && entry->filter)
			tell_unfit_classes(channel, entry, ids);
	}
}

/* Can the filter of the last rule be right for a class that it matches? */
static int check_filter(const struct channel *channel, const struct rule_entry *entry,
			const struct registry_class *event_class, struct rule_problem *problem)
{
	struct filter_program *filter;
	struct rule_problem found;
	int error = rule_entry_check(entry, event_class, &found);

	/* A class that lacks a field is none of its business. */
	if (error == -ENOENT)
		return 0;
	if (error) {
		*problem = found;
		return error;
	}
	error = rule_list_decide(&channel->rules, event_class, &filter);
	filter_program_destroy(filter);
	if (error != -E2BIG)
		return 0;
	*problem = (struct rule_problem){ .in_filter = true, .length = 1 };
	snprintf(problem->why, sizeof(problem->why),
		 "the filters of all rules for %.128s are too long together",
		 event_class->full_name);
	return error;
}

/* For the classes that the session takes: others may belong to anybody. */
static int check_filters(const struct channel *channel, const struct rule_entry *entry,
			 const uint64_t *ids, struct rule_problem *problem)
{
	const struct registry *registry = channel->session->daemon->registry;
	int error = 0;

	for (uint32_t id = 0; entry->filter && error == 0 && id < registry_count(registry); id++) {
		const struct registry_class *event_class = registry_get(registry, id);

		if (event_class && is_in(ids, id) && rule_entry_match(entry, event_class))
			error = check_filter(channel, entry, event_class, problem);
	}
	return error;
}

int session_enable(struct channel *channel, const struct rule_config *config,
		   struct rule_entry **entry, struct rule_problem *problem)
{
	static uint64_t ids[LTTNGMAP_EVENT_IDS / 64];
	size_t nr_entries = channel->rules.nr_entries;
	int error = rule_list_add(&channel->rules, config, entry, problem);

	if (error)
		return error;
	session_list_classes(channel->session, ids);
	if (channel->rules.nr_entries > nr_entries) {
		error = check_filters(channel, *entry, ids, problem);
		if (error) {
			rule_list_remove(&channel->rules, *entry);
			return error;
		}
	}
	channel_decide_again(channel);
	channel_describe_classes(channel, ids, false);
	session_push_metadata(channel->session);
	state_save(channel->session->daemon);
	channel_switch_classes(channel, NULL);
	return 0;
}

void session_disable(struct channel *channel, struct rule_entry *entry, bool remove)
{
	if (remove)
		rule_list_remove(&channel->rules, entry);
	else
		entry->enabled = false;
	channel_decide_again(channel);
	state_save(channel->session->daemon);
	if (!channel->started)
		return;
	channel_switch_classes(channel, NULL);
	channel_wait_writers();
}
