/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/ring/ring-map.h"

/*
 * Takes a free entry for the key, whose text goes to `to`, or which has none. False: somebody else
 * was faster.
 */
static bool take(struct lttngmap_map_entry *entry, uint64_t key, uint64_t *to, const uint64_t *text)
{
	uint64_t none = 0;

	if (!__atomic_compare_exchange_n(&entry->count, &none, LTTNGMAP_MAP_CLAIMED, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return false;
	for (unsigned i = 0; text && i < LTTNGMAP_MAP_TEXT_SIZE / sizeof(*text); i++)
		__atomic_store_n(&to[i], text[i], __ATOMIC_RELAXED);
	__atomic_store_n(&entry->text, text ? lttngmap_map_text_mark(key) : 0, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->key, key, __ATOMIC_RELAXED);
	/* Release: whoever finds the count finds the key. */
	__atomic_store_n(&entry->count, 1, __ATOMIC_RELEASE);
	return true;
}

void ring_map_atomic_count(const struct ring_channel *channel, uint32_t index,
			   const struct ring_map_update *update, const uint64_t *text)
{
	char *table = ring_data_at(channel, index);
	uint64_t size = ring_map_size(channel), at = update->begin;
	struct lttngmap_map_entry *entry = (void *)(table + size);
	unsigned probes = text && !ring_map_has_texts(channel) ? 0 : LTTNGMAP_MAP_PROBES;

	for (unsigned i = 0; i < probes; i++, at += sizeof(*entry)) {
		uint64_t count, offset = at & (size - sizeof(*entry));

		entry = (void *)(table + offset);
		/* Acquire: pairs with take(). */
		count = __atomic_load_n(&entry->count, __ATOMIC_ACQUIRE);
		if (count == 0 &&
		    take(entry, update->key,
			 (void *)(table + lttngmap_map_text_offset(offset, channel->subbuf_shift)),
			 text)) {
			__atomic_add_fetch(&entry->sum, update->add, __ATOMIC_RELAXED);
			return;
		}
		count = __atomic_load_n(&entry->count, __ATOMIC_ACQUIRE);
		if (!(count & LTTNGMAP_MAP_CLAIMED) &&
		    __atomic_load_n(&entry->key, __ATOMIC_RELAXED) == update->key)
			break;
		entry = (void *)(table + size);
	}
	__atomic_add_fetch(&entry->count, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&entry->sum, update->add, __ATOMIC_RELAXED);
}

void ring_map_tell(const struct local *local, const struct ring_channel *channel)
{
	struct lttngmap_ring *first = ring_at(channel, 0);
	uint32_t next;

	/* Pairs with ring_set_hear(): the event is counted before this look. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	next = __atomic_load_n(&first->heard, __ATOMIC_RELAXED) + 1;
	if (__atomic_load_n(&first->rung, __ATOMIC_RELAXED) == next)
		return;
	if (ring_doorbell(local))
		__atomic_store_n(&first->rung, next, __ATOMIC_RELEASE);
}
