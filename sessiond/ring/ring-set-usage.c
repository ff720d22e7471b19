/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* ring-set-usage.c - how the rings of a set stand, for who watches them. */
#include "sessiond/ring/ring-set-private.h"

#include <string.h>

uint32_t ring_set_rings(const struct ring_set *set)
{
	return set->rings;
}

bool ring_set_ring(struct ring_set *set, bool *first)
{
	if (!set->config.is_trigger)
		return false;
	*first = !__atomic_exchange_n(&set->has_rung, true, __ATOMIC_SEQ_CST);
	return true;
}

bool ring_set_hear(struct ring_set *set)
{
	bool has_rung = __atomic_exchange_n(&set->has_rung, false, __ATOMIC_SEQ_CST);

	pthread_mutex_lock(&set->mutex);
	ring_set_check_memory(set);
	/* Pairs with ring_map_tell(): the tables are read after this. */
	if (!set->shrunk)
		__atomic_add_fetch(&set->config.rings->heard, 1, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&set->mutex);
	return has_rung;
}

uint64_t ring_set_note_events(struct ring_set *set, uint64_t events)
{
	uint64_t before = set->saved->events;

	/* The sum stays: no program takes back what was noted. */
	if (events < before)
		__atomic_add_fetch(&set->saved->offset, before - events, __ATOMIC_RELEASE);
	__atomic_store_n(&set->saved->events, events, __ATOMIC_RELEASE);
	return events > before ? events - before : 0;
}

uint64_t ring_set_noted_events(const struct ring_set *set)
{
	return set->saved->events + set->saved->offset;
}

/* Bytes written and not read yet, at most the size of the ring. */
static uint64_t unread_of(const struct ring_reader *reader, uint64_t position, uint64_t size)
{
	uint64_t from = (reader->seq << reader->geometry->subbuf_shift) + reader->offset;
	uint64_t unread = position > from ? position - from : 0;

	return unread < size ? unread : size;
}

static void look_at(struct ring_set *set, uint32_t ring, uint64_t size, struct ring_usage *usage)
{
	struct ring_reader *reader = &set->readers[ring];
	bool was_good = !reader->is_corrupt;
	struct ring_commit commit;

	/* Where a writer keeps us from seeing one commit, what was seen last will do. */
	if (ring_reader_look(reader, &commit) != 0)
		commit = reader->last;
	if (was_good && reader->is_corrupt)
		ring_set_close_ring(set, ring);
	usage->unread += reader->is_corrupt ? 0 : unread_of(reader, commit.position, size);
	usage->written += reader->account.written;
	usage->discarded += reader->account.discarded;
	usage->overwritten += reader->account.overwritten;
}

void ring_set_measure(struct ring_set *set, struct ring_set_usage *usage, uint64_t *unread)
{
	*usage = (struct ring_set_usage){
		.pid = set->config.pid,
		.uid = set->config.uid,
		.ring_size = UINT64_C(1) << (set->config.subbuf_shift + set->config.subbufs_shift),
	};
	memcpy(usage->procname, set->procname, sizeof(usage->procname));
	if (ring_set_is_module(set)) {
		ring_set_module_measure(set, &usage->all);
		memset(unread, 0, set->rings * sizeof(*unread));
		return;
	}
	pthread_mutex_lock(&set->mutex);
	ring_set_check_memory(set);
	for (uint32_t i = 0; i < set->rings; i++) {
		uint64_t before = usage->all.unread;

		look_at(set, i, usage->ring_size, &usage->all);
		unread[i] = usage->all.unread - before;
	}
	ring_set_tell_totals(set);
	pthread_mutex_unlock(&set->mutex);
}
