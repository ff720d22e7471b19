/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-write.c - which ring a record goes to, and what happens when it does
 * not go there at the first try.
 */
#include "liblttngmap/event/ring-write.h"

#include <linux/futex.h>
#include <sys/rseq.h>
#include <time.h>

#include <lttngmap/abi.h>

#include "liblttngmap/base/arch.h"
#include "liblttngmap/attach/attach.h"
#include "liblttngmap/attach/away.h"
#include "liblttngmap/attach/channel.h"
#include "liblttngmap/ring/context.h"
#include "liblttngmap/ring/ring-filter.h"
#include "liblttngmap/ring/ring-map.h"
#include "liblttngmap/ring/ring-map-text.h"
#include "liblttngmap/ring/ring-pair.h"
#include "liblttngmap/ring/ring-rseq.h"
#include "liblttngmap/ring/ring-switch.h"
#include "liblttngmap/ring/ring-trylock.h"
#include "liblttngmap/event/callstack.h"
#include "liblttngmap/event/ring-wait.h"
#include "liblttngmap/base/vfork.h"

/* So many failures in a row mean that the clock goes backwards, or that the process is damaged. */
#define TRIES_MAX 1000
/*
 * A section is aborted by preemption or a signal only. So many aborts in a row mean that a debugger
 * steps through this thread: each step aborts. The record goes to an extra ring then.
 */
#define RSEQ_TRIES_MAX 8
/* While all rings are held: so many tries by yielding, the others after a pause. */
#define HOLDERS_YIELDS 200
#define HOLDERS_STEP_NS 1000000
/* Bytes of fields of an event that is written at once with contexts: SDT probes have fewer. */
#define AT_ONCE_MAX 128

/*
 * By rseq, on the ring of record->place.cpu, moving on where that is needed, and by
 * a copy of the cached channel.
 */
static enum ring_result try_rseq(struct local *local, const struct ring_channel *channel,
				 const struct ring_record *record, struct lttngmap_ring **full)
{
	uint32_t cpu = record->place.cpu;
	struct lttngmap_ring *ring = ring_at(channel, cpu);
	enum ring_result result;
	struct ring_move move;

	*full = ring;
	result = ring_rseq_write(channel, true, __rseq_offset, ring, ring_data_at(channel, cpu),
				 record);
	if (result != RING_SWITCH)
		return result;
	result = ring_switch_prepare(channel, ring, record->total, &move);
	if (result != RING_WRITTEN)
		return result;
	move.place = record->place;
	result = ring_rseq_move(channel, __rseq_offset, ring, &move);
	if (result != RING_WRITTEN)
		return result;
	ring_switch_tell(local, channel, ring, &move);
	return RING_AGAIN;
}

/* Where a thread without rseq begins to look for a free ring. */
static uint32_t first_guess(const struct local *local, uint32_t last)
{
	if (LIKELY(local->has_rdpid))
		return arch_rdpid();
	/* Threads' own storage lies pages apart. */
	return (uint32_t)(arch_thread_token() >> 12) % (last + 1);
}

/* By trylock: all rings where there is no rseq at all, else the extra ones. */
static enum ring_result try_lock(struct local *local, const struct ring_channel *channel,
				 const struct ring_record *record, struct lttngmap_ring **full)
{
	uint32_t last = channel->cpu_rings + LTTNGMAP_EXTRA_RINGS - 1;

	if (channel->use_rseq)
		return ring_trylock_write(local, channel, channel->cpu_rings, last, 0, record,
					  full);
	return ring_trylock_write(local, channel, 0, last, first_guess(local, last), record, full);
}

/* `by_rseq`: on the CPU's own ring, where the thread can. */
static enum ring_result try_write(struct local *local, const struct ring_channel *channel,
				  struct ring_record *record, bool by_rseq,
				  struct lttngmap_ring **full)
{
	uint32_t cpu = channel->use_rseq && by_rseq ? ring_rseq_cpu(__rseq_offset) : UINT32_MAX;

	if (cpu >= channel->cpu_rings || vfork_depth)
		return try_lock(local, channel, record, full);
	record->now = ring_clock(channel->clock);
	record->place.cpu = cpu;
	record->place.generation = channel->generation;
	return try_rseq(local, channel, record, full);
}

/* But for its place, which is found last. */
static void make_record(struct ring_record *record, uint32_t id, const void *fields, size_t size)
{
	record->fields = fields;
	record->total = LTTNGMAP_RECORD_HEADER_SIZE + size;
	record->step = LTTNGMAP_RECORD_HEADER_SIZE + size + (UINT64_C(1) << LTTNGMAP_COUNT_SHIFT);
	record->id = id;
}

/* Bytes of a record with contexts that are behind its header and in front of its fields, at most.
 */
static size_t contexts_room(uint64_t contexts)
{
	const uint32_t depth = lttngmap_callstack_depth(contexts);

	return CONTEXT_SIZE_MAX + (depth ? CALLSTACK_ROOM(depth) : 0);
}

/* Words that such a record takes, and the following word, which is read too. */
#define CONTEXT_WORDS(event, contexts) ((contexts_room(contexts) + (event)->size) / 8 + 2)

/*
 * Does a record with `size` bytes of fields and contexts fit in a sub-buffer whose offsets have
 * this limit? A callstack is as deep as there is room for.
 */
static inline __attribute__((always_inline)) bool shorten_callstack(uint32_t *depth, size_t size,
								    uint64_t limit)
{
	uint64_t used = LTTNGMAP_SUBBUF_HEAD + LTTNGMAP_RECORD_HEADER_SIZE + size +
			(*depth ? sizeof(*depth) : 0);

	if (used > limit)
		return false;
	if (UNLIKELY(*depth > (limit - used) / sizeof(uint64_t)))
		*depth = (uint32_t)((limit - used) / sizeof(uint64_t));
	return true;
}

/*
 * The contexts, then the fields, in a buffer of CONTEXT_WORDS(). They are copied by words, for
 * both may be read and written up to a multiple of 8. False: that is too much for a sub-buffer,
 * whose `limit` is that of the channel's offsets.
 */
static inline __attribute__((always_inline)) bool
make_with_contexts(struct ring_record *record, const struct local *local, uint64_t contexts,
		   uint64_t limit, const struct ring_event *event, uint64_t *buffer)
{
	unsigned char *at = (unsigned char *)buffer;
	size_t size = context_write(local, contexts & ~RING_CHANNEL_FILTERED, event->ip, at);
	uint32_t depth = lttngmap_callstack_depth(contexts);
	uint64_t word;

	if (!shorten_callstack(&depth, size + event->size, limit))
		return false;
	if (UNLIKELY(lttngmap_callstack_depth(contexts)))
		size += callstack_write(depth, event->ip, at + size);
	for (size_t done = 0; done < event->size; done += sizeof(word)) {
		__builtin_memcpy(&word, (const char *)event->fields + done, sizeof(word));
		__builtin_memcpy(at + size + done, &word, sizeof(word));
	}
	size += event->size;
	word = 0;
	__builtin_memcpy(at + size, &word,
			 sizeof(word)); /* what is readable beyond, up to a word */
	make_record(record, event->id, buffer, size);
	return true;
}

/* One attempt, with the channel's contexts before the fields. */
static __attribute__((noinline)) enum ring_result
try_with_contexts(struct local *local, const struct ring_channel *channel,
		  const struct ring_event *event, uint64_t epoch, bool by_rseq,
		  struct lttngmap_ring **full)
{
	uint64_t buffer[CONTEXT_WORDS(event, channel->contexts)];
	struct ring_record record;

	if (!make_with_contexts(&record, local, channel->contexts, channel->offset_limit, event,
				buffer))
		return RING_TOO_LARGE;
	record.place.epoch = epoch;
	return try_write(local, channel, &record, by_rseq, full);
}

/*
 * One attempt of an event that has no room on the stack. Its contexts are put before its fields,
 * which is where no other event is.
 */
static enum ring_result try_long(struct local *local, const struct ring_channel *channel,
				 const struct ring_event *event, uint64_t epoch, bool by_rseq,
				 struct lttngmap_ring **full)
{
	const uint64_t contexts = channel->contexts & ~RING_CHANNEL_FILTERED;
	const unsigned char *fields = event->fields;
	unsigned char buffer[contexts_room(contexts)];
	uint32_t depth = lttngmap_callstack_depth(contexts);
	struct ring_record record;
	size_t size = 0;

	if (contexts && !(event->flags & RING_EVENT_PLACED))
		return RING_TOO_LARGE;
	if (contexts)
		size = context_write(local, contexts, event->ip, buffer);
	if (!shorten_callstack(&depth, size + event->size, channel->offset_limit))
		return RING_TOO_LARGE;
	if (lttngmap_callstack_depth(contexts))
		size += callstack_write(depth, event->ip, buffer + size);
	make_record(&record, event->id, fields - size, size + event->size);
	__builtin_memcpy((unsigned char *)(uintptr_t)fields - size, buffer, size);
	record.place.epoch = epoch;
	return try_write(local, channel, &record, by_rseq, full);
}

static enum ring_result try_event(struct local *local, const struct ring_channel *channel,
				  const struct ring_event *event, uint64_t epoch, bool by_rseq,
				  struct lttngmap_ring **full)
{
	struct ring_record record;

	if (UNLIKELY(event->size > LTTNGMAP_RECORD_MAX - LTTNGMAP_RECORD_HEADER_SIZE))
		return try_long(local, channel, event, epoch, by_rseq, full);
	if (channel->contexts & ~RING_CHANNEL_FILTERED)
		return try_with_contexts(local, channel, event, epoch, by_rseq, full);
	make_record(&record, event->id, event->fields, event->size);
	record.place.epoch = epoch;
	return try_write(local, channel, &record, by_rseq, full);
}

/* Try once to count in the table of update->place.cpu, as ring_map_rseq_count() says. */
static enum ring_result count_rseq(const struct ring_channel *channel,
				   const struct ring_map_update *update,
				   const struct filter_key *key)
{
	return LIKELY(!key->size)
		       ? ring_map_rseq_count(channel, __rseq_offset, update)
		       : ring_map_rseq_count_text(channel, __rseq_offset, update, key->text);
}

/*
 * One attempt to count in a map, by a copy of its cached channel; RING_WRITTEN also where the
 * filter says that the event does not count.
 */
static enum ring_result try_map(const struct local *local, uint32_t slot,
				const struct ring_channel *channel, const struct ring_event *event,
				uint64_t epoch, bool by_rseq)
{
	uint32_t cpu = channel->use_rseq && by_rseq ? ring_rseq_cpu(__rseq_offset) : UINT32_MAX;
	struct ring_map_update update = { .place = { .epoch = epoch } };
	struct filter_key key;

	switch (ring_filter_map(local, slot, event, &key, &update.add)) {
	case CHANNEL_ON:
		break;
	case CHANNEL_OFF:
		return RING_WRITTEN;
	default:
		return RING_TOO_LARGE;
	}
	if (UNLIKELY(key.roles))
		return ring_pair_count(local, channel, epoch,
				       cpu < channel->cpu_rings && !vfork_depth, &key, update.add);
	update.key = key.key;
	update.begin = ring_map_begin(channel, key.key);
	if (cpu < channel->cpu_rings && !vfork_depth) {
		update.place.cpu = cpu;
		update.place.generation = channel->generation;
		return count_rseq(channel, &update, &key);
	}
	if (local_is_forked(local, epoch))
		return RING_GONE;
	cpu = channel->use_rseq ? channel->cpu_rings : first_guess(local, channel->cpu_rings);
	ring_map_atomic_count(channel, cpu < channel->cpu_rings ? cpu : channel->cpu_rings, &update,
			      key.size ? key.text : NULL);
	if (UNLIKELY(!channel->quiet))
		ring_map_tell(local, channel);
	return RING_WRITTEN;
}

/*
 * Where a channel counts what it lost while nothing else of it was there: its
 * first ring, which is at the same place in any layout. NULL: nothing is there
 * at all, yet.
 */
static struct lttngmap_ring *ring_of_slot(const struct local *local, uint32_t slot)
{
	const struct local_rings *rings = &local->rings[slot];
	const struct lttngmap_control *control;
	const struct lttngmap_channel *channel;
	uint64_t life = 0;

	/* Acquire: pairs with attach(); control is mapped. */
	if (!__atomic_load_n(&local->process, __ATOMIC_ACQUIRE))
		return NULL;
	/* NULL in a child that was forked just now. */
	control = __atomic_load_n(&local->control, __ATOMIC_RELAXED);
	if (!control)
		return NULL;
	channel = &control->channels[slot];
	if (__atomic_load_n(&channel->flags, __ATOMIC_RELAXED) & LTTNGMAP_CHANNEL_SHARED)
		life = __atomic_load_n(&channel->life, __ATOMIC_RELAXED);
	/* Acquire: pairs with memory_map_rings(). */
	if (__atomic_load_n(&rings->known, __ATOMIC_ACQUIRE) != (life << 32 | 1))
		return NULL;
	return (struct lttngmap_ring *)__atomic_load_n(&rings->rings, __ATOMIC_RELAXED);
}

/* No ring of it is to be written to. */
static void lose(struct local *local, uint32_t slot)
{
	struct lttngmap_ring *ring = ring_of_slot(local, slot);

	if (ring || !attach_tell_lost(local, slot))
		ring_discard(local, ring, 1);
}

/*
 * All rings are held. Their holders let go soon, for they were preempted, or wait for a page. But a
 * signal handler whose own thread holds a ring must not wait for long: where the holders of all
 * rings were interrupted by such handlers, these wait for each other. False: give up.
 */
static bool wait_for_holders(struct local *local, const struct ring_channel *channel,
			     unsigned tries)
{
	const struct timespec step = { .tv_nsec = HOLDERS_STEP_NS };
	const uint32_t none = 0;

	if (tries < HOLDERS_YIELDS)
		arch_syscall(SYS_sched_yield);
	else if (ring_trylock_is_ours(local, channel))
		return false;
	else
		arch_syscall(SYS_futex, &none, FUTEX_WAIT, 0, &step);
	return true;
}

/*
 * The channel as it is now, and whether the event passes its filter. Pointers from
 * `channel` hold as long as the process is of *epoch: see RSEQ_NOT_FORKED.
 */
static enum channel_result cache_and_filter(struct local *local, uint32_t slot,
					    const struct ring_event *event, bool passed,
					    struct ring_channel *channel, uint64_t *epoch)
{
	enum channel_result cached;

	*epoch = __atomic_load_n(&local->epoch, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	cached = channel_cached(local, slot, channel);
	/* A map's filter also makes the key, from contexts that try_map() asks for. */
	if (cached != CHANNEL_ON || !(channel->contexts & RING_CHANNEL_FILTERED) || passed ||
	    channel->is_map)
		return cached;
	cached = ring_filter(local, slot, event);
	return cached == CHANNEL_LOST && local_is_forked(local, *epoch) ? CHANNEL_GONE : cached;
}

/*
 * Writes an event that did not succeed at once, from the beginning, until it is written or lost.
 * `passed`: the channel's filter has accepted it.
 */
static __attribute__((noinline)) void write_slow(struct local *local, uint32_t slot,
						 const struct ring_event *event, bool passed)
{
	struct lttngmap_ring *ring;
	struct ring_channel channel;
	uint64_t deadline = 0, epoch;
	bool may_block, by_rseq;
	unsigned tries = 0;

	do {
		enum channel_result cached =
			cache_and_filter(local, slot, event, passed, &channel, &epoch);

		ring = NULL;
		passed = cached == CHANNEL_ON;
		if (cached == CHANNEL_OFF) {
			away_lose(local, slot, event);
			return;
		}
		if (cached == CHANNEL_LOST)
			break;
		if (cached == CHANNEL_GONE)
			continue;
		may_block = channel.mode == LTTNGMAP_MODE_BLOCKING && local->allow_blocking;
		by_rseq = tries < RSEQ_TRIES_MAX;
		switch (channel.is_map ? try_map(local, slot, &channel, event, epoch, by_rseq)
				       : try_event(local, &channel, event, epoch, by_rseq, &ring)) {
		case RING_WRITTEN:
			/* A map has no record that could be cut. */
			if (UNLIKELY(event->flags & RING_EVENT_CUT) && ring)
				__atomic_add_fetch(&ring->cut, 1, __ATOMIC_RELAXED);
			return;
		case RING_FULL:
			if (may_block && ring_wait(local, &channel, ring, &deadline)) {
				tries = 0;
				continue;
			}
			break;
		case RING_TAKEN:
			ring = ring_at(&channel, channel.cpu_rings);
			if (may_block && wait_for_holders(local, &channel, tries))
				continue;
			break;
		case RING_TOO_LARGE:
		case RING_ENDED:
			break;
		default:
			continue;
		}
		/* A forked child may get as itself the ring that it did not get as its parent. */
		if (!local_is_forked(local, epoch))
			break;
	} while (tries++ < TRIES_MAX);
	if (ring)
		ring_discard(local, ring, 1);
	else
		lose(local, slot);
}

/*
 * By the cached channel, which is of this generation, at the first try; false: not written.
 * `by_epoch`: the record holds only in the process of record->place.epoch.
 */
static inline __attribute__((always_inline)) bool write_at_once(struct local *local, uint32_t slot,
								uint32_t generation, bool by_epoch,
								struct ring_record *record)
{
	const struct ring_channel *channel = &local->channels[slot];
	uint32_t cpu;

	if (LIKELY(RING_CHANNEL_FIELD(channel, use_rseq))) {
		cpu = ring_rseq_cpu(__rseq_offset);
		if (LIKELY(cpu < RING_CHANNEL_FIELD(channel, cpu_rings) && !vfork_depth)) {
			uint8_t clock = RING_CHANNEL_FIELD(channel, clock);

			if (UNLIKELY(clock != LTTNGMAP_CLOCK_TSC))
				record->now = ring_clock(clock);
			record->place.cpu = cpu;
			record->place.generation = generation;
			return LIKELY(ring_rseq_write(channel, by_epoch, __rseq_offset,
						      ring_at(channel, cpu),
						      ring_data_at(channel, cpu),
						      record) == RING_WRITTEN);
		}
	} else {
		/* A copy: the cached channel may be made anew while we hold a lock. */
		struct ring_channel copy;
		struct lttngmap_ring *ring;

		if (!by_epoch)
			record->place.epoch = __atomic_load_n(&local->epoch, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		ring_channel_copy(&copy, channel);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		/*
		 * Not while another thread caches the channel, whose rings may be NULL then, nor in
		 * a child whose cached channel was wiped while it was copied.
		 */
		return LIKELY(generation != RING_CHANNEL_FILLING) &&
		       LIKELY(__atomic_load_n(&channel->generation, __ATOMIC_RELAXED) ==
			      generation) &&
		       LIKELY(try_lock(local, &copy, record, &ring) == RING_WRITTEN);
	}
	return false;
}

/* `passed` as of write_slow(). */
static __attribute__((noinline)) void write_cached(struct local *local, uint32_t slot,
						   uint32_t generation,
						   const struct ring_event *event, bool passed)
{
	struct ring_record record;

	make_record(&record, event->id, event->fields, event->size);
	if (UNLIKELY(!write_at_once(local, slot, generation, false, &record)))
		write_slow(local, slot, event, passed);
}

/*
 * The same of a channel with contexts; false: not written. They are those of the cached channel of
 * this generation: where that was made anew meanwhile, nothing is written at once. The buffer is
 * gone before write_slow() makes another one.
 */
static __attribute__((noinline)) bool write_contexts(struct local *local, uint32_t slot,
						     uint32_t generation,
						     const struct ring_event *event)
{
	const struct ring_channel *channel = &local->channels[slot];
	uint64_t contexts = RING_CHANNEL_FIELD(channel, contexts);
	uint64_t limit = RING_CHANNEL_FIELD(channel, offset_limit);
	uint64_t buffer[CONTEXT_WORDS(event, contexts)];
	struct ring_record record;

	record.place.epoch = __atomic_load_n(&local->epoch, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return make_with_contexts(&record, local, contexts, limit, event, buffer) &&
	       write_at_once(local, slot, generation, true, &record);
}

/* Count in a map of latencies, by its cached channel of this generation. False: not counted. */
static __attribute__((noinline)) bool count_pair(const struct local *local, uint32_t slot,
						 uint32_t generation, uint64_t epoch,
						 const struct filter_key *key, uint64_t scale)
{
	const struct ring_channel *cached = &local->channels[slot];
	struct ring_channel channel;

	ring_channel_copy(&channel, cached);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (generation == RING_CHANNEL_FILLING || channel.generation != generation ||
	    __atomic_load_n(&cached->generation, __ATOMIC_RELAXED) != generation)
		return false;
	return ring_pair_count(local, &channel, epoch,
			       channel.use_rseq && !vfork_depth &&
				       ring_rseq_cpu(__rseq_offset) < channel.cpu_rings,
			       key, scale) == RING_WRITTEN;
}

/* Count in a map, by its cached channel that is the slot's channel. */
static __attribute__((noinline)) void count_cached(struct local *local, uint32_t slot,
						   uint32_t generation,
						   const struct ring_event *event)
{
	const struct ring_channel *channel = &local->channels[slot];
	struct ring_map_update update;
	enum channel_result result;
	struct filter_key key;
	uint32_t cpu;

	update.place.epoch = __atomic_load_n(&local->epoch, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	result = ring_filter_map(local, slot, event, &key, &update.add);
	if (result == CHANNEL_OFF)
		return;
	if (UNLIKELY(result == CHANNEL_ON && key.roles)) {
		if (!count_pair(local, slot, generation, update.place.epoch, &key, update.add))
			write_slow(local, slot, event, false);
		return;
	}
	if (LIKELY(result == CHANNEL_ON) && LIKELY(RING_CHANNEL_FIELD(channel, use_rseq))) {
		cpu = ring_rseq_cpu(__rseq_offset);
		update.key = key.key;
		update.begin = ring_map_begin(channel, key.key);
		update.place.cpu = cpu;
		update.place.generation = generation;
		if (LIKELY(cpu < RING_CHANNEL_FIELD(channel, cpu_rings) && !vfork_depth) &&
		    LIKELY(count_rseq(channel, &update, &key) == RING_WRITTEN))
			return;
	}
	write_slow(local, slot, event, false);
}

/* By a cached channel that has filters and is the slot's channel. */
static __attribute__((noinline)) void write_filtered(struct local *local, uint32_t slot,
						     uint32_t generation,
						     const struct ring_event *event)
{
	enum channel_result result;

	if (RING_CHANNEL_FIELD(&local->channels[slot], is_map)) {
		count_cached(local, slot, generation, event);
		return;
	}
	result = ring_filter(local, slot, event);
	if (result == CHANNEL_OFF)
		return;
	if (result != CHANNEL_ON)
		write_slow(local, slot, event, false);
	else if (RING_CHANNEL_FIELD(&local->channels[slot], contexts) == RING_CHANNEL_FILTERED)
		write_cached(local, slot, generation, event, true);
	else if (UNLIKELY(!write_contexts(local, slot, generation, event)))
		write_slow(local, slot, event, true);
}

/*
 * A channel that has more to it, or of which nothing is known yet. A function of its own, so that
 * the caller does not save registers.
 */
static __attribute__((noinline)) void write_special(struct local *local, uint32_t slot,
						    uint32_t generation,
						    const struct ring_event *event)
{
	if (channel_is_current(local, slot, generation)) {
		if (RING_CHANNEL_FIELD(&local->channels[slot], contexts) & RING_CHANNEL_FILTERED) {
			write_filtered(local, slot, generation, event);
			return;
		}
		if (LIKELY(write_contexts(local, slot, generation, event)))
			return;
	}
	write_slow(local, slot, event, false);
}

void ring_write(struct local *local, uint32_t slot, const struct ring_event *event)
{
	const struct ring_channel *channel = &local->channels[slot];
	/* Acquire: the other fields of the cached channel are those of this generation. */
	uint32_t generation = __atomic_load_n(&channel->generation, __ATOMIC_ACQUIRE);

	/* More than any sub-buffer: also what a caller could not read, and gives no size. */
	if (UNLIKELY(event->size > UINT64_C(1) << LTTNGMAP_SUBBUF_SHIFT_MAX))
		lose(local, slot);
	else if (UNLIKELY(event->size > LTTNGMAP_RECORD_MAX - LTTNGMAP_RECORD_HEADER_SIZE ||
			  event->flags))
		write_slow(local, slot, event, false);
	else if (UNLIKELY(!generation || RING_CHANNEL_FIELD(channel, contexts)))
		write_special(local, slot, generation, event);
	else
		write_cached(local, slot, generation, event, false);
}

/*
 * Writes a record with vtid, ip or both, if the thread's id was asked for already. It calls nobody:
 * not memcpy() either, which a compiler may make of a loop.
 */
static inline __attribute__((always_inline)) bool
write_ids_at_once(struct local *local, uint32_t slot, uint32_t generation, uint64_t contexts,
		  const struct ring_event *event)
{
	uint64_t words[(CONTEXTS_OF_IP_SIZE + AT_ONCE_MAX) / sizeof(uint64_t) + 2];
	struct ring_record record;
	char *at = (char *)words;
	uint64_t word;

	if (event->size > AT_ONCE_MAX)
		return false;
	record.place.epoch = __atomic_load_n(&local->epoch, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (contexts & CONTEXTS_OF_VTID) {
		if (context_vtid.epoch != record.place.epoch)
			return false;
		__builtin_memcpy(at, &context_vtid.vtid, sizeof(context_vtid.vtid));
		at += sizeof(context_vtid.vtid);
	}
	if (contexts & ~CONTEXTS_OF_VTID) {
		__builtin_memcpy(at, &event->ip, sizeof(event->ip));
		at += sizeof(event->ip);
	}
	make_record(&record, event->id, words, (size_t)(at - (char *)words) + event->size);
	for (size_t done = 0; done < event->size; done += sizeof(word)) {
		__builtin_memcpy(&word, (const char *)event->fields + done, sizeof(word));
		__asm__("" : "+r"(word));
		__builtin_memcpy(at + done, &word, sizeof(word));
	}
	return write_at_once(local, slot, generation, true, &record);
}

bool ring_write_at_once(struct local *local, uint32_t slot, const struct ring_event *event)
{
	const struct ring_channel *channel = &local->channels[slot];
	/* Acquire: as above. */
	uint32_t generation = __atomic_load_n(&channel->generation, __ATOMIC_ACQUIRE);
	uint64_t contexts = RING_CHANNEL_FIELD(channel, contexts);
	struct ring_record record;

	if (event->size > LTTNGMAP_RECORD_MAX - LTTNGMAP_RECORD_HEADER_SIZE || !generation ||
	    contexts & ~CONTEXTS_OF_IP || !RING_CHANNEL_FIELD(channel, use_rseq) ||
	    RING_CHANNEL_FIELD(channel, clock) != LTTNGMAP_CLOCK_TSC)
		return false;
	if (contexts)
		return write_ids_at_once(local, slot, generation, contexts, event);
	make_record(&record, event->id, event->fields, event->size);
	return write_at_once(local, slot, generation, false, &record);
}
