/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-lock.h - the steps of a write by trylock, for both ways to do one: ring-trylock.c, which can
 * do all, and event-trylock.c, which does most. ring-trylock.c says what holds between them.
 *
 * One instruction of a write is locked, the exchange that takes the ring. A thread may be on
 * another CPU by then than when it chose the ring, and only a locked instruction excludes the
 * threads of other CPUs. Everything else is a plain store:
 *  - Letting go: stores are not reordered, so the next holder sees the commit.
 *  - The mark for the daemon, before the look at the generation: the daemon's membarrier stands
 *    for the barrier that would otherwise be needed here.
 *  - The commit: one store of 16 bytes, by the only writer.
 *  - A fork in a signal handler is this thread's own: a barrier for the compiler is enough.
 */
#ifndef LIBLTTNGMAP_RING_RING_LOCK_H
#define LIBLTTNGMAP_RING_RING_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "liblttngmap/base/local.h"

/* The lock of a ring of the channel, and perhaps of others. */
static inline struct local_lock *ring_lock_of(struct local *local,
					      const struct ring_channel *channel, uint32_t index)
{
	return &local->locks[(RING_CHANNEL_FIELD(channel, first_lock) + index) & (LOCAL_LOCKS - 1)];
}

static inline bool ring_lock_take(struct local_lock *lock, uint64_t token)
{
	uint64_t expected = 0;

	/* A load first: a taken ring's line need not be fetched for writing. */
	return !__atomic_load_n(&lock->holder, __ATOMIC_RELAXED) &&
	       __atomic_compare_exchange_n(&lock->holder, &expected, token, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* Release: pairs with the acquire of the next holder, who sees our commit. */
static inline void ring_lock_release(struct local_lock *lock)
{
	__atomic_store_n(&lock->holder, 0, __ATOMIC_RELEASE);
}

/*
 * For the daemon, before it lays out the ring anew: it lets all CPUs pass a
 * barrier (membarrier) between its store of the generation and its look at this.
 */
static inline void ring_lock_mark(struct lttngmap_ring *ring, uint64_t token)
{
	__atomic_store_n(&ring->lock, token, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Are we not the holder any more? Only a fork does that. */
static inline bool ring_lock_is_lost(const struct local_lock *lock, uint64_t token)
{
	/* A compiler barrier is all that a thread needs against its own signals. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&lock->holder, __ATOMIC_RELAXED) != token;
}

/* One store: the compiler must make no call of a loop of these. */
static inline void ring_lock_copy_word(char *to, const char *from)
{
	uint64_t word;

	__builtin_memcpy(&word, from, sizeof(word));
	__asm__ volatile("movq %1, %0" : "=m"(*(uint64_t *)to) : "r"(word));
}

/* Up to 7 bytes. */
static inline void ring_lock_copy_short(char *to, const char *from, uint64_t size)
{
	if (size & 4)
		__builtin_memcpy(to, from, 4);
	if (size & 2)
		__builtin_memcpy(to + (size & 4), from + (size & 4), 2);
	if (size & 1)
		to[size - 1] = from[size - 1];
}

/*
 * The holder's: what is committed. An atomic store, for event-trylock.c loads word 0 before it has
 * the lock.
 */
static inline void ring_lock_know(struct local_lock *lock, uint64_t word0, uint64_t word1)
{
	__atomic_store_n(&lock->commit[0], word0, __ATOMIC_RELAXED);
	lock->commit[1] = word1;
}

/*
 * Stores header and fields at `to`, and no byte beyond: a child that was forked in
 * here may do so once more when its parent has written the next record.
 */
static inline __attribute__((always_inline)) void ring_lock_copy(char *to, uint64_t header,
								 const char *from, uint64_t size)
{
	__builtin_memcpy(to, &header, sizeof(header));
	to += sizeof(header);
	if (size < 8) {
		ring_lock_copy_short(to, from, size);
		return;
	}
	ring_lock_copy_word(to, from);
	for (uint64_t done = 8; UNLIKELY(done + 8 < size); done += 8)
		ring_lock_copy_word(to + done, from + done);
	ring_lock_copy_word(to + size - 8, from + size - 8);
}

#endif /* LIBLTTNGMAP_RING_RING_LOCK_H */
