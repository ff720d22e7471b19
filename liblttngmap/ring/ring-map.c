/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/ring/ring-map.h"

/* Takes a free entry for the key. False: somebody else was faster. */
static bool take(struct lttngmap_map_entry *entry, uint64_t key)
{
	uint64_t none = 0;

	if (!__atomic_compare_exchange_n(&entry->count, &none, LTTNGMAP_MAP_CLAIMED, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return false;
	__atomic_store_n(&entry->key, key, __ATOMIC_RELAXED);
	/* Release: whoever finds the count finds the key. */
	__atomic_store_n(&entry->count, 1, __ATOMIC_RELEASE);
	return true;
}

void ring_map_atomic_count(const struct ring_channel *channel, uint32_t index,
			   const struct ring_map_update *update)
{
	char *table = ring_data_at(channel, index);
	uint64_t size = ring_map_size(channel), at = update->begin;
	struct lttngmap_map_entry *entry;

	for (unsigned i = 0; i < LTTNGMAP_MAP_PROBES; i++, at += sizeof(*entry)) {
		uint64_t count;

		entry = (void *)(table + (at & (size - sizeof(*entry))));
		/* Acquire: pairs with take(). */
		count = __atomic_load_n(&entry->count, __ATOMIC_ACQUIRE);
		if (count == 0 && take(entry, update->key)) {
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
