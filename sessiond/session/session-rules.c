/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-rules.c - the rules of a session's channels are enabled and disabled; the event classes
 * that they match are described and turned on.
 */
#include "sessiond/session/session-private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/protocol/protocol-app.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "sessiond/class/registry.h"
#include "sessiond/quota/quota.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process.h"

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
		    rule_entry_check(entry, channel->rules.map, event_class, &problem) == 0)
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

		if (entry->enabled && (entry->filter || channel->map))
			tell_unfit_classes(channel, entry, ids);
	}
}

/* Can the filter of the last rule be right for a class that it matches? */
static int check_filter(const struct channel *channel, const struct rule_entry *entry,
			const struct registry_class *event_class, struct rule_problem *problem)
{
	struct filter_program *filter;
	struct rule_problem found;
	int error = rule_entry_check(entry, channel->rules.map, event_class, &found);

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
	struct daemon *daemon = channel->session->daemon;
	const struct quota_user *owner = quota_user(daemon->quota, channel->session->owner);
	const struct registry *registry = daemon->registry;
	int error = 0;

	for (uint32_t id = 0;
	     (entry->filter || channel->map) && error == 0 && id < registry_count(registry); id++) {
		const struct registry_class *event_class = registry_get(registry, id);

		/* The other classes are checked when they are decided, in the owner's next turns.
		 */
		if (owner && owner->limited && run_queue_is_long(daemon->run_queue))
			break;

		if (event_class && is_in(ids, id) && rule_entry_match(entry, event_class))
			error = check_filter(channel, entry, event_class, problem);
	}
	return error;
}

/* The rules are more: describes what they match, and turns it on. */
static void apply_more_rules(struct channel *channel)
{
	static uint64_t ids[LTTNGMAP_EVENT_IDS / 64];

	session_list_classes(channel->session, ids);
	channel_decide_again(channel);
	channel_describe_classes(channel, ids, false);
	session_push_metadata(channel->session);
	daemon_save_state(channel->session->daemon);
	channel_switch_classes(channel, NULL);
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
	apply_more_rules(channel);
	return 0;
}

/* The rules are fewer. When it returns, nothing more is recorded by what is gone. */
static void switch_fewer_rules(struct channel *channel)
{
	channel_decide_again(channel);
	daemon_save_state(channel->session->daemon);
	if (channel->started)
		channel_switch_classes(channel, NULL);
}

static void apply_fewer_rules(struct channel *channel)
{
	switch_fewer_rules(channel);
	if (channel->started)
		channel_wait_writers();
}

void session_disable(struct channel *channel, struct rule_entry *entry, bool remove)
{
	if (remove)
		rule_list_remove(&channel->rules, entry);
	else
		entry->enabled = false;
	apply_fewer_rules(channel);
}

void session_set_channel_enabled(struct channel *channel, bool enabled)
{
	channel->rules.disabled = !enabled;
	if (enabled)
		apply_more_rules(channel);
	else
		apply_fewer_rules(channel);
}

void session_mute_channel(struct channel *channel)
{
	channel->rules.disabled = true;
	switch_fewer_rules(channel);
}

/* ---- classes ------------------------------------------------------------------------- */

/* Described first: what is described may be recorded, and what may be recorded is. */
static void add_classes(struct session *session, const uint64_t *ids)
{
	struct channel *channel;

	cds_list_for_each_entry(channel, &session->channels, node)
		channel_describe_classes(channel, ids, true);
	session_push_metadata(session);
	cds_list_for_each_entry(channel, &session->channels, node)
		channel_switch_classes(channel, ids);
}

/*
 * Those of the ids that the user has not had yet, and that a session refused, are decided again:
 * this user may have room.
 */
static void try_again(struct sessions *sessions, const struct quota_user *user, const uint16_t *ids,
		      uint32_t nr_ids)
{
	struct session *session;
	struct channel *channel;

	cds_list_for_each_entry(session, &sessions->list, node) {
		if (!session_takes_user(session, user))
			continue;
		cds_list_for_each_entry(channel, &session->channels, node)
			for (uint32_t i = 0; i < nr_ids; i++)
				if (ids[i] != PROTOCOL_APP_NO_ID && !quota_has_class(user, ids[i]))
					channel_try_again(channel, ids[i]);
	}
}

void sessions_add_classes(struct sessions *sessions, struct quota_user *user, const uint16_t *ids,
			  uint32_t nr_ids)
{
	struct session *session;

	try_again(sessions, user, ids, nr_ids);
	quota_note_classes(user, ids, nr_ids);
	if (!user->class_ids)
		return;
	cds_list_for_each_entry(session, &sessions->list, node)
		if (session_takes_user(session, user))
			add_classes(session, user->class_ids);
}

struct listing {
	const struct session *session;
	uint64_t *ids;
};

static void list_of_user(struct quota_user *user, void *data)
{
	const struct listing *listing = data;

	if (!user->class_ids || !session_takes_user(listing->session, user))
		return;
	for (uint32_t i = 0; i < LTTNGMAP_EVENT_IDS / 64; i++)
		listing->ids[i] |= user->class_ids[i];
}

void session_list_classes(const struct session *session, uint64_t ids[LTTNGMAP_EVENT_IDS / 64])
{
	struct listing listing = { session, ids };

	memset(ids, 0, LTTNGMAP_EVENT_IDS / 8);
	quota_each(session->daemon->quota, list_of_user, &listing);
}

void session_describe_all(struct session *session)
{
	static uint64_t ids[LTTNGMAP_EVENT_IDS / 64];

	session_list_classes(session, ids);
	add_classes(session, ids);
}

void session_retrack(struct session *session)
{
	struct process *process;
	struct channel *channel;

	/* Users that it takes from now on may have room for what was refused. */
	cds_list_for_each_entry(channel, &session->channels, node)
		for (uint32_t id = 0; id < LTTNGMAP_EVENT_IDS; id++)
			channel_try_again(channel, id);
	/* Before they are let in. */
	session_describe_all(session);
	cds_list_for_each_entry(channel, &session->channels, node) {
		if (!channel->started)
			continue;
		cds_list_for_each_entry(process, processes_list(session->daemon->processes), list)
			channel_admit(channel, process);
	}
	if (session->state == SESSION_ACTIVE)
		channel_wait_writers();
	daemon_save_state(session->daemon);
}
