/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "ring-reader.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/map-guard.h"

/* A writer that commits this often while we look is looked at later. */
#define COMMIT_TRIES 1000
/* One that does so in all of that time does nothing else. */
#define MARK_TRIES 1000

static uint64_t load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static uint32_t subbufs_of(const struct ring_reader *reader)
{
	return 1u << reader->geometry->subbufs_shift;
}

static uint32_t subbuf_size(const struct ring_reader *reader)
{
	return 1u << reader->geometry->subbuf_shift;
}

static void wake_waiters(struct lttngmap_ring *ring)
{
	if (__atomic_exchange_n(&ring->waiters, 0, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &ring->space, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

int ring_reader_spoil(struct ring_reader *reader, const char *why)
{
	reader->spoiled = why;
	/* There will be no room: nobody shall wait for it. */
	__atomic_store_n(&reader->ring->space, LTTNGMAP_SPACE_CLOSED, __ATOMIC_SEQ_CST);
	wake_waiters(reader->ring);
	return -EBADMSG;
}

void ring_reader_init(struct ring_reader *reader, const struct ring_geometry *geometry,
		      struct lttngmap_ring *ring, struct ring_undo *undo)
{
	*reader = (struct ring_reader){
		.geometry = geometry,
		.ring = ring,
		.undo = undo,
		.spare = 1u << geometry->subbufs_shift,
		.end = geometry->begin,
	};
}

uint64_t ring_geometry_latest(const struct ring_geometry *geometry)
{
	return geometry->past ? RING_PAST_LATEST : clock_read(geometry->clock) + CLOCK_SLACK;
}

void ring_reader_move(struct ring_reader *reader, const struct ring_geometry *geometry,
		      struct lttngmap_ring *ring)
{
	reader->geometry = geometry;
	reader->ring = ring;
}

/* ---- the daemon's death in between ------------------------------------------------ */

/*
 * The next life sees every store of this one that was executed. So the
 * releases below order the stores for the compiler, and for tools.
 */
void ring_undo_begin(struct ring_undo *undo, struct ring_reader *reader)
{
	if (!undo)
		return;
	ring_undo_end(undo);
	undo->swapping = false;
	undo->reader = reader;
	undo->before = *reader;
	__atomic_store_n(&undo->in_force, true, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

void ring_undo_end(struct ring_undo *undo)
{
	if (undo)
		__atomic_store_n(&undo->in_force, false, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Full sub-buffer `seq`, known as `id`, is about to be exchanged for the spare. */
static void undo_note_swap(struct ring_undo *undo, uint64_t seq, uint32_t id)
{
	if (!undo)
		return;
	undo->swap_seq = seq;
	undo->swap_id = id;
	__atomic_store_n(&undo->swapping, true, __ATOMIC_RELEASE);
}

bool ring_undo_restore(struct ring_undo *undo)
{
	struct ring_reader *reader = undo->reader;
	const struct ring_geometry *geometry;
	struct lttngmap_ring *ring;
	uint32_t index;
	uint64_t slot;

	/* Where nothing was ever changed, no reader is named. */
	if (!undo->in_force)
		return false;
	geometry = reader->geometry;
	ring = reader->ring;
	*reader = undo->before;
	ring_reader_move(reader, geometry, ring);
	if (undo->swapping) {
		index = undo->swap_seq & (subbufs_of(reader) - 1);
		slot = load(lttngmap_ring_slots(ring) + index);
		/*
		 * Nobody but that exchange can have put the spare there, and writers
		 * leave a slot's id as it is.
		 */
		if (lttngmap_slot_id(slot, index) == reader->spare) {
			if (undo->swap_seq != reader->seq)
				reader->offset = lttngmap_subbuf_head(undo->swap_seq);
			reader->seq = undo->swap_seq;
			reader->out_id = undo->swap_id;
			reader->out = true;
		}
	}
	ring_undo_end(undo);
	return true;
}

/* Acquire: what lies below the position is there; pairs with the commit's store. */
static bool look(const struct ring_reader *reader, struct ring_commit *commit)
{
	const uint64_t *words = reader->ring->commit;

	for (unsigned tries = 0; tries < COMMIT_TRIES; tries++) {
		uint64_t word0 = load(&words[0]);
		uint64_t word1 = load(&words[1]);

		commit->discards = load(&reader->ring->discards);
		if (load(&words[0]) != word0)
			continue;
		commit->position = word0 & LTTNGMAP_POSITION_MASK;
		commit->timestamp = word1 & LTTNGMAP_TIMESTAMP_MASK;
		commit->count = (uint32_t)(word0 >> LTTNGMAP_COUNT_SHIFT) |
				(uint32_t)(word1 >> LTTNGMAP_COUNT_SHIFT << 16);
		return true;
	}
	return false;
}

/* Bring the ring's counters up to date, as far as they are believable. */
static int account(struct ring_reader *reader, struct ring_commit *commit)
{
	uint64_t base = load(&reader->ring->events_base), discards = commit->discards, written;

	/*
	 * A child that was forked in the middle of a write may store an old commit
	 * (liblttngmap/ring-trylock.c); its parent's next event mends that.
	 */
	if (commit->position < reader->last.position) {
		if (map_guard_is_lost(reader->ring))
			return ring_reader_spoil(reader, "the file of its memory was cut short");
		*commit = reader->last;
		commit->discards = discards;
	}
	/*
	 * The base is that of a switch before the commit, or of one after it: we
	 * read it later. So the difference may be negative.
	 */
	written = base + (uint64_t)(int32_t)(commit->count - (uint32_t)base);
	if ((commit->position & (subbuf_size(reader) - 1)) >
	    subbuf_size(reader) - LTTNGMAP_SUBBUF_TAIL)
		return ring_reader_spoil(reader, "its position lies beyond a sub-buffer's end");
	reader->last = *commit;
	if (written >= reader->account.written &&
	    written <= commit->position / LTTNGMAP_RECORD_HEADER_SIZE)
		reader->account.written = written;
	if (commit->discards < reader->account.discarded)
		return ring_reader_spoil(reader, "its count of discarded events went back");
	reader->account.discarded = commit->discards;
	return 0;
}

int ring_reader_look(struct ring_reader *reader, struct ring_commit *commit)
{
	int result;

	if (reader->spoiled)
		return -EAGAIN;
	if (reader->frozen) {
		*commit = reader->limit;
		return 0;
	}
	if (!look(reader, commit))
		return -EAGAIN;
	result = account(reader, commit);
	return result;
}

/* A slot became free: wake who waits for one. Pairs with liblttngmap's ring_wait(). */
static void tell_space(struct lttngmap_ring *ring)
{
	if (__atomic_add_fetch(&ring->space, 1, __ATOMIC_SEQ_CST) == LTTNGMAP_SPACE_CLOSED)
		__atomic_add_fetch(&ring->space, 1, __ATOMIC_SEQ_CST);
	wake_waiters(ring);
}

/*
 * Take full sub-buffer `seq` out of the rotation. 0; -ESTALE: it was
 * overwritten; -EBADMSG. A writer can come in between once only, for then the
 * entry has a later sequence number.
 */
static int swap_out(struct ring_reader *reader, uint64_t seq, uint32_t *id)
{
	uint32_t index = seq & (subbufs_of(reader) - 1);
	uint64_t *slot = lttngmap_ring_slots(reader->ring) + index;
	uint64_t old = load(slot);

	for (unsigned tries = 0; tries < 2; tries++) {
		if (lttngmap_slot_seq(old) > seq)
			return reader->geometry->mode == LTTNGMAP_MODE_OVERWRITE
				       ? -ESTALE
				       : ring_reader_spoil(reader,
							   "unread events were overwritten");
		*id = lttngmap_slot_id(old, index);
		if (lttngmap_slot_seq(old) != seq ||
		    lttngmap_slot_state(old, index) != LTTNGMAP_SLOT_WRITING ||
		    *id > subbufs_of(reader))
			return ring_reader_spoil(reader, "its table of sub-buffers is damaged");
		undo_note_swap(reader->undo, seq, *id);
		/* Release: pairs with take_slot() of the writer; it may write the spare now. */
		if (__atomic_compare_exchange_n(slot, &old,
						lttngmap_slot_make(seq, LTTNGMAP_SLOT_FREE,
								   reader->spare, index),
						false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)) {
			tell_space(reader->ring);
			return 0;
		}
	}
	return ring_reader_spoil(reader, "its table of sub-buffers is damaged");
}

/* A stretch of records in one sub-buffer, as the process says it is. */
struct stretch {
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
static void copy_opening(const struct ring_reader *reader, struct stretch *stretch)
{
	const struct lttngmap_subbuf *subbuf =
		lttngmap_ring_subbufs(reader->ring, subbufs_of(reader)) + stretch->id;

	stretch->opened.seq = load(&subbuf->seq);
	stretch->opened.begin = load(&subbuf->begin);
	stretch->opened.events_begin = load(&subbuf->events_begin);
}

/*
 * When the stretch begins and how many events were before it. The first
 * sub-buffer's descriptor does not say all of it, and where part of one was
 * read before, our own values stand in for it.
 */
static int check_opening(struct ring_reader *reader, struct stretch *stretch)
{
	struct lttngmap_subbuf *opened = &stretch->opened;
	uint64_t events_max =
		(stretch->seq << reader->geometry->subbuf_shift) / LTTNGMAP_RECORD_HEADER_SIZE;

	if (stretch->seq == 0 || stretch->from > lttngmap_subbuf_head(stretch->seq)) {
		if (stretch->from > 0 || opened->begin < reader->end)
			opened->begin = reader->end;
		opened->events_begin = reader->events;
		return 0;
	}
	if (opened->seq != stretch->seq)
		return ring_reader_spoil(reader, "a descriptor is another sub-buffer's");
	if (opened->begin < reader->end)
		return ring_reader_spoil(reader, "its clock went back");
	if (opened->events_begin < reader->events || opened->events_begin > events_max ||
	    (opened->events_begin > reader->events &&
	     reader->geometry->mode != LTTNGMAP_MODE_OVERWRITE))
		return ring_reader_spoil(reader, "its count of events is wrong");
	return 0;
}

/* As packets tell it: what was given out may be less than was seen at a skip. */
static uint64_t tell_lost(struct ring_reader *reader)
{
	uint64_t lost = reader->discards + reader->account.overwritten;

	reader->lost_told = lost;
	return lost > reader->lost_before ? lost - reader->lost_before : 0;
}

/* Check a stretch whose opening was checked, and describe it; advances the reader. */
static int describe(struct ring_reader *reader, const struct stretch *stretch,
		    struct lttngmap_packet *packet)
{
	uint64_t latest = ring_geometry_latest(reader->geometry);
	uint64_t events_begin = stretch->opened.events_begin;
	uint64_t events = stretch->events_end - events_begin;

	if (stretch->to < stretch->from || stretch->to > subbuf_size(reader) - LTTNGMAP_SUBBUF_TAIL)
		return ring_reader_spoil(reader, "a sub-buffer's size is wrong");
	/* An end before the begin makes more events than anything holds. */
	if (events > (stretch->to - stretch->from) / LTTNGMAP_RECORD_HEADER_SIZE ||
	    (events == 0) != (stretch->to == stretch->from))
		return ring_reader_spoil(reader, "its count of events is wrong");
	if (stretch->end < stretch->opened.begin || stretch->end > latest)
		return ring_reader_spoil(reader, "its clock is wrong");
	reader->account.overwritten += events_begin - reader->events;
	reader->events = stretch->events_end;
	reader->end = stretch->end;
	if (stretch->discards > reader->discards)
		reader->discards = stretch->discards;
	packet->subbuf_id = stretch->id;
	packet->offset = stretch->from;
	packet->length = (uint32_t)(stretch->to - stretch->from);
	packet->timestamp_begin = stretch->opened.begin;
	packet->timestamp_end = stretch->end;
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
static int check_discards(struct ring_reader *reader, const struct stretch *stretch)
{
	if (stretch->discards < reader->discards_full)
		return ring_reader_spoil(reader, "its count of discarded events went back");
	reader->discards_full = stretch->discards;
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
	    q - reader->seq >= subbufs_of(reader)) {
		reader->seq = q - subbufs_of(reader) + 1;
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

/* Full sub-buffer reader->seq, or a later one where that was overwritten. */
static int take_full(struct ring_reader *reader, const struct ring_commit *commit,
		     struct lttngmap_packet *packet, struct ring_held *held)
{
	uint64_t q = commit->position >> reader->geometry->subbuf_shift;
	const struct lttngmap_subbuf *subbuf;
	struct stretch stretch = { .from = 0 };
	int result;

	result = take_out(reader, q, &stretch.id, &stretch.from);
	if (result < 0)
		return result;

	subbuf = lttngmap_ring_subbufs(reader->ring, subbufs_of(reader)) + stretch.id;
	stretch.seq = reader->seq;
	copy_opening(reader, &stretch);
	stretch.to = load(&subbuf->content_size);
	stretch.end = load(&subbuf->end);
	stretch.events_end = load(&subbuf->events_end);
	stretch.discards = load(&subbuf->discards);
	result = check_discards(reader, &stretch);
	/* Ours now, whatever is wrong with it. */
	*held = (struct ring_held){ .seq = reader->seq, .id = stretch.id, .swapped = true };
	reader->offset = lttngmap_subbuf_head(++reader->seq);
	if (result == 0)
		result = check_opening(reader, &stretch);
	if (result == 0)
		result = describe(reader, &stretch, packet);
	if (result < 0)
		ring_reader_release(reader, held);
	return result;
}

/* What the current sub-buffer holds beyond what was read of it. */
static int take_partial(struct ring_reader *reader, const struct ring_commit *commit,
			struct lttngmap_packet *packet, struct ring_held *held)
{
	uint32_t index = reader->seq & (subbufs_of(reader) - 1);
	const uint64_t *slot = lttngmap_ring_slots(reader->ring) + index;
	uint64_t entry = load(slot);
	struct stretch stretch = {
		.id = lttngmap_slot_id(entry, index),
		.seq = reader->seq,
		.from = reader->offset,
		.to = commit->position & (subbuf_size(reader) - 1),
		.discards = commit->discards,
	};
	uint64_t *events_begin = &stretch.opened.events_begin;
	int result;

	/* Full, and overwritten, since we looked; nobody does that to a frozen ring. */
	if (lttngmap_slot_seq(entry) > reader->seq && !reader->frozen &&
	    reader->geometry->mode == LTTNGMAP_MODE_OVERWRITE)
		return -EAGAIN;
	if (lttngmap_slot_seq(entry) != reader->seq ||
	    lttngmap_slot_state(entry, index) != LTTNGMAP_SLOT_WRITING ||
	    stretch.id > subbufs_of(reader))
		return ring_reader_spoil(reader, "its table of sub-buffers is damaged");
	copy_opening(reader, &stretch);
	if (load(slot) != entry)
		return -EAGAIN; /* the descriptor may be a later sub-buffer's already */
	result = check_opening(reader, &stretch);
	if (result < 0)
		return result;
	/* No record comes 2^47 ticks after its sub-buffer was opened. */
	stretch.end = stretch.opened.begin +
		      ((commit->timestamp - stretch.opened.begin) & LTTNGMAP_TIMESTAMP_MASK);
	stretch.events_end = *events_begin + (uint32_t)(commit->count - (uint32_t)*events_begin);
	*held = (struct ring_held){ .seq = reader->seq, .id = stretch.id };
	/* While frozen too: the next start may come before the packet is released. */
	if (reader->geometry->mode == LTTNGMAP_MODE_OVERWRITE)
		packet->flags |= LTTNGMAP_PACKET_VOLATILE;
	result = describe(reader, &stretch, packet);
	if (result == 0)
		reader->offset = (uint32_t)stretch.to;
	return result;
}

/* Nothing to read any more, but losses that no packet has told of. */
static void tell_discards(struct ring_reader *reader, const struct ring_commit *commit,
			  struct lttngmap_packet *packet, struct ring_held *held)
{
	reader->discards = commit->discards;
	*held = (struct ring_held){ .seq = reader->seq };
	packet->timestamp_begin = reader->end;
	packet->timestamp_end = reader->end;
	packet->discarded = tell_lost(reader);
}

static uint64_t read_position(const struct ring_reader *reader)
{
	return (reader->seq << reader->geometry->subbuf_shift) + reader->offset;
}

/* Losses after which no packet may come, or none of this chunk. */
static bool has_untold_discards(const struct ring_reader *reader, const struct ring_commit *commit)
{
	return commit->discards > reader->discards &&
	       (reader->frozen || reader->discards < reader->mark_discards);
}

int ring_reader_take(struct ring_reader *reader, bool partial, struct lttngmap_packet *packet,
		     struct ring_held *held)
{
	struct ring_commit commit;
	int result = -EAGAIN;

	*packet = (struct lttngmap_packet){ .sequence = reader->packets };
	/* Bounded: a hostile process could offer empty sub-buffers for ever. */
	for (uint32_t passed = 0; passed <= subbufs_of(reader); passed++) {
		uint64_t q;

		result = ring_reader_look(reader, &commit);
		if (result < 0)
			return result;
		q = commit.position >> reader->geometry->subbuf_shift;
		/* The sub-buffer that was passed before, if any, is done with. */
		ring_undo_begin(reader->undo, reader);
		if (reader->seq < q) {
			result = take_full(reader, &commit, packet, held);
			/* All of it was given out before, as partial packets. */
			if (result == 0 && packet->events == 0) {
				ring_reader_release(reader, held);
				result = -EAGAIN;
				continue;
			}
		} else if (!partial && !reader->frozen && ring_reader_has_passed(reader)) {
			return -EAGAIN;
		} else if ((commit.position & (subbuf_size(reader) - 1)) > reader->offset) {
			result = take_partial(reader, &commit, packet, held);
		} else if (has_untold_discards(reader, &commit)) {
			tell_discards(reader, &commit, packet, held);
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

void ring_reader_release(struct ring_reader *reader, const struct ring_held *held)
{
	if (held->swapped)
		reader->spare = held->id;
}

bool ring_reader_is_intact(const struct ring_reader *reader, const struct ring_held *held)
{
	uint32_t index = held->seq & (subbufs_of(reader) - 1);

	/* Full fence: the copy that is being checked was read before. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return held->swapped ||
	       lttngmap_slot_seq(load(lttngmap_ring_slots(reader->ring) + index)) == held->seq;
}

bool ring_reader_has_packet(struct ring_reader *reader)
{
	struct ring_commit commit;

	if (reader->spoiled || ring_reader_look(reader, &commit) < 0)
		return false;
	if (reader->seq < commit.position >> reader->geometry->subbuf_shift)
		return true;
	if ((reader->frozen || read_position(reader) < reader->mark) &&
	    (commit.position & (subbuf_size(reader) - 1)) > reader->offset)
		return true;
	return has_untold_discards(reader, &commit);
}

uint32_t ring_reader_waiting(struct ring_reader *reader)
{
	struct ring_commit commit;
	uint64_t waiting;

	if (ring_reader_look(reader, &commit) < 0)
		return 0;
	waiting = (commit.position >> reader->geometry->subbuf_shift) - reader->seq;
	return waiting < subbufs_of(reader) ? (uint32_t)waiting : subbufs_of(reader);
}

bool ring_reader_is_touched(const struct ring_reader *reader)
{
	return load(&reader->ring->commit[0]) || load(&reader->ring->discards);
}

void ring_reader_skip(struct ring_reader *reader)
{
	struct lttngmap_packet packet;
	struct ring_commit end;
	struct ring_held held;

	if (ring_reader_look(reader, &end) < 0)
		return;
	/* Writers go on: no further than they were. */
	while (read_position(reader) < end.position &&
	       ring_reader_take(reader, true, &packet, &held) == 0)
		ring_reader_release(reader, &held);
	reader->lost_before = reader->account.discarded + reader->account.overwritten;
}

/*
 * No more than can be unread: who claims to be further does not make a
 * rotation wait for what never comes. In overwrite mode the reader passes over
 * what was overwritten.
 */
void ring_reader_mark(struct ring_reader *reader)
{
	uint64_t most = (reader->seq + subbufs_of(reader)) << reader->geometry->subbuf_shift;
	struct ring_commit commit;
	int result = -EAGAIN;

	for (unsigned tries = 0; result == -EAGAIN && tries < MARK_TRIES; tries++) {
		if (reader->spoiled)
			return;
		result = ring_reader_look(reader, &commit);
	}
	if (result == -EAGAIN)
		ring_reader_spoil(reader, "its position does not come to rest");
	if (result < 0)
		return;
	reader->mark = commit.position;
	if (reader->geometry->mode != LTTNGMAP_MODE_OVERWRITE && reader->mark > most)
		reader->mark = most;
	reader->mark_discards = commit.discards;
}

bool ring_reader_has_passed(const struct ring_reader *reader)
{
	return reader->spoiled ||
	       (read_position(reader) >= reader->mark && reader->discards >= reader->mark_discards);
}

void ring_reader_begin_chunk(struct ring_reader *reader)
{
	if (reader->lost_told > reader->lost_before)
		reader->lost_before = reader->lost_told;
}

void ring_reader_freeze(struct ring_reader *reader)
{
	if (reader->frozen || reader->spoiled)
		return;
	if (!look(reader, &reader->limit)) {
		ring_reader_spoil(reader, "its position does not come to rest");
		return;
	}
	if (account(reader, &reader->limit) == 0)
		reader->frozen = true;
}

void ring_reader_thaw(struct ring_reader *reader)
{
	reader->frozen = false;
}
