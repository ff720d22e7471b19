/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/attach/channel.h"

#include <stdbool.h>
#include <stddef.h>

#include <lttngmap/abi.h>

#include "liblttngmap/base/arch.h"
#include "liblttngmap/attach/attach.h"
#include "liblttngmap/attach/away.h"
#include "liblttngmap/attach/memory-map.h"
#include "liblttngmap/ring/ring.h"
#include "liblttngmap/attach/statedump.h"

typedef uint64_t __attribute__((may_alias)) channel_word;
_Static_assert(sizeof(struct ring_channel) % sizeof(channel_word) == 0 &&
		       offsetof(struct ring_channel, offset_mask) % sizeof(channel_word) == 0,
	       "a cached channel is copied in words");

/* The read side of the seqlock; its write side is sessiond/memory/control-pages.c. */
static bool read_channel(const struct lttngmap_control *control, uint32_t slot,
			 struct lttngmap_channel *copy)
{
	const struct lttngmap_channel *shared = &control->channels[slot];
	uint32_t before;

	for (unsigned tries = 0; tries < LTTNGMAP_SEQLOCK_TRIES; tries++) {
		/* Acquire: the loads below come after; pairs with the writer's fence. */
		before = __atomic_load_n(&control->sequence, __ATOMIC_ACQUIRE);
		if (before & 1) {
			arch_pause();
			continue;
		}
		copy->generation = __atomic_load_n(&shared->generation, __ATOMIC_RELAXED);
		copy->mode = __atomic_load_n(&shared->mode, __ATOMIC_RELAXED);
		copy->subbuf_shift = __atomic_load_n(&shared->subbuf_shift, __ATOMIC_RELAXED);
		copy->subbufs_shift = __atomic_load_n(&shared->subbufs_shift, __ATOMIC_RELAXED);
		copy->flags = __atomic_load_n(&shared->flags, __ATOMIC_RELAXED);
		copy->blocking_timeout_ms =
			__atomic_load_n(&shared->blocking_timeout_ms, __ATOMIC_RELAXED);
		copy->life = __atomic_load_n(&shared->life, __ATOMIC_RELAXED);
		copy->contexts = __atomic_load_n(&shared->contexts, __ATOMIC_RELAXED);
		/* Acquire fence: the loads above come before the second look. */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&control->sequence, __ATOMIC_RELAXED) == before)
			return true;
	}
	return false;
}

/* Where the channel's rings are, with so much of data and control; asks for them if need be. */
static bool find_rings(struct local *local, uint32_t slot, const struct lttngmap_channel *channel,
		       uint64_t data, uint64_t control, struct local_rings *where)
{
	const struct local_rings *rings = &local->rings[slot];
	const struct protocol_app_slot wanted = {
		.slot = slot,
		.life = channel->flags & LTTNGMAP_CHANNEL_SHARED ? channel->life : 0,
		.data = data,
		.control = control,
	};

	if (!attach_has_rings(local, &wanted) && !attach_fetch_rings(local, &wanted))
		return false;
	where->rings = __atomic_load_n(&rings->rings, __ATOMIC_RELAXED);
	where->data = __atomic_load_n(&rings->data, __ATOMIC_RELAXED);
	/* Not while another thread is at those of a later channel. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return attach_has_rings(local, &wanted);
}

#define FILTERED_OR_MAP (LTTNGMAP_CHANNEL_FILTERED | LTTNGMAP_CHANNEL_MAP)
/* A trigger has MAP alone. */
#define TRIGGER (LTTNGMAP_CHANNEL_MAP | LTTNGMAP_CHANNEL_QUIET)

/* A map's tables, in place of sub-buffers that are written one after the other. */
static void describe_tables(const struct local *local, uint32_t slot,
			    const struct lttngmap_channel *channel, struct ring_channel *copy)
{
	const uint64_t *words = __atomic_load_n(&local->filter_words, __ATOMIC_RELAXED);

	/* There is nothing but CPUs' tables, and those behind them. */
	copy->data_end += copy->least_start;
	copy->least_start = 0;
	copy->bit = -(UINT64_C(1) << slot);
	copy->table_stride = ring_channel_size(copy);
	copy->table_entries = UINT64_C(1) << (channel->subbuf_shift - 4);
	copy->key_words = NULL;
	/* A trigger rings after it counted, and adds atomically: not the fast way. */
	if ((channel->flags & TRIGGER) != LTTNGMAP_CHANNEL_MAP &&
	    channel->flags & LTTNGMAP_CHANNEL_FILTERED && words) {
		copy->key_words = words + (uint64_t)slot * LTTNGMAP_EVENT_IDS;
		copy->is_map = RING_MAP_OF_WORDS;
	}
}

static enum channel_result fill_copy(struct local *local, uint32_t slot, struct ring_channel *copy)
{
	const struct lttngmap_control *control = __atomic_load_n(&local->control, __ATOMIC_RELAXED);
	struct lttngmap_channel channel;
	struct local_rings where;
	uint64_t subbufs, rings, ring_size;
	bool is_fast;

	if (!control)
		return CHANNEL_LOST;
	if (!read_channel(control, slot, &channel))
		return CHANNEL_LOST;
	if (!channel.generation)
		return CHANNEL_OFF;
	/* The daemon is trusted, but a wrong shift would be a wild store. */
	if (channel.subbuf_shift < LTTNGMAP_SUBBUF_SHIFT_MIN ||
	    channel.subbuf_shift > LTTNGMAP_SUBBUF_SHIFT_MAX ||
	    channel.subbufs_shift < LTTNGMAP_SUBBUFS_SHIFT_MIN ||
	    channel.subbufs_shift > LTTNGMAP_SUBBUFS_SHIFT_MAX)
		return CHANNEL_LOST;

	subbufs = UINT64_C(1) << channel.subbufs_shift;
	rings = (uint64_t)control->cpu_rings + LTTNGMAP_EXTRA_RINGS;
	ring_size = (subbufs + 1) << channel.subbuf_shift;
	if (!find_rings(local, slot, &channel, rings * ring_size,
			rings * lttngmap_ring_stride(subbufs), &where))
		return CHANNEL_LOST;
	if (channel.flags & LTTNGMAP_CHANNEL_FILTERED && !memory_map_filters(local))
		return CHANNEL_LOST;

	is_fast = (local->use_rseq || (local->has_rdpid && local->store16_atomic)) &&
		  control->clock == LTTNGMAP_CLOCK_TSC &&
		  !(channel.flags & (FILTERED_OR_MAP | LTTNGMAP_CHANNEL_SHARED));
	*copy = (struct ring_channel){
		.generation = channel.generation,
		.control_generation = &control->channels[slot].generation,
		.offset_mask = (UINT64_C(1) << channel.subbuf_shift) - 1,
		.offset_limit = (UINT64_C(1) << channel.subbuf_shift) - LTTNGMAP_SUBBUF_TAIL,
		.subbuf_shift = channel.subbuf_shift,
		.index_mask = (uint32_t)subbufs - 1,
		.rings = where.rings,
		.data_end = where.data + control->cpu_rings * ring_size,
		.least_start = -(control->cpu_rings * ring_size),
		.event_words = __atomic_load_n(&local->event_words, __ATOMIC_RELAXED),
		.ring_shift = lttngmap_ring_shift(subbufs),
		.fast_cpus = is_fast && !channel.contexts ? control->cpu_rings : 0,
		.ip_cpus = is_fast && channel.contexts && !(channel.contexts & ~CONTEXTS_OF_IP)
				   ? control->cpu_rings
				   : 0,
		/* A map never takes a record, also before its first event has a filter. */
		.bit = channel.flags & FILTERED_OR_MAP ? 0 : UINT64_C(1) << slot,
		.fast_limit = (UINT64_C(1) << channel.subbuf_shift) - RING_FAST_TAIL,
		.contexts = channel.contexts |
			    (channel.flags & FILTERED_OR_MAP ? RING_CHANNEL_FILTERED : 0),
		.cpu_rings = control->cpu_rings,
		.blocking_timeout_ms = channel.blocking_timeout_ms,
		.mode = channel.mode,
		.clock = (uint8_t)control->clock,
		/* A trigger rings after it counted: not from the cached channel. */
		.use_rseq = local->use_rseq && (channel.flags & TRIGGER) != LTTNGMAP_CHANNEL_MAP,
		.quiet = channel.flags & LTTNGMAP_CHANNEL_QUIET,
		.shared = channel.flags & LTTNGMAP_CHANNEL_SHARED,
		.is_map = !!(channel.flags & LTTNGMAP_CHANNEL_MAP),
		.first_lock = (uint16_t)(slot * rings % LOCAL_LOCKS),
		.epoch = &local->epoch,
	};
	if (channel.flags & LTTNGMAP_CHANNEL_MAP)
		describe_tables(local, slot, &channel, copy);
	return CHANNEL_ON;
}

/* Put the copy into the cache, unless somebody else is doing so. */
static void install_copy(struct local *local, uint32_t slot, const struct ring_channel *copy)
{
	struct ring_channel *cached = &local->channels[slot];
	uint32_t free = 0;

	if (!__atomic_compare_exchange_n(&local->filling[slot], &free, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return;
	/*
	 * Readers take `generation` first and compare it with the control's: by
	 * trylock after they copied the rest, so that a mixture fails. By rseq at
	 * the start of the section, and what the section reads after that can
	 * change only when the slot is used for another channel: a second later.
	 * The section compares the generations, and nothing else: a mixture has
	 * one that no control has, while a stopped channel's is 0.
	 */
	__atomic_store_n(&cached->generation, RING_CHANNEL_FILLING, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__atomic_store_n(&cached->control_generation, copy->control_generation, __ATOMIC_RELAXED);
	__atomic_store_n(&cached->fast_cpus, copy->fast_cpus, __ATOMIC_RELAXED);
	for (size_t at = offsetof(struct ring_channel, offset_mask); at < sizeof(*copy);
	     at += sizeof(uint64_t)) {
		uint64_t word;

		__builtin_memcpy(&word, (const char *)copy + at, sizeof(word));
		__atomic_store_n((channel_word *)((char *)cached + at), word, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&cached->generation, copy->generation, __ATOMIC_RELEASE);
	if (copy->fast_cpus || copy->ip_cpus || copy->is_map)
		__atomic_store_n(&local_first.cached, cached, __ATOMIC_RELAXED);
	__atomic_store_n(&local->filling[slot], 0, __ATOMIC_RELEASE);
}

bool channel_is_cached(const struct local *local, uint32_t slot, struct ring_channel *copy)
{
	const struct ring_channel *cached = &local->channels[slot];
	uint32_t generation = __atomic_load_n(&cached->generation, __ATOMIC_ACQUIRE);

	if (!channel_is_current(local, slot, generation))
		return false;
	ring_channel_copy(copy, cached);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&cached->generation, __ATOMIC_RELAXED) == generation &&
	       copy->generation == generation;
}

/* Moves losses that found no ring to be counted in to this one. */
static void settle_lost(struct local *local, const struct ring_channel *copy)
{
	uint64_t lost;

	/* Pairs with itself: whoever caches a copy sees the count, or its counter the copy. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	lost = __atomic_exchange_n(&local->lost, 0, __ATOMIC_RELAXED);
	if (lost)
		ring_discard(local, ring_at(copy, 0), lost);
}

void channel_lose(struct local *local)
{
	struct ring_channel copy;

	ring_discard(local, NULL, 1);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&local->process, __ATOMIC_ACQUIRE))
		return;
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++) {
		if (channel_is_cached(local, slot, &copy)) {
			settle_lost(local, &copy);
			return;
		}
	}
}

static void publish_copy(struct local *local, uint32_t slot, const struct ring_channel *copy)
{
	install_copy(local, slot, copy);
	settle_lost(local, copy);
	away_settle(local, slot, copy);
}

/* After the process's state was told, where there is something to tell: see statedump.h. */
static enum channel_result tell_and_publish(struct local *local, uint32_t slot, uint64_t epoch,
					    const struct ring_channel *copy)
{
	bool is_forked = false;
	struct ring_channel others;

	switch (statedump_begin(local)) {
	case STATEDUMP_OURS:
		break;
	case STATEDUMP_NOTHING:
		publish_copy(local, slot, copy);
		return CHANNEL_ON;
	case STATEDUMP_WAITED:
		return CHANNEL_GONE;
	default:
		return CHANNEL_ON;
	}
	/* Another thread may have done all of it since we looked. */
	if (!channel_is_cached(local, slot, &others)) {
		statedump_write(local);
		is_forked = local_is_forked(local, epoch);
		if (!is_forked)
			publish_copy(local, slot, copy);
	}
	statedump_end(local);
	return is_forked ? CHANNEL_GONE : CHANNEL_ON;
}

enum channel_result channel_cached(struct local *local, uint32_t slot, struct ring_channel *copy)
{
	enum channel_result result;
	uint64_t epoch;

	switch (attach_child(local)) {
	case ATTACH_READY:
		break;
	case ATTACH_BUSY:
		return CHANNEL_LOST;
	default:
		return CHANNEL_OFF;
	}

	epoch = __atomic_load_n(&local->epoch, __ATOMIC_RELAXED);
	if (channel_is_cached(local, slot, copy))
		return CHANNEL_ON;
	result = fill_copy(local, slot, copy);
	/* A child that was forked meanwhile may have made it of zeros. */
	if (local_is_forked(local, epoch))
		return CHANNEL_GONE;
	return result == CHANNEL_ON ? tell_and_publish(local, slot, epoch, copy) : result;
}

void channel_prepare_all(void)
{
	struct local *local = __atomic_load_n(&local_pages, __ATOMIC_ACQUIRE);
	const struct lttngmap_process *process =
		local ? __atomic_load_n(&local->process, __ATOMIC_ACQUIRE) : NULL;
	struct ring_channel copy;
	uint64_t channels;

	if (!process)
		return;
	channels = __atomic_load_n(&process->channels, __ATOMIC_RELAXED);
	for (; channels; channels &= channels - 1)
		channel_cached(local, (uint32_t)__builtin_ctzll(channels), &copy);
	memory_map_filters(local);
	attach_leave_alone(local);
}
