/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/event/event-trylock.h"

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/abi.h>

#include "liblttngmap/base/arch.h"
#include "liblttngmap/event/event-fast.h"
#include "liblttngmap/ring/ring.h"
#include "liblttngmap/ring/ring-lock.h"

/* Is there room for a record in the current sub-buffer, and does the clock belong there? */
static inline bool is_place(const struct local_lock *lock, uint64_t position, uint64_t total,
			    uint64_t now)
{
	uint64_t ahead = now - lock->commit[1];

	return position + total <= lock->limit &&
	       (int64_t)(ahead << (64 - LTTNGMAP_POSITION_BITS)) >= 0 &&
	       now - lock->opened < RING_OPEN_MAX;
}

/*
 * Under the lock of the ring, which is the channel's. False: not written. The clock was read when
 * word 0 was the last commit's.
 */
static inline __attribute__((always_inline)) bool
write_locked(struct local_lock *lock, struct lttngmap_ring *ring, uint64_t word0, uint64_t now,
	     uint32_t id, const void *fields, size_t size)
{
	const uint64_t total = LTTNGMAP_RECORD_HEADER_SIZE + size;
	const uint64_t position = word0 & LTTNGMAP_POSITION_MASK;
	uint64_t word1 = lock->commit[1] >> LTTNGMAP_COUNT_SHIFT;
	char *to = lock->to + position;

	if (UNLIKELY(!is_place(lock, position, total, now)))
		return false;
	if (ring_lock_is_lost(lock, arch_thread_token()))
		return false;
	ring_lock_copy(to, now << 16 | id, fields, size);
	arch_prefetch(to + 1024);
	if (__builtin_add_overflow(word0, total + (UINT64_C(1) << LTTNGMAP_COUNT_SHIFT), &word0))
		word1++;
	word1 = word1 << LTTNGMAP_COUNT_SHIFT | (now & LTTNGMAP_TIMESTAMP_MASK);
	if (ring_lock_is_lost(lock, arch_thread_token()))
		return false;
	/* The lock first, as in ring-trylock.c. */
	ring_lock_know(lock, word0, word1);
	arch_store16(ring->commit, word0, word1);
	return true;
}

/* False: not written, or this is a forked child that has not written it as itself. */
static inline __attribute__((always_inline)) bool write_at_once(struct local *local,
								const struct ring_channel *channel,
								uint32_t id, const void *fields,
								size_t size)
{
	const uint32_t cpu = arch_rdpid();
	const uint32_t *current;
	struct lttngmap_ring *ring;
	struct local_lock *lock;
	uint64_t life, word0, now, none = 0;
	bool is_written;

	life = __atomic_load_n(&local->epoch, __ATOMIC_RELAXED) << 32;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	/* Acquire: the other fields are of this generation, or the lock says no. */
	life |= __atomic_load_n(&channel->generation, __ATOMIC_ACQUIRE);
	/* 0 in wiped pages, too. */
	if (UNLIKELY(cpu >= RING_CHANNEL_FIELD(channel, fast_cpus)))
		return false;
	current = RING_CHANNEL_FIELD(channel, control_generation);
	ring = ring_at(channel, cpu);
	lock = ring_lock_of(local, channel, cpu);
	word0 = __atomic_load_n(&lock->commit[0], __ATOMIC_RELAXED);
	now = arch_ticks();
	/* Each in one register from here on. */
	__asm__("" : "+r"(now), "+r"(lock));
	if (UNLIKELY(!__atomic_compare_exchange_n(&lock->holder, &none, arch_thread_token(), false,
						  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)))
		return false;
	if (UNLIKELY(lock->ring != ring || lock->life != life || lock->commit[0] != word0)) {
		ring_lock_release(lock);
		return false;
	}
	ring_lock_mark(ring, arch_thread_token());
	if (ring_lock_is_lost(lock, arch_thread_token()))
		return false;
	is_written = LIKELY(__atomic_load_n(current, __ATOMIC_ACQUIRE) == (uint32_t)life) &&
		     write_locked(lock, ring, word0, now, id, fields, size);
	if (ring_lock_is_lost(lock, arch_thread_token()))
		return false;
	ring_lock_mark(ring, 0);
	ring_lock_release(lock);
	return is_written;
}

void event_write_trylock(const struct lttngmap_tracepoint *tracepoint, const void *fields,
			 size_t size, const void *ip)
{
	/* Acquire, of all three: as in event.c. */
	struct local *local = __atomic_load_n(&local_pages, __ATOMIC_ACQUIRE);
	const uint64_t *at = __atomic_load_n(&tracepoint->word, __ATOMIC_ACQUIRE);
	const struct lttngmap_process *process;
	const struct ring_channel *channel;
	uint64_t channels, offset;

	if (!local || UNLIKELY(!arch_thread_has_storage()))
		goto general;
	process = __atomic_load_n(&local->process, __ATOMIC_ACQUIRE);
	if (UNLIKELY(!process))
		goto general;
	/* Behind it: attach() stores `process` last. Not all CPUs have rdpid, nor valgrind. */
	if (local->use_rseq || UNLIKELY(!local->has_rdpid))
		goto general;
	/* One of pages that were left has another ring than the lock: the general way. */
	channel = __atomic_load_n(&local_first.cached, __ATOMIC_RELAXED);
	offset = (uintptr_t)at - (uintptr_t)__atomic_load_n(&local->event_words, __ATOMIC_RELAXED);
	if (UNLIKELY(offset >= LTTNGMAP_EVENT_IDS * sizeof(*at)))
		goto general;
	channels = __atomic_load_n(at, __ATOMIC_RELAXED) &
		   __atomic_load_n(&process->channels, __ATOMIC_RELAXED);
	/* Not the channel that was cached last: perhaps the lowest one. */
	if (UNLIKELY(RING_CHANNEL_FIELD(channel, bit) != channels)) {
		if (!channels || channels & (channels - 1))
			goto general;
		channel = &local->channels[__builtin_ctzll(channels)];
	}
	if (LIKELY(write_at_once(local, channel, (uint32_t)(offset / sizeof(*at)), fields, size)))
		return;
general:
	event_write_general(tracepoint, fields, size, ip);
}
