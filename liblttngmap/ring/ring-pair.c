/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/ring/ring-pair.h"

#include <stddef.h>
#include <sys/rseq.h>

#include <lttngmap/filter-code.h>

#include "liblttngmap/ring/context.h"
#include "liblttngmap/ring/ring-map.h"
#include "liblttngmap/ring/ring-rseq.h"

/* Others were faster so often in a row: the event stays without a pair. */
#define TRIES_MAX 64
/* A debugger that steps through this thread aborts each section, as ring-write.c says. */
#define RSEQ_TRIES_MAX 8

/* An event on its way. */
struct pairing {
	const struct local *local;
	const struct ring_channel *channel;
	uint64_t epoch;
	bool by_rseq;
	struct lttngmap_map_pair *pairs;
	unsigned sets_shift; /* log2 of the number of sets */
	uint64_t key, now;
};

/* The contents that an exchange expects, and those that it stores. */
struct change {
	struct lttngmap_map_pair before, after;
};

static struct ring_place place_of(const struct pairing *pairing)
{
	return (struct ring_place){
		.cpu = ring_rseq_cpu(__rseq_offset),
		.generation = pairing->channel->generation,
		.epoch = pairing->epoch,
	};
}

/* RING_WRITTEN; RING_FULL: there is something else; RING_AGAIN; RING_STALE. */
static enum ring_result exchange_rseq(const struct ring_channel *channel, ptrdiff_t rseq_offset,
				      const struct ring_place *place, struct lttngmap_map_pair *at,
				      const struct change *change)
{
	__asm__ goto(RSEQ_SECTION_TABLE RSEQ_SECTION_ENTER_BY_EPOCH "movq (%[change]), %%rax\n\t"
								    "movq 8(%[change]), %%rdx\n\t"
								    "movq 16(%[change]), %%rbx\n\t"
								    "movq 24(%[change]), %%rcx\n\t"
								    "lock cmpxchg16b (%[at])\n\t"
								    "2:\n\t"
								    "jne %l[differs]\n\t"
		     :
		     : RSEQ_SECTION_OPERANDS, [rseq] "r"(rseq_offset), [channel] "r"(channel),
		       [place] "r"(place), [at] "r"(at), [change] "r"(change)
		     : "rax", "rbx", "rcx", "rdx", "cc", "memory"
		     : again, stale, differs);
	return RING_WRITTEN;
again:
	return RING_AGAIN;
stale:
	return RING_STALE;
differs:
	return RING_FULL;
}

/* The same, where there is no section: what is checked may change before the exchange. */
static enum ring_result exchange_atomic(const struct pairing *pairing, struct lttngmap_map_pair *at,
					const struct change *change)
{
	const struct ring_channel *channel = pairing->channel;
	uint64_t key = change->before.key, time = change->before.time;
	bool done;

	if (local_is_forked(pairing->local, pairing->epoch))
		return RING_GONE;
	if (__atomic_load_n(channel->control_generation, __ATOMIC_RELAXED) != channel->generation)
		return RING_STALE;
	__asm__ volatile("lock cmpxchg16b %[at]\n\t"
			 "sete %[done]\n\t"
			 : [done] "=q"(done), [at] "+m"(*at), "+a"(key), "+d"(time)
			 : "b"(change->after.key), "c"(change->after.time)
			 : "cc", "memory");
	return done ? RING_WRITTEN : RING_FULL;
}

static enum ring_result exchange(const struct pairing *pairing, struct lttngmap_map_pair *at,
				 const struct change *change)
{
	for (unsigned i = 0; pairing->by_rseq && i < RSEQ_TRIES_MAX; i++) {
		struct ring_place place = place_of(pairing);
		enum ring_result result =
			exchange_rseq(pairing->channel, __rseq_offset, &place, at, change);

		if (result != RING_AGAIN)
			return result;
	}
	return exchange_atomic(pairing, at, change);
}

/* A set's entry for a new pair: a free one, or the one that has waited longest. */
struct place {
	struct lttngmap_map_pair *at, seen;
	unsigned nr_free;
};

/* True if the pair of the key is there, which is *place then. What was seen may be of two moments.
 */
static bool search(const struct pairing *pairing, unsigned which, struct place *place)
{
	uint64_t set = lttngmap_map_pair_set(pairing->key, which, pairing->sets_shift);
	struct lttngmap_map_pair *at = &pairing->pairs[set * LTTNGMAP_MAP_PAIR_SET];

	*place = (struct place){ .at = at, .seen = { .time = UINT64_MAX } };
	for (unsigned i = 0; i < LTTNGMAP_MAP_PAIR_SET; i++) {
		uint64_t time = __atomic_load_n(&at[i].time, __ATOMIC_RELAXED);
		uint64_t key = __atomic_load_n(&at[i].key, __ATOMIC_RELAXED);
		bool is_it = time && key == pairing->key;

		place->nr_free += !time;
		if (is_it || time < place->seen.time) {
			place->at = &at[i];
			place->seen = (struct lttngmap_map_pair){ key, time };
		}
		if (is_it)
			return true;
	}
	return false;
}

/* True if the pair of the key is there; else *place is in the set that has more room. */
static bool find(const struct pairing *pairing, struct place *place)
{
	struct place second;

	if (search(pairing, 0, place))
		return true;
	if (search(pairing, 1, &second)) {
		*place = second;
		return true;
	}
	if (second.nr_free > place->nr_free ||
	    (!second.nr_free && !place->nr_free && second.seen.time < place->seen.time))
		*place = second;
	return false;
}

/* RING_WRITTEN: *other: another event without a second one made room, or this one found none. */
static enum ring_result open_pair(const struct pairing *pairing, bool *other)
{
	*other = true;
	for (unsigned tries = 0; tries < TRIES_MAX; tries++) {
		struct change change = { .after = { pairing->key, pairing->now } };
		enum ring_result result;
		struct place place;

		(void)find(pairing, &place);
		change.before = place.seen;
		result = exchange(pairing, place.at, &change);
		if (result == RING_FULL)
			continue;
		*other = place.seen.time != 0;
		return result;
	}
	return RING_WRITTEN;
}

/* RING_WRITTEN; *since: when the pair's first event came, 0: there was none. */
static enum ring_result close_pair(const struct pairing *pairing, uint64_t *since)
{
	*since = 0;
	for (unsigned tries = 0; tries < TRIES_MAX; tries++) {
		struct change change = { .after = { .key = pairing->key } };
		enum ring_result result;
		struct place place;

		if (!find(pairing, &place))
			return RING_WRITTEN;
		change.before = place.seen;
		result = exchange(pairing, place.at, &change);
		if (result == RING_FULL)
			continue;
		*since = place.seen.time;
		return result;
	}
	return RING_WRITTEN;
}

/* A channel that goes meanwhile takes its counts along. */
static void count(const struct pairing *pairing, uint64_t key, uint64_t add)
{
	const struct ring_channel *channel = pairing->channel;
	struct ring_map_update update = { .key = key, .add = add };

	update.begin = ring_map_begin(channel, key);
	for (unsigned i = 0; pairing->by_rseq && i < RSEQ_TRIES_MAX; i++) {
		update.place = place_of(pairing);
		if (update.place.cpu >= channel->cpu_rings)
			break;
		if (ring_map_rseq_count(channel, __rseq_offset, &update) != RING_AGAIN)
			return;
	}
	if (!local_is_forked(pairing->local, pairing->epoch))
		ring_map_atomic_count(channel, channel->cpu_rings, &update, NULL);
}

static void count_latency(const struct pairing *pairing, uint64_t since, uint64_t scale)
{
	/* The clocks of two CPUs may differ a little. */
	uint64_t ticks = (int64_t)(pairing->now - since) > 0 ? pairing->now - since : 0;
	unsigned __int128 ns = ((unsigned __int128)ticks * scale) >> 32;
	uint64_t latency = ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;

	count(pairing, lttngmap_filter_bucket(latency), latency);
}

/* Threads of all processes of the user have other keys. */
static uint64_t thread_key(const struct local *local)
{
	struct filter_value thread;

	context_read(local, LTTNGMAP_CONTEXT_VTID, NULL, &thread);
	return __atomic_load_n(&local->index, __ATOMIC_RELAXED) << 32 | (uint32_t)thread.number;
}

enum ring_result ring_pair_count(const struct local *local, const struct ring_channel *channel,
				 uint64_t epoch, bool by_rseq, const struct filter_key *key,
				 uint64_t scale)
{
	struct pairing pairing = {
		.local = local,
		.channel = channel,
		.epoch = epoch,
		.by_rseq = by_rseq,
		.pairs = (void *)ring_data_at(channel,
					      channel->cpu_rings + LTTNGMAP_EXTRA_RINGS - 1),
		.sets_shift = lttngmap_map_pair_sets_shift(channel->subbuf_shift),
		.key = key->roles & LTTNGMAP_FILTER_BY_THREAD ? thread_key(local) : key->key,
		.now = ring_clock(channel->clock),
	};
	enum ring_result result;
	uint64_t since;
	bool other;

	if (key->roles & LTTNGMAP_FILTER_SECOND) {
		result = close_pair(&pairing, &since);
		if (result != RING_WRITTEN)
			return result;
		if (since)
			count_latency(&pairing, since, scale);
		/* Each event of one rule begins a pair, and ends the one before if there is one. */
		else if (!(key->roles & LTTNGMAP_FILTER_FIRST))
			count(&pairing, LTTNGMAP_MAP_NO_FIRST, 0);
	}
	if (key->roles & LTTNGMAP_FILTER_FIRST) {
		result = open_pair(&pairing, &other);
		if (result == RING_WRITTEN && other)
			count(&pairing, LTTNGMAP_MAP_NO_SECOND, 0);
		/* Another try would count the event above once more. */
		if (!(key->roles & LTTNGMAP_FILTER_SECOND))
			return result;
	}
	return RING_WRITTEN;
}
