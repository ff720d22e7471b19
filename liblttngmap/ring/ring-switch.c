/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-switch.c - moving on to the next sub-buffer: rare, so in plain C.
 *
 * From sub-buffer q to q + 1:
 *
 *   1. Take slot (q + 1) mod n by compare-and-exchange to {q + 1, id,
 *      WRITING}. A writer that finds it so goes on: its taker was aborted, or
 *      is about to make the same move.
 *   2. In one critical section (ring_rseq_move, or under the ring's lock): if
 *      the commit is still the one that all was computed from, write the
 *      descriptors of q (its end) and of q + 1 (its begin), and publish the
 *      position of q + 1's first record.
 *
 * Step 2 may be begun by several writers and completed by one. What an
 * aborted one has stored is harmless: q + 1's descriptor belongs to nobody
 * before the position says so, nor do opened[] and start[] of q + 1; q's end is read
 * only after; events_base is right for any count that 2^31 events part from
 * it.
 *
 * Between 1 and the commit of 2 a writer may be preempted for long, while
 * others write what still fits in q, count discards, and the reader takes part
 * of q. So the discards that the descriptor gets may be fewer than the reader
 * was told of (ring-reader.c check_discards()), and slot q + 1 - n may be gone
 * from an overwrite ring before the position says so.
 *
 * Before a ring's first event, step 2 alone: it opens sub-buffer 0.
 *
 * Who may do what to the ring meanwhile:
 *
 *   word                    writers of the ring            reader (daemon)
 *   commit                  one 16-byte store, in the      reads; word 0 twice
 *                           section or under the lock
 *   slot of q + 1           exchange: FREE, or in          -
 *                           overwrite mode any older,
 *                           to WRITING
 *   slots below q           -                              exchange: WRITING to
 *                                                          FREE, with the reader sub-buffer, or
 *                                                          with what it has read
 *   descriptors of q, q+1,  plain stores, in the section   reads: of q + 1 once
 *   events_base, opened[],  or under the lock              it is current, of q
 *   start[]                                                once it is full, and
 *                                                          nobody overwrites it
 *   discards                atomic add, also by others     reads
 *
 * tests/model/ring.pml is this, for spin.
 */
#include "liblttngmap/ring/ring-switch.h"

#include <stddef.h>
#include <stdint.h>

#include <lttngmap/abi.h>

#include "liblttngmap/base/arch.h"

static uint32_t commit_count(uint64_t word0, uint64_t word1)
{
	return (uint32_t)(word0 >> LTTNGMAP_COUNT_SHIFT) |
	       (uint32_t)(word1 >> LTTNGMAP_COUNT_SHIFT << 16);
}

/*
 * Make {next, id, WRITING} of the slot. WRITTEN: it is, *id tells which
 * sub-buffer; AGAIN: somebody is further than we are; FULL.
 */
static enum ring_result take_slot(const struct ring_channel *channel, struct lttngmap_ring *ring,
				  uint64_t next, uint32_t *id)
{
	uint32_t index = next & channel->index_mask;
	uint64_t *slot = lttngmap_ring_slots(ring) + index;
	/* Acquire: pairs with the reader's exchange, after which it no longer reads. */
	uint64_t old = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	enum lttngmap_slot_state state = lttngmap_slot_state(old, index);
	uint64_t seq = lttngmap_slot_seq(old);

	*id = lttngmap_slot_id(old, index);
	if (!ring_has_subbuf(channel, *id))
		return RING_ENDED;
	if (state == LTTNGMAP_SLOT_WRITING && seq == next)
		return RING_WRITTEN;
	if (seq >= next)
		return RING_AGAIN;
	if (state == LTTNGMAP_SLOT_WRITING && channel->mode != LTTNGMAP_MODE_OVERWRITE)
		return RING_FULL;
	if (!__atomic_compare_exchange_n(
		    slot, &old, lttngmap_slot_make(next, LTTNGMAP_SLOT_WRITING, *id, index), false,
		    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return RING_AGAIN;
	return RING_WRITTEN;
}

static void add_store(struct ring_store **store, uint64_t *to, uint64_t value)
{
	(*store)->to = to;
	(*store)->value = value;
	(*store)++;
}

/* Where the sub-buffer begins, as `start` has it. */
static uint64_t start_of(const struct ring_channel *channel, const struct lttngmap_ring *ring,
			 uint32_t id)
{
	uint64_t index = (uint64_t)((const char *)ring - channel->rings) >> channel->ring_shift;

	return (index - channel->cpu_rings) * ring_channel_size(channel) +
	       ((uint64_t)id << channel->subbuf_shift);
}

/* Fill *move for the step from sub-buffer q to q + 1, which has id `new_id`. */
static void describe_move(const struct ring_channel *channel, struct lttngmap_ring *ring,
			  uint64_t word0, uint64_t word1, uint64_t now, uint32_t new_id,
			  struct ring_move *move)
{
	uint64_t subbufs = (uint64_t)channel->index_mask + 1;
	uint64_t position = word0 & LTTNGMAP_POSITION_MASK;
	uint64_t q = position >> channel->subbuf_shift;
	uint32_t index = q & channel->index_mask;
	uint64_t slot = __atomic_load_n(lttngmap_ring_slots(ring) + index, __ATOMIC_RELAXED);
	struct lttngmap_subbuf *table = lttngmap_ring_subbufs(ring, subbufs);
	/* Where the table is corrupt, any descriptor of the ring will do. */
	uint32_t full_id = lttngmap_slot_id(slot, index);
	struct lttngmap_subbuf *full = table + (ring_has_subbuf(channel, full_id) ? full_id : 0);
	struct lttngmap_subbuf *fresh = table + new_id;
	uint64_t base = __atomic_load_n(&ring->events_base, __ATOMIC_RELAXED);
	uint64_t events = base + (uint32_t)(commit_count(word0, word1) - (uint32_t)base);
	uint64_t opened = ring_opened(ring, q);
	uint64_t end = opened + ((word1 - opened) & LTTNGMAP_TIMESTAMP_MASK);
	struct ring_store *store = move->stores;

	add_store(&store, &full->end, end);
	add_store(&store, &full->content_size, position & channel->offset_mask);
	add_store(&store, &full->events_end, events);
	add_store(&store, &full->discards, __atomic_load_n(&ring->discards, __ATOMIC_RELAXED));
	add_store(&store, &fresh->seq, q + 1);
	add_store(&store, &fresh->begin, now);
	add_store(&store, &fresh->events_begin, events);
	add_store(&store, &ring->events_base, events);
	add_store(&store, &ring->opened[lttngmap_ring_side(q + 1)], now);
	add_store(&store, &ring->start[lttngmap_ring_side(q + 1)], start_of(channel, ring, new_id));

	move->expected = word0;
	move->commit[0] = (word0 & ~LTTNGMAP_POSITION_MASK) | (q + 1) << channel->subbuf_shift |
			  LTTNGMAP_SUBBUF_HEAD;
	move->commit[1] = (word1 & ~LTTNGMAP_TIMESTAMP_MASK) | (now & LTTNGMAP_TIMESTAMP_MASK);
}

/*
 * Fill *move for the first event: the commit's position stays. A writer that makes this move late
 * makes it before any record, or not at all.
 */
static void describe_opening(const struct ring_channel *channel, struct lttngmap_ring *ring,
			     uint64_t word0, uint64_t word1, uint64_t now, struct ring_move *move)
{
	uint64_t subbufs = (uint64_t)channel->index_mask + 1;
	struct ring_store *store = move->stores;

	add_store(&store, &lttngmap_ring_subbufs(ring, subbufs)->begin, now);
	add_store(&store, &ring->start[lttngmap_ring_side(0)], start_of(channel, ring, 0));
	while (store < move->stores + sizeof(move->stores) / sizeof(move->stores[0]))
		add_store(&store, &ring->opened[lttngmap_ring_side(0)], now);
	move->expected = word0;
	move->commit[0] = word0;
	move->commit[1] = (word1 & ~LTTNGMAP_TIMESTAMP_MASK) | (now & LTTNGMAP_TIMESTAMP_MASK);
}

enum ring_result ring_switch_prepare(const struct ring_channel *channel, struct lttngmap_ring *ring,
				     uint64_t total, struct ring_move *move)
{
	uint64_t word0 = __atomic_load_n(&ring->commit[0], __ATOMIC_ACQUIRE);
	uint64_t word1 = __atomic_load_n(&ring->commit[1], __ATOMIC_ACQUIRE);
	uint64_t position = word0 & LTTNGMAP_POSITION_MASK;
	uint64_t q = position >> channel->subbuf_shift;
	enum ring_result result;
	uint64_t now;
	bool fits;
	uint32_t id;

	/* Both words of one commit: the section compares word 0 once more. */
	if (__atomic_load_n(&ring->commit[0], __ATOMIC_ACQUIRE) != word0)
		return RING_AGAIN;

	now = ring_clock(channel->clock);
	if (!word0 && !word1) {
		describe_opening(channel, ring, word0, word1, now, move);
		return RING_WRITTEN;
	}
	fits = ring_clock_fits(ring, q, word1, &now);
	if (fits && (position & channel->offset_mask) + total <= channel->offset_limit)
		return RING_AGAIN;

	if (q == LTTNGMAP_POSITION_MASK >> channel->subbuf_shift)
		return RING_ENDED;

	result = take_slot(channel, ring, q + 1, &id);
	if (result == RING_WRITTEN)
		describe_move(channel, ring, word0, word1, now, id, move);
	return result;
}

static bool is_unread(const struct ring_channel *channel, struct lttngmap_ring *ring, uint64_t seq)
{
	uint32_t index = seq & channel->index_mask;
	uint64_t slot = __atomic_load_n(lttngmap_ring_slots(ring) + index, __ATOMIC_RELAXED);

	return lttngmap_slot_seq(slot) == seq &&
	       lttngmap_slot_state(slot, index) == LTTNGMAP_SLOT_WRITING;
}

/*
 * With sub-buffer `full`, is half of them unread, and not more? Readers go by sequence number, so
 * it is so where the oldest of that half is unread, and the one before is not.
 */
static bool is_half_full(const struct ring_channel *channel, struct lttngmap_ring *ring,
			 uint64_t full)
{
	uint64_t half = ((uint64_t)channel->index_mask + 1) / 2;

	return full + 1 >= half && is_unread(channel, ring, full + 1 - half) &&
	       (full < half || !is_unread(channel, ring, full - half));
}

void ring_switch_tell(const struct local *local, const struct ring_channel *channel,
		      struct lttngmap_ring *ring, const struct ring_move *move)
{
	const struct lttngmap_ring *first = ring_at(channel, 0);
	uint64_t position = move->commit[0] & LTTNGMAP_POSITION_MASK;

	if (move->commit[0] == move->expected || channel->quiet)
		return;
	/* Pairs with ring_set_set_awake(): the move is published before this look. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&first->awake, __ATOMIC_RELAXED) ||
	    is_half_full(channel, ring, (position >> channel->subbuf_shift) - 1))
		ring_doorbell(local);
}
