/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-filter.h - what a filtered channel says of an event, before it goes
 * into a ring. The daemon's half is sessiond/memory/filter-pages.c.
 */
#ifndef LIBLTTNGMAP_RING_RING_FILTER_H
#define LIBLTTNGMAP_RING_RING_FILTER_H

#include <lttngmap/abi.h>

#include "liblttngmap/base/local.h"
#include "liblttngmap/ring/filter.h"
#include "liblttngmap/ring/filter-test.h"
#include "liblttngmap/ring/ring.h"

/* The words of slot 0 in a control that is mapped so far, or NULL: it has none. */
const uint64_t *ring_filter_words(const struct lttngmap_control *control, uint64_t size);

/*
 * CHANNEL_ON: the event is to be recorded. CHANNEL_OFF: it is not, which is
 * no loss. CHANNEL_LOST: its filter could not be had. Signal-safe; makes
 * system calls only where a filter asks for a context that only the kernel
 * knows.
 */
enum channel_result ring_filter(const struct local *local, uint32_t slot,
				const struct ring_event *event);

/* The same in a map's channel; where it is ON, there are the key and what to add. */
enum channel_result ring_filter_map(const struct local *local, uint32_t slot,
				    const struct ring_event *event, struct filter_key *key,
				    uint64_t *add);

/*
 * False if the event's filter rejects it whatever stands in those bytes of its fields that are not
 * `known`. Signal-safe, makes no system call.
 */
bool ring_filter_may_pass(const struct local *local, uint32_t slot, const struct ring_event *event,
			  const struct lttngmap_known *known, size_t nr_known);

/*
 * True if the filter's first test rejects the event; most events of a filtered channel end here.
 * False: ring_filter() decides. `at`: index of the filter's word, by slot and id.
 */
static inline __attribute__((always_inline)) bool
ring_filter_rejects(const struct local *local, uint64_t at, const void *fields, size_t fields_size)
{
	/* Any of them may be zero in a child that was forked just now. */
	const char *control = __atomic_load_n(&local->filters, __ATOMIC_RELAXED);
	const uint64_t *words = __atomic_load_n(&local->filter_words, __ATOMIC_RELAXED);
	uint64_t control_size = __atomic_load_n(&local->control_size, __ATOMIC_RELAXED);
	uint64_t named, offset, size;
	const uint64_t *word;

	if (UNLIKELY(!control || !words))
		return false;
	word = words + at;
	/* Acquire: pairs with the store of who put the filter there. */
	named = __atomic_load_n(word, __ATOMIC_ACQUIRE);
	offset = lttngmap_filter_offset(named);
	size = lttngmap_filter_size(named);
	if (UNLIKELY(offset > control_size || size > control_size - offset) ||
	    !filter_fails_at_once((const uint64_t *)(control + offset), size, fields, fields_size))
		return false;
	/* The filter's bytes were read before the word is looked at again. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return LIKELY(__atomic_load_n(word, __ATOMIC_RELAXED) == named);
}

#endif /* LIBLTTNGMAP_RING_RING_FILTER_H */
