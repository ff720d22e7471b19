/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* ring-take.c - packet after packet out of a ring, each value of it checked. */
#include "sessiond/ring/ring-reader-private.h"

#include <errno.h>

/* A slot became free: wake who waits for one. Pairs with liblttngmap's ring_wait(). */
static void tell_space(struct lttngmap_ring *ring)
{
	if (__atomic_add_fetch(&ring->space, 1, __ATOMIC_SEQ_CST) == LTTNGMAP_SPACE_CLOSED)
		__atomic_add_fetch(&ring->space, 1, __ATOMIC_SEQ_CST);
	ring_wake_waiters(ring);
}

/*
 * Take full sub-buffer `seq` out of the rotation. 0; -ESTALE: it was
 * overwritten; -EBADMSG. A writer can come in between once only, for then the
 * entry has a later sequence number.
 */
static int swap_out(struct ring_reader *reader, uint64_t seq, uint32_t *id)
{
	uint32_t index = seq & (ring_subbufs(reader) - 1);
	uint64_t *slot = lttngmap_ring_slots(reader->ring) + index;
	uint64_t old = ring_load(slot);

	for (unsigned tries = 0; tries < 2; tries++) {
		if (lttngmap_slot_seq(old) > seq)
			return reader->geometry->mode == LTTNGMAP_MODE_OVERWRITE
				       ? -ESTALE
				       : ring_reader_mark_corrupt(reader,
								  "unread events were overwritten");
		*id = lttngmap_slot_id(old, index);
		if (lttngmap_slot_seq(old) != seq ||
		    lttngmap_slot_state(old, index) != LTTNGMAP_SLOT_WRITING ||
		    *id > ring_subbufs(reader))
			return ring_reader_mark_corrupt(reader,
							"its table of sub-buffers is damaged");
		ring_undo_note_swap(reader->undo, seq, *id);
		/* Release: pairs with take_slot() of the writer; it may write the reader sub-buffer
		 * now. */
		if (__atomic_compare_exchange_n(slot, &old,
						lttngmap_slot_make(seq, LTTNGMAP_SLOT_FREE,
								   reader->reader_subbuf, index),
						false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)) {
			tell_space(reader->ring);
			return 0;
		}
	}
	return ring_reader_mark_corrupt(reader, "its table of sub-buffers is damaged");
}

/* An extent of records in one sub-buffer, as the process says it is. */
struct extent {
	uint32_t id;
	uint64_t seq;
	uint32_t from;
	uint64_t to;
	uint64_t end;
	uint64_t events_end;
	uint64_t discards;
	struct lttngmap_subbuf opened; /* its first three fields */
};

/* Each word is read once: the process may change it at any time. */
static void copy_opening(const struct ring_reader *reader, struct extent *extent)
{
	const struct lttngmap_subbuf *subbuf =
		lttngmap_ring_subbufs(reader->ring, ring_subbufs(reader)) + extent->id;

	extent->opened.seq = ring_load(&subbuf->seq);
	extent->opened.begin = ring_load(&subbuf->begin);
	extent->opened.events_begin = ring_load(&subbuf->events_begin);
}

/*
 * Was the first sub-buffer begun after the clock was reset? Where its descriptor says no
 * begin, the clock had less than 48 bits, and so the end is the whole of it.
 */
static bool began_after_reset(struct ring_reader *reader, struct extent *extent)
{
	if (extent->opened.begin == 0 && extent->end < reader->end)
		extent->opened.begin = reader->geometry->begin;
	return extent->opened.begin != 0 && ring_reader_went_back(reader, extent->opened.begin);
}

/*
 * When the extent begins and how many events were before it. The first
 * sub-buffer's descriptor does not say all of it, and where part of one was
 * read before, our own values stand in for it.
 */
static int check_opening(struct ring_reader *reader, struct extent *extent)
{
	struct lttngmap_subbuf *opened = &extent->opened;
	uint64_t events_max =
		(extent->seq << reader->geometry->subbuf_shift) / LTTNGMAP_RECORD_HEADER_SIZE;

	if (extent->seq == 0 || extent->from > lttngmap_subbuf_head(extent->seq)) {
		if (extent->from > 0 ||
		    (opened->begin < reader->end && !began_after_reset(reader, extent)))
			opened->begin = reader->end;
		opened->events_begin = reader->events;
		return 0;
	}
	if (opened->seq != extent->seq)
		return ring_reader_mark_corrupt(reader, "a descriptor is another sub-buffer's");
	if (opened->begin < reader->end && !ring_reader_went_back(reader, opened->begin))
		return ring_reader_mark_corrupt(reader, "its clock went back");
	if (opened->events_begin < reader->events || opened->events_begin > events_max ||
	    (opened->events_begin > reader->events &&
	     reader->geometry->mode != LTTNGMAP_MODE_OVERWRITE))
		return ring_reader_mark_corrupt(reader, "its count of events is wrong");
	return 0;
}

/* The losses that packets report; packets read so far may report fewer than were seen at a skip. */
static uint64_t tell_lost(struct ring_reader *reader)
{
	uint64_t lost = reader->discards + reader->account.overwritten;

	reader->lost_told = lost;
	return lost > reader->lost_before ? lost - reader->lost_before : 0;
}

/* Check an extent whose opening was checked, and describe it; advances the reader. */
static int describe(struct ring_reader *reader, const struct extent *extent,
		    struct lttngmap_packet *packet)
{
	uint64_t latest = ring_reader_latest(reader);
	uint64_t events_begin = extent->opened.events_begin;
	uint64_t events = extent->events_end - events_begin;

	if (extent->to < extent->from ||
	    extent->to > ring_subbuf_size(reader) - LTTNGMAP_SUBBUF_TAIL)
		return ring_reader_mark_corrupt(reader, "a sub-buffer's size is wrong");
	/* An end before the begin makes more events than anything holds. */
	if (events > (extent->to - extent->from) / LTTNGMAP_RECORD_HEADER_SIZE ||
	    (events == 0) != (extent->to == extent->from))
		return ring_reader_mark_corrupt(reader, "its count of events is wrong");
	if (extent->end < extent->opened.begin || extent->end > latest)
		return ring_reader_mark_corrupt(reader, "its clock is wrong");
	reader->account.overwritten += events_begin - reader->events;
	reader->events = extent->events_end;
	/* Events that are given out were written, whatever the ring's count says. */
	if (reader->account.written < reader->events)
		reader->account.written = reader->events;
	reader->end = extent->end;
	if (extent->discards > reader->discards)
		reader->discards = extent->discards;
	packet->subbuf_id = extent->id;
	packet->offset = extent->from;
	packet->length = (uint32_t)(extent->to - extent->from);
	packet->timestamp_begin = extent->opened.begin;
	packet->timestamp_end = extent->end;
	packet->events = events;
	packet->discarded = tell_lost(reader);
	return 0;
}

/*
 * The writer reads the ring's count of discarded events when it prepares the
 * move out of a sub-buffer. Until it moves, others may count on, and a partial
 * packet tell of it: so a descriptor's count may be less than what was given
 * out, but not less than that of the full sub-buffer before.
 */
static int check_discards(struct ring_reader *reader, const struct extent *extent)
{
	if (extent->discards < reader->discards_full)
		return ring_reader_mark_corrupt(reader, "its count of discarded events went back");
	/* The ring's own count was looked at later. One from a disk may be older all the same. */
	if (extent->discards >
	    (reader->geometry->past ? RING_DISCARDS_MAX : reader->account.discarded))
		return ring_reader_mark_corrupt(
			reader, "a sub-buffer has more discarded events than its ring");
	reader->discards_full = extent->discards;
	return 0;
}

/*
 * The id of full sub-buffer reader->seq, or of a later one where that was
 * overwritten, which is ours from now on; `q` is the writer's. 0 or -errno.
 */
static int take_out(struct ring_reader *reader, uint64_t q, uint32_t *id, uint32_t *from)
{
	int result;

	*from = reader->offset;
	if (reader->out) {
		reader->out = false;
		*id = reader->out_id;
		return 0;
	}
	if (reader->geometry->mode == LTTNGMAP_MODE_OVERWRITE &&
	    q - reader->seq >= ring_subbufs(reader)) {
		reader->seq = q - ring_subbufs(reader) + 1;
		*from = lttngmap_subbuf_head(reader->seq);
	}
	while ((result = swap_out(reader, reader->seq, id)) == -ESTALE) {
		reader->offset = lttngmap_subbuf_head(++reader->seq);
		*from = reader->offset;
		if (reader->seq >= q)
			return -EAGAIN;
	}
	return result;
}

/* Copies the descriptor of a full sub-buffer, whose id is `extent->id`. */
static void copy_full(const struct ring_reader *reader, struct extent *extent)
{
	const struct lttngmap_subbuf *subbuf =
		lttngmap_ring_subbufs(reader->ring, ring_subbufs(reader)) + extent->id;

	extent->seq = reader->seq;
	copy_opening(reader, extent);
	extent->to = ring_load(&subbuf->content_size);
	extent->end = ring_load(&subbuf->end);
	extent->events_end = ring_load(&subbuf->events_end);
	extent->discards = ring_load(&subbuf->discards);
}

/* Full sub-buffer reader->seq is passed, and described where it is right. */
static int pass_full(struct ring_reader *reader, struct extent *extent,
		     struct lttngmap_packet *packet)
{
	int result = check_discards(reader, extent);

	reader->offset = lttngmap_subbuf_head(++reader->seq);
	if (result == 0)
		result = check_opening(reader, extent);
	return result == 0 ? describe(reader, extent, packet) : result;
}

/* Full sub-buffer reader->seq, or a later one where that was overwritten. */
static int take_full(struct ring_reader *reader, const struct ring_commit *commit,
		     struct lttngmap_packet *packet, struct ring_lease *lease)
{
	uint64_t q = commit->position >> reader->geometry->subbuf_shift;
	struct extent extent = { .from = 0 };
	int result;

	result = take_out(reader, q, &extent.id, &extent.from);
	if (result < 0)
		return result;
	/* Ours now, whatever is wrong with it. */
	*lease = (struct ring_lease){ .seq = reader->seq, .id = extent.id, .swapped = true };
	copy_full(reader, &extent);
	result = pass_full(reader, &extent, packet);
	if (result < 0)
		ring_reader_release(reader, lease);
	return result;
}

/* Takes the unread rest of the current sub-buffer. */
static int take_partial(struct ring_reader *reader, const struct ring_commit *commit,
			struct lttngmap_packet *packet, struct ring_lease *lease)
{
	uint32_t index = reader->seq & (ring_subbufs(reader) - 1);
	const uint64_t *slot = lttngmap_ring_slots(reader->ring) + index;
	uint64_t entry = ring_load(slot);
	struct extent extent = {
		.id = lttngmap_slot_id(entry, index),
		.seq = reader->seq,
		.from = reader->offset,
		.to = commit->position & (ring_subbuf_size(reader) - 1),
		.end = commit->timestamp,
		.discards = commit->discards,
	};
	uint64_t *events_begin = &extent.opened.events_begin;
	int result;

	/* Full, and overwritten, since we looked; nobody does that to a frozen ring. */
	if (lttngmap_slot_seq(entry) > reader->seq && !reader->frozen &&
	    reader->geometry->mode == LTTNGMAP_MODE_OVERWRITE)
		return -EAGAIN;
	if (lttngmap_slot_seq(entry) != reader->seq ||
	    lttngmap_slot_state(entry, index) != LTTNGMAP_SLOT_WRITING ||
	    extent.id > ring_subbufs(reader))
		return ring_reader_mark_corrupt(reader, "its table of sub-buffers is damaged");
	copy_opening(reader, &extent);
	if (ring_load(slot) != entry)
		return -EAGAIN; /* the descriptor may be a later sub-buffer's already */
	result = check_opening(reader, &extent);
	if (result < 0)
		return result;
	/* No record comes 2^47 ticks after its sub-buffer was opened. */
	extent.end = extent.opened.begin +
		     ((commit->timestamp - extent.opened.begin) & LTTNGMAP_TIMESTAMP_MASK);
	extent.events_end = *events_begin + (uint32_t)(commit->count - (uint32_t)*events_begin);
	*lease = (struct ring_lease){ .seq = reader->seq, .id = extent.id };
	/* While frozen too: the next start may come before the packet is released. */
	if (reader->geometry->mode == LTTNGMAP_MODE_OVERWRITE)
		packet->flags |= LTTNGMAP_PACKET_VOLATILE;
	result = describe(reader, &extent, packet);
	if (result == 0)
		reader->offset = (uint32_t)extent.to;
	return result;
}

/* Nothing to read any more, but losses that no packet has told of. */
static void tell_discards(struct ring_reader *reader, const struct ring_commit *commit,
			  struct lttngmap_packet *packet, struct ring_lease *lease)
{
	reader->discards = commit->discards;
	*lease = (struct ring_lease){ .seq = reader->seq };
	packet->timestamp_begin = reader->end;
	packet->timestamp_end = reader->end;
	packet->discarded = tell_lost(reader);
}

int ring_reader_take(struct ring_reader *reader, bool partial, struct lttngmap_packet *packet,
		     struct ring_lease *lease)
{
	struct ring_commit commit;
	bool had_passed = ring_reader_has_passed(reader);
	int result = -EAGAIN;

	*packet = (struct lttngmap_packet){ .sequence = reader->packets };
	/* Bounded: a hostile process could offer empty sub-buffers for ever. */
	for (uint32_t passed = 0; passed <= ring_subbufs(reader); passed++) {
		uint64_t q;

		result = ring_reader_look(reader, &commit);
		if (result < 0)
			return result;
		q = commit.position >> reader->geometry->subbuf_shift;
		/* The sub-buffer that was passed before, if any, is done with. */
		ring_undo_begin(reader->undo, reader);
		if (reader->seq < q) {
			result = take_full(reader, &commit, packet, lease);
			/* All of it was given out before, as partial packets. */
			if (result == 0 && packet->events == 0) {
				ring_reader_release(reader, lease);
				result = -EAGAIN;
				/*
				 * The following content may belong to the next chunk, which the
				 * caller begins.
				 */
				if (!had_passed && ring_reader_has_passed(reader))
					return result;
				continue;
			}
		} else if (!partial && !reader->frozen && ring_reader_has_passed(reader)) {
			return -EAGAIN;
		} else if ((commit.position & (ring_subbuf_size(reader) - 1)) > reader->offset) {
			result = take_partial(reader, &commit, packet, lease);
		} else if (ring_reader_has_untold(reader, &commit)) {
			tell_discards(reader, &commit, packet, lease);
			result = 0;
		} else {
			return -EAGAIN;
		}
		break;
	}
	if (result == 0)
		reader->packets++;
	return result;
}

/* Does the entry say that full sub-buffer reader->seq is in its place? */
static bool is_in_place(const struct ring_reader *reader, uint64_t entry, uint32_t index)
{
	return lttngmap_slot_seq(entry) == reader->seq &&
	       lttngmap_slot_state(entry, index) == LTTNGMAP_SLOT_WRITING &&
	       lttngmap_slot_id(entry, index) <= ring_subbufs(reader);
}

int ring_reader_take_more(struct ring_reader *reader, struct lttngmap_packet *packet,
			  struct ring_lease *lease)
{
	uint32_t index = reader->seq & (ring_subbufs(reader) - 1);
	struct extent extent = { .from = reader->offset };
	struct ring_commit commit;
	uint64_t entry;
	int result;

	if (reader->geometry->mode == LTTNGMAP_MODE_OVERWRITE)
		return -EAGAIN;
	result = ring_reader_look(reader, &commit);
	if (result < 0)
		return result;
	if (reader->seq >= commit.position >> reader->geometry->subbuf_shift)
		return -EAGAIN;
	entry = ring_load(lttngmap_ring_slots(reader->ring) + index);
	extent.id = lttngmap_slot_id(entry, index);
	/* Damaged and already taken sub-buffers are left to ring_reader_take(). */
	if (!is_in_place(reader, entry, index))
		return -EAGAIN;
	copy_full(reader, &extent);
	if (extent.to == extent.from)
		return -EAGAIN;
	*packet = (struct lttngmap_packet){ .sequence = reader->packets };
	ring_undo_begin(reader->undo, reader);
	*lease = (struct ring_lease){ .seq = reader->seq, .id = extent.id, .stays = true };
	result = pass_full(reader, &extent, packet);
	if (result == 0)
		reader->packets++;
	return result;
}

void ring_reader_release(struct ring_reader *reader, const struct ring_lease *lease)
{
	if (lease->swapped)
		reader->reader_subbuf = lease->id;
}

void ring_reader_free(struct ring_reader *reader, const struct ring_lease *lease)
{
	uint32_t index = lease->seq & (ring_subbufs(reader) - 1);
	uint64_t *slot = lttngmap_ring_slots(reader->ring) + index;
	uint64_t old = lttngmap_slot_make(lease->seq, LTTNGMAP_SLOT_WRITING, lease->id, index);

	/* Nobody may believe that a closed ring has room. */
	if (!lease->stays || reader->is_corrupt)
		return;
	/*
	 * Release: as in swap_out(). Where it is not there any more, the daemon before a restart
	 * was killed right behind this, or the process changed it, which its next turn shows.
	 */
	__atomic_compare_exchange_n(
		slot, &old, lttngmap_slot_make(lease->seq, LTTNGMAP_SLOT_FREE, lease->id, index),
		false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
	tell_space(reader->ring);
}

bool ring_reader_is_intact(const struct ring_reader *reader, const struct ring_lease *lease)
{
	uint32_t index = lease->seq & (ring_subbufs(reader) - 1);

	/* Full fence: the copy that is being checked was read before. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return lease->swapped ||
	       lttngmap_slot_seq(ring_load(lttngmap_ring_slots(reader->ring) + index)) ==
		       lease->seq;
}
