/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-trylock.c - alone on a ring by its lock word, for threads that have no
 * restartable sequence: a kernel or libc without rseq, a thread made by a raw
 * clone, the child of a vfork.
 *
 * One compare-and-exchange takes a ring; a taken ring means try the next.
 * Nobody waits, so a holder may be preempted, interrupted by a signal whose
 * handler writes events too, or killed: its ring is then out of use, and
 * complete up to its position.
 *
 * A signal handler that forks while its thread holds a lock: the child goes
 * on in here, on its parent's ring. The lock that counts stands in pages that
 * are wiped in the child (local.h): it finds that it does not hold it, leaves the
 * ring alone, and writes as itself. No instruction looks and stores in
 * one, so a child may be forked behind a look, and store once more, later, what
 * its parent stored: bytes of the record, which stay the same until its
 * parent was around the whole ring; the mark for the daemon, until its parent's next
 * event there; the commit, to which a position seems to go back then. So
 * writers go on from what they know to have committed, not from what stands in
 * the ring, and the daemon believes no position that goes back (ring-reader.c).
 *
 * Rings that processes share have a lock in the ring, too, taken second and let go
 * first. All is by exchange of a token that no other acquisition ever has:
 *  - A child that is forked right before the exchange may take the ring in its parent's
 *    name, and finds that it is none of its own. Its parent, whose exchange fails, finds
 *    its own token there, and has the ring. Where the child is late, its parent's next
 *    write takes the ring over: the token names its process, and nobody else there is at it.
 *  - A child that is forked right before the ring is let go may do that, when all of its
 *    parent's write is done; or it finds another token there.
 *  - What was committed last is what other processes committed. So each commit is
 *    stored in `known` first, and looked at again in between: a child stores one
 *    of the two once more, never both, and the further one of them holds.
 *  - Who was killed in here is let go of by the daemon (sessiond/session/user-rings.c). The record
 *    was complete before `known` was stored.
 */
#include "liblttngmap/ring/ring-trylock.h"

#include <stdint.h>

#include <lttngmap/abi.h>

#include "liblttngmap/base/arch.h"
#include "liblttngmap/ring/ring-switch.h"

/*
 * Beside the reader a move takes two tries; a clock that jumps may take more.
 * So many mean that the process corrupted its table of sub-buffers.
 */
#define TRIES_MAX 100

static void store16(const struct local *local, uint64_t to[2], uint64_t word0, uint64_t word1)
{
	if (LIKELY(local->store16_atomic))
		arch_store16(to, word0, word1);
	else
		arch_store16_locked(to, word0, word1);
}

static void publish(const struct local *local, const struct ring_channel *channel,
		    struct local_lock *lock, struct lttngmap_ring *ring, uint64_t word0,
		    uint64_t word1)
{
	ring_lock_know(lock, word0, word1);
	if (channel->shared) {
		store16(local, ring->known, word0, word1);
		if (ring_lock_is_lost(lock, arch_thread_token()))
			return;
	}
	store16(local, ring->commit, word0, word1);
}

/* Both words of one store: a forked child may store them once more meanwhile. */
static void load16(const uint64_t from[2], uint64_t to[2])
{
	do {
		to[0] = __atomic_load_n(&from[0], __ATOMIC_ACQUIRE);
		to[1] = __atomic_load_n(&from[1], __ATOMIC_ACQUIRE);
	} while (__atomic_load_n(&from[0], __ATOMIC_ACQUIRE) != to[0]);
}

/* For a ring that other processes commit to as well. */
static void know_shared_commit(struct local_lock *lock, const struct lttngmap_ring *ring)
{
	uint64_t known[2], commit[2];

	load16(ring->known, known);
	load16(ring->commit, commit);
	if ((commit[0] & LTTNGMAP_POSITION_MASK) <= (known[0] & LTTNGMAP_POSITION_MASK) &&
	    (known[0] || known[1]))
		ring_lock_know(lock, known[0], known[1]);
	else
		ring_lock_know(lock, commit[0], commit[1]);
}

/* Reads the ring's last commit, which only holders of the lock change. */
static void know_commit(struct local_lock *lock, const struct lttngmap_ring *ring, uint64_t life)
{
	if (LIKELY(lock->ring == ring && lock->life == life))
		return;
	lock->ring = ring;
	lock->life = life;
	lock->limit = 0;
	ring_lock_know(lock, ring->commit[0], ring->commit[1]);
}

/* The ring is ours. Moves on while that is needed, then writes. */
static enum ring_result write_locked(struct local *local, const struct ring_channel *channel,
				     uint32_t index, struct local_lock *lock,
				     const struct ring_record *record)
{
	const uint64_t token = arch_thread_token();
	struct lttngmap_ring *ring = ring_at(channel, index);
	uint64_t *slots = lttngmap_ring_slots(ring);
	uint64_t word0, word1, now, position, count;
	struct ring_move move;
	enum ring_result result;
	unsigned tries = 0;
	uint32_t slot, id;
	char *to;

	for (;;) {
		if (tries++ == TRIES_MAX)
			return RING_ENDED;
		word0 = lock->commit[0];
		word1 = lock->commit[1];
		position = word0 & LTTNGMAP_POSITION_MASK;
		now = ring_clock(channel->clock);
		if (ring_clock_fits(ring, position >> channel->subbuf_shift, word1, &now) &&
		    (position & channel->offset_mask) + record->total <= channel->offset_limit)
			break;
		if (UNLIKELY(ring->commit[0] != word0) && !ring_lock_is_lost(lock, token))
			publish(local, channel, lock, ring, word0, word1);
		result = ring_switch_prepare(channel, ring, record->total, &move);
		if (result == RING_FULL || result == RING_ENDED)
			return result;
		if (result != RING_WRITTEN)
			continue;
		if (ring_lock_is_lost(lock, token))
			return RING_GONE;
		for (unsigned i = 0; i < sizeof(move.stores) / sizeof(move.stores[0]); i++)
			__atomic_store_n(move.stores[i].to, move.stores[i].value, __ATOMIC_RELAXED);
		publish(local, channel, lock, ring, move.commit[0], move.commit[1]);
		ring_switch_tell(local, channel, ring, &move);
	}

	slot = position >> channel->subbuf_shift & channel->index_mask;
	id = lttngmap_slot_id(__atomic_load_n(slots + slot, __ATOMIC_RELAXED), slot);
	if (!ring_has_subbuf(channel, id))
		return RING_ENDED;
	to = ring_channel_data(channel) + index * ring_channel_size(channel) +
	     ((uint64_t)id << channel->subbuf_shift) + (position & channel->offset_mask);

	if (ring_lock_is_lost(lock, token))
		return RING_GONE;
	ring_lock_copy(to, now << 16 | record->id, record->fields,
		       record->total - LTTNGMAP_RECORD_HEADER_SIZE);
	count = (word1 >> LTTNGMAP_COUNT_SHIFT) + (word0 + record->step < word0);
	if (ring_lock_is_lost(lock, token))
		return RING_GONE;
	lock->to = to - position;
	lock->limit = (position & ~channel->offset_mask) + channel->offset_limit;
	lock->opened = ring_opened(ring, position >> channel->subbuf_shift);
	publish(local, channel, lock, ring, word0 + record->step,
		count << LTTNGMAP_COUNT_SHIFT | (now & LTTNGMAP_TIMESTAMP_MASK));
	return RING_WRITTEN;
}

/* 2^40 acquisitions are some hours of nothing else. */
static uint64_t make_token(struct local *local)
{
	uint64_t count = __atomic_add_fetch(&local->acquired, 1, __ATOMIC_RELAXED);

	return lttngmap_lock_token(local->index, count);
}

/*
 * Takes the lock among the processes that share the ring. False: another one has it. The caller
 * holds the lock in this process: a token with this process's index was left by a forked child.
 */
static bool take_shared(struct lttngmap_ring *ring, uint64_t token)
{
	uint64_t holder = __atomic_load_n(&ring->lock, __ATOMIC_RELAXED);

	if (holder && holder >> LTTNGMAP_LOCK_INDEX_SHIFT != token >> LTTNGMAP_LOCK_INDEX_SHIFT)
		return false;
	return __atomic_compare_exchange_n(&ring->lock, &holder, token, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED) ||
	       holder == token;
}

/* Release: pairs with the acquire of the next holder. */
static void release_shared(struct lttngmap_ring *ring, uint64_t token)
{
	__atomic_compare_exchange_n(&ring->lock, &token, 0, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
}

/*
 * Writes the record; the caller holds the ring in this process. TAKEN: another process holds it;
 * else the result of the write. A forked child releases none of its parent's locks.
 */
static enum ring_result write_taken(struct local *local, const struct ring_channel *channel,
				    uint32_t index, struct local_lock *lock, uint64_t epoch,
				    const struct ring_record *record)
{
	struct lttngmap_ring *ring = ring_at(channel, index);
	const uint64_t token = arch_thread_token();
	enum ring_result result = RING_STALE;
	uint64_t shared = channel->shared ? make_token(local) : 0;

	/*
	 * A token that is made of wiped pages nobody would ever give back: it is of the
	 * time before this look, so a child that is forked later has its parent's.
	 */
	if (channel->shared && ring_lock_is_lost(lock, token))
		return RING_GONE;
	if (!channel->shared)
		ring_lock_mark(ring, token);
	else if (!take_shared(ring, shared))
		return ring_lock_is_lost(lock, token) ? RING_GONE : RING_TAKEN;
	if (ring_lock_is_lost(lock, token))
		return RING_GONE;
	/* A channel that changes does not reuse a ring that is marked. */
	if (__atomic_load_n(channel->control_generation, __ATOMIC_ACQUIRE) == channel->generation) {
		if (channel->shared)
			know_shared_commit(lock, ring);
		else
			know_commit(lock, ring, epoch << 32 | channel->generation);
		result = write_locked(local, channel, index, lock, record);
	}
	if (ring_lock_is_lost(lock, token))
		return RING_GONE;
	if (channel->shared)
		release_shared(ring, shared);
	else
		ring_lock_mark(ring, 0);
	return result;
}

enum ring_result ring_trylock_write(struct local *local, const struct ring_channel *channel,
				    uint32_t first, uint32_t last, uint32_t guess,
				    const struct ring_record *record, struct lttngmap_ring **full)
{
	uint32_t index = guess >= first && guess <= last ? guess : first;
	const uint64_t token = arch_thread_token();
	const uint64_t epoch = record->place.epoch;
	enum ring_result result;

	for (uint32_t left = last - first + 1; left > 0; left--, index++) {
		struct local_lock *lock;
		struct lttngmap_ring *ring;

		if (index > last)
			index = first;
		ring = ring_at(channel, index);
		lock = ring_lock_of(local, channel, index);
		if (!ring_lock_take(lock, token))
			continue;
		/* A child that was forked before that has taken its own. */
		if (local_is_forked(local, epoch)) {
			ring_lock_release(lock);
			return RING_GONE;
		}
		result = write_taken(local, channel, index, lock, epoch, record);
		if (result == RING_GONE)
			return result;
		ring_lock_release(lock);
		if (result == RING_TAKEN)
			continue;
		*full = ring;
		return result;
	}
	return RING_TAKEN;
}

bool ring_trylock_is_ours(struct local *local, const struct ring_channel *channel)
{
	const uint64_t token = arch_thread_token();

	for (uint32_t i = 0; i < channel->cpu_rings + LTTNGMAP_EXTRA_RINGS; i++)
		if (__atomic_load_n(&ring_lock_of(local, channel, i)->holder, __ATOMIC_RELAXED) ==
		    token)
			return true;
	return false;
}
