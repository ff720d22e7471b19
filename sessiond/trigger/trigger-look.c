/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* trigger-look.c - whether a trigger's condition is true. */
#include "sessiond/trigger/trigger-private.h"

#include <stdlib.h>
#include <string.h>

#include "sessiond/base/parts.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process-channel.h"
#include "sessiond/session/session.h"
#include "sessiond/storage/saved-state.h"

/* ---- events ------------------------------------------------------------------------- */

void trigger_forget_seen(struct trigger *trigger)
{
	for (uint32_t i = 0; i < trigger->nr_seen; i++)
		free(trigger->seen[i].counts.counts);
	free(trigger->seen);
	trigger->seen = NULL;
	trigger->nr_seen = 0;
}

/* NULL: out of memory. */
static struct trigger_seen *seen_of(struct trigger *trigger, uint64_t set)
{
	struct trigger_seen *more;

	for (uint32_t i = 0; i < trigger->nr_seen; i++)
		if (trigger->seen[i].set == set)
			return &trigger->seen[i];
	more = reallocarray(trigger->seen, trigger->nr_seen + 1, sizeof(*more));
	if (!more)
		return NULL;
	trigger->seen = more;
	more += trigger->nr_seen++;
	*more = (struct trigger_seen){ .set = set };
	return more;
}

static uint64_t sum_of(const struct map_counts *counts)
{
	uint64_t sum = counts->other.count;

	for (size_t i = 0; i < counts->nr_counts; i++)
		sum += counts->counts[i].count;
	return sum;
}

static void read_value(struct trigger_value *value, const struct map_count *count)
{
	*value = (struct trigger_value){ .key = count->key, .has_text = count->texts != NULL };
	if (value->has_text && channel_map_read_text(count, value->text) != 0)
		memset(value->text, 0, sizeof(value->text));
}

static void add_value(struct trigger_round *round, const struct map_count *count, uint64_t events)
{
	uint32_t i = 0;

	while (i < round->nr_values && round->values[i].key != count->key)
		i++;
	if (i == TRIGGER_VALUES_KEPT) {
		round->others += events;
		return;
	}
	if (i == round->nr_values)
		read_value(&round->values[round->nr_values++], count);
	round->values[i].events += events;
}

/* Both are sorted by keys, and a key that was counted stays. */
static void add_new_values(struct trigger_round *round, const struct map_counts *before,
			   const struct map_counts *now)
{
	size_t k = 0;

	for (size_t i = 0; i < now->nr_counts; i++) {
		const struct map_count *count = &now->counts[i];
		uint64_t events = count->count;

		while (k < before->nr_counts && before->counts[k].key < count->key)
			k++;
		if (k < before->nr_counts && before->counts[k].key == count->key)
			events -= before->counts[k].count < events ? before->counts[k].count
								   : events;
		if (events)
			add_value(round, count, events);
	}
	if (now->other.count > before->other.count)
		round->others += now->other.count - before->other.count;
}

/* False: they are to be looked at again. */
static bool look_at_tables(struct session *session, struct process_channel *process_channel,
			   struct trigger_round *round)
{
	struct ring_set *set = process_channel->set;
	struct trigger_seen *seen = seen_of(session->trigger, ring_set_id(set));
	struct map_counts counts;
	uint64_t events, noted;

	if (!seen || channel_map_read(process_channel->channel, process_channel, &counts) != 0)
		return false;
	noted = ring_set_noted_events(set);
	events = ring_set_note_events(set, sum_of(&counts));
	round->events += events;
	/* Not of what a daemon noted that was killed: nobody knows the values of then. */
	if (process_channel->channel->map->expressions.nr_keys && events) {
		if (seen->counts.counts || noted == 0)
			add_new_values(round, &seen->counts, &counts);
		else
			round->others += events;
	}
	free(seen->counts.counts);
	seen->counts = counts;
	return counts.nr_unreadable == 0;
}

static void look_at_events(struct session *session, bool all, struct trigger_round *round)
{
	struct process_channel *process_channel;
	struct channel *channel;

	cds_list_for_each_entry(channel, &session->channels, node) {
		cds_list_for_each_entry(process_channel, &channel->process_channels, node) {
			bool has_rung = ring_set_hear(process_channel->set);

			if ((has_rung || all) && process_channel->process &&
			    !look_at_tables(session, process_channel, round))
				session->trigger->look_at_all = true;
		}
	}
}

/* ---- other conditions --------------------------------------------------------------- */

/* Percent of the fullest ring that nobody has read. */
static uint64_t fill_of(struct session *session)
{
	struct process_channel *process_channel;
	struct ring_set_usage usage;
	struct channel *channel;
	uint64_t most = 0, *unread = NULL;

	cds_list_for_each_entry(channel, &session->channels, node) {
		cds_list_for_each_entry(process_channel, &channel->process_channels, node) {
			uint32_t rings = ring_set_rings(process_channel->set);

			if (!unread)
				unread = calloc(rings, sizeof(*unread));
			if (!unread)
				return 0;
			ring_set_measure(process_channel->set, &usage, unread);
			for (uint32_t i = 0; i < rings; i++) {
				uint64_t percent = unread[i] * 100 / usage.ring_size;

				most = percent > most ? percent : most;
			}
		}
	}
	free(unread);
	return most;
}

static uint64_t count_of(const struct session *map)
{
	struct map_counts counts;
	uint64_t sum;

	if (channel_map_read(cds_list_entry(map->channels.next, struct channel, node), NULL,
			     &counts) != 0)
		return 0;
	sum = sum_of(&counts);
	free(counts.counts);
	return sum;
}

static uint64_t value_of(const struct session *session, struct session *of)
{
	struct ring_totals totals;

	switch (session->trigger->config.condition) {
	case TRIGGER_LOST:
		/* Tells the totals, too. */
		fill_of(of);
		session_read_totals(of, &totals);
		return totals.discarded;
	case TRIGGER_BYTES:
		return of->written.bytes;
	case TRIGGER_ROTATED:
		return of->rotation.completed;
	case TRIGGER_FILL:
		return fill_of(of);
	case TRIGGER_COUNT:
		return count_of(of);
	default:
		return 0;
	}
}

static struct session *find_of(const struct session *session)
{
	const struct trigger_config *config = &session->trigger->config;
	struct sessions *sessions = session->daemon->sessions;

	return config->condition == TRIGGER_COUNT
		       ? sessions_find_map(sessions, config->of, session->owner)
		       : sessions_find(sessions, config->of, session->owner);
}

static bool look_at_value(struct session *session, struct trigger_round *round)
{
	const struct trigger_config *config = &session->trigger->config;
	struct saved_trigger *record = &session->record->trigger;
	struct session *of = find_of(session);
	bool was_full = session->trigger->is_full;

	round->value = of ? value_of(session, of) : 0;
	if (config->condition == TRIGGER_FILL) {
		session->trigger->is_full = round->value > config->above;
		return session->trigger->is_full && !was_full;
	}
	/* Cleared, or another one of that name. */
	if (round->value < record->value)
		record->value = round->value;
	return round->value - record->value > config->above;
}

void trigger_look_first(struct session *session)
{
	struct session *of = find_of(session);

	if (session->record->trigger.rounds == 0 && session->record->trigger.value == 0 && of)
		session->record->trigger.value = value_of(session, of);
}

bool trigger_look(struct session *session, bool all, struct trigger_round *round)
{
	if (session->trigger->config.condition != TRIGGER_EVENT)
		return look_at_value(session, round);
	look_at_events(session, all, round);
	return round->events > 0;
}
