/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/ring/ring-filter.h"

#include <lttngmap/abi.h>

#include "liblttngmap/ring/context.h"
#include "liblttngmap/ring/filter.h"

/* The daemon lets a second pass before it uses a filter's memory again. */
#define TRIES_MAX 10

struct event_contexts {
	struct filter_contexts head;
	const struct local *local;
	const void *ip;
};

static bool get_context(const struct filter_contexts *contexts, uint32_t id,
			struct filter_value *value)
{
	const struct event_contexts *from = (const struct event_contexts *)contexts;

	return context_read(from->local, id, from->ip, value);
}

const uint64_t *ring_filter_words(const struct lttngmap_control *control, uint64_t size)
{
	uint64_t filters = control->filters;

	if (filters % 8 != 0 || filters < sizeof(*control) || filters > size ||
	    size - filters < LTTNGMAP_FILTER_WORDS_SIZE)
		return NULL;
	return (const uint64_t *)((const char *)control + filters);
}

/* `key` and `add`: of a map's channel, or NULL. */
static enum channel_result run(const struct local *local, uint32_t slot,
			       const struct ring_event *event, struct filter_key *key,
			       uint64_t *add)
{
	const struct event_contexts contexts = { { get_context }, local, event->ip };
	/* Any of them may be zero in a child that was forked just now. */
	const char *control = __atomic_load_n(&local->filters, __ATOMIC_RELAXED);
	const uint64_t *words = __atomic_load_n(&local->filter_words, __ATOMIC_RELAXED);
	uint64_t control_size = __atomic_load_n(&local->control_size, __ATOMIC_RELAXED);
	const uint64_t *word = words + (uint64_t)slot * LTTNGMAP_EVENT_IDS + event->id;

	for (unsigned tries = 0; control && words && tries < TRIES_MAX; tries++) {
		/* Acquire: pairs with the store of who put the filter there. */
		uint64_t named = __atomic_load_n(word, __ATOMIC_ACQUIRE);
		uint64_t offset = lttngmap_filter_offset(named);
		uint64_t size = lttngmap_filter_size(named);
		bool passes;

		/* A map's channel counts what has a filter. */
		if (!named)
			return key ? CHANNEL_OFF : CHANNEL_ON;
		if (key && named & LTTNGMAP_FILTER_KEY_WORD) {
			*add = 0;
			key->size = 0;
			key->roles = 0;
			return filter_key_of_word(named, event->fields, event->size, &key->key)
				       ? CHANNEL_ON
				       : CHANNEL_OFF;
		}
		if (offset > control_size || size > control_size - offset)
			return CHANNEL_LOST;
		passes = key ? filter_run_map(control + offset, size, event->fields, event->size,
					      &contexts.head, key, add)
			     : filter_run(control + offset, size, event->fields, event->size,
					  &contexts.head);
		/* The filter's bytes were read before the word is looked at again. */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(word, __ATOMIC_RELAXED) == named)
			return passes ? CHANNEL_ON : CHANNEL_OFF;
	}
	return CHANNEL_LOST;
}

enum channel_result ring_filter(const struct local *local, uint32_t slot,
				const struct ring_event *event)
{
	return run(local, slot, event, NULL, NULL);
}

enum channel_result ring_filter_map(const struct local *local, uint32_t slot,
				    const struct ring_event *event, struct filter_key *key,
				    uint64_t *add)
{
	return run(local, slot, event, key, add);
}

bool ring_filter_may_pass(const struct local *local, uint32_t slot, const struct ring_event *event,
			  const struct lttngmap_known *known, size_t nr_known)
{
	/* Any of them may be zero in a child that was forked just now. */
	const char *control = __atomic_load_n(&local->filters, __ATOMIC_RELAXED);
	const uint64_t *words = __atomic_load_n(&local->filter_words, __ATOMIC_RELAXED);
	uint64_t control_size = __atomic_load_n(&local->control_size, __ATOMIC_RELAXED);
	const uint64_t *word = words + (uint64_t)slot * LTTNGMAP_EVENT_IDS + event->id;
	uint64_t named, offset, size;
	bool passes;

	if (!control || !words)
		return true;
	/* Acquire: pairs with the store of who put the filter there. */
	named = __atomic_load_n(word, __ATOMIC_ACQUIRE);
	offset = lttngmap_filter_offset(named);
	size = lttngmap_filter_size(named);
	if (!named || offset > control_size || size > control_size - offset)
		return true;
	passes = filter_may_pass(control + offset, size, event->fields, event->size, known,
				 nr_known);
	/* The filter's bytes were read before the word is looked at again. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return passes || __atomic_load_n(word, __ATOMIC_RELAXED) != named;
}
