/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/ring/ring-reader-private.h"

#include <errno.h>
#include <stddef.h>

#include "sessiond/ring/ring-host.h"

/* A writer that commits this often while we look is looked at later. */
#define COMMIT_TRIES 1000
/* One that does so in all of that time does nothing else. */
#define MARK_TRIES 1000

void ring_wake_waiters(struct lttngmap_ring *ring)
{
	if (__atomic_exchange_n(&ring->waiters, 0, __ATOMIC_SEQ_CST))
		ring_host_wake(&ring->space);
}

int ring_reader_mark_corrupt(struct ring_reader *reader, const char *why)
{
	reader->is_corrupt = why;
	/* There will be no room: nobody shall wait for it. */
	__atomic_store_n(&reader->ring->space, LTTNGMAP_SPACE_CLOSED, __ATOMIC_SEQ_CST);
	ring_wake_waiters(reader->ring);
	return -EBADMSG;
}

void ring_reader_init(struct ring_reader *reader, const struct ring_geometry *geometry,
		      struct lttngmap_ring *ring, struct ring_undo *undo)
{
	*reader = (struct ring_reader){
		.geometry = geometry,
		.ring = ring,
		.undo = undo,
		.reader_subbuf = 1u << geometry->subbufs_shift,
		.end = geometry->begin,
	};
}

static uint64_t latest_now(const struct ring_geometry *geometry)
{
	return geometry->past ? RING_PAST_LATEST
			      : ring_host_clock(geometry->clock) + RING_HOST_CLOCK_SLACK;
}

uint64_t ring_reader_latest(const struct ring_reader *reader)
{
	uint64_t now = latest_now(reader->geometry);

	return now > reader->reset ? now : reader->reset;
}

/* Losses up to that time: each took some ticks of the clock. */
static uint64_t most_discards(const struct ring_reader *reader, uint64_t latest)
{
	const struct ring_geometry *geometry = reader->geometry;
	uint64_t most = reader->lost_before_most;

	if (!geometry->past && latest > geometry->begin)
		most += (latest - geometry->begin) / RING_LOST_TICKS;
	return geometry->past || most > RING_DISCARDS_MAX ? RING_DISCARDS_MAX : most;
}

void ring_reader_reset_clock(struct ring_reader *reader, uint64_t latest)
{
	reader->lost_before_most = most_discards(reader, latest);
	if (latest > reader->reset)
		reader->reset = latest;
}

bool ring_reader_went_back(struct ring_reader *reader, uint64_t begin)
{
	if (reader->reset == 0 || begin > latest_now(reader->geometry))
		return false;
	reader->reset = 0;
	reader->end = begin;
	return true;
}

void ring_reader_move(struct ring_reader *reader, const struct ring_geometry *geometry,
		      struct lttngmap_ring *ring)
{
	reader->geometry = geometry;
	reader->ring = ring;
}

/* Acquire: what lies below the position is there; pairs with the commit's store. */
static bool look(const struct ring_reader *reader, struct ring_commit *commit)
{
	const uint64_t *words = reader->ring->commit;

	for (unsigned tries = 0; tries < COMMIT_TRIES; tries++) {
		uint64_t word0 = ring_load(&words[0]);
		uint64_t word1 = ring_load(&words[1]);

		commit->discards = ring_load(&reader->ring->discards);
		if (ring_load(&words[0]) != word0)
			continue;
		commit->position = word0 & LTTNGMAP_POSITION_MASK;
		commit->timestamp = word1 & LTTNGMAP_TIMESTAMP_MASK;
		commit->count = (uint32_t)(word0 >> LTTNGMAP_COUNT_SHIFT) |
				(uint32_t)(word1 >> LTTNGMAP_COUNT_SHIFT << 16);
		return true;
	}
	return false;
}

/*
 * Each record has a header. Where nothing is overwritten, those that were not read yet fit into
 * the ring, however far its position claims to be.
 */
static uint64_t most_written(const struct ring_reader *reader, uint64_t position)
{
	uint64_t read = ring_reader_position(reader), room = ring_subbufs(reader);
	uint64_t unread = position > read ? position - read : 0;

	if (reader->geometry->mode == LTTNGMAP_MODE_OVERWRITE)
		return position / LTTNGMAP_RECORD_HEADER_SIZE;
	room <<= reader->geometry->subbuf_shift;
	return reader->events + (unread < room ? unread : room) / LTTNGMAP_RECORD_HEADER_SIZE;
}

/* Bring the ring's counters up to date, as far as they are believable. */
static int account(struct ring_reader *reader, struct ring_commit *commit)
{
	uint64_t base = ring_load(&reader->ring->events_base), discards = commit->discards, written;
	uint64_t cut = ring_load(&reader->ring->cut);

	/*
	 * A child that was forked in the middle of a write may store an old commit
	 * (liblttngmap/ring/ring-trylock.c); its parent's next event mends that.
	 */
	if (commit->position < reader->last.position) {
		if (ring_host_is_lost(reader->ring))
			return ring_reader_mark_corrupt(reader,
							"the file of its memory was cut short");
		*commit = reader->last;
		commit->discards = discards;
	}
	/*
	 * The base is that of a switch before the commit, or of one after it: we
	 * read it later. So the difference may be negative.
	 */
	written = base + (uint64_t)(int32_t)(commit->count - (uint32_t)base);
	if ((commit->position & (ring_subbuf_size(reader) - 1)) >
	    ring_subbuf_size(reader) - LTTNGMAP_SUBBUF_TAIL)
		return ring_reader_mark_corrupt(reader,
						"its position lies beyond a sub-buffer's end");
	reader->last = *commit;
	if (written >= reader->account.written && written <= most_written(reader, commit->position))
		reader->account.written = written;
	if (commit->discards < reader->account.discarded)
		return ring_reader_mark_corrupt(reader, "its count of discarded events went back");
	if (commit->discards > reader->account.discarded &&
	    commit->discards > most_discards(reader, ring_reader_latest(reader)))
		return ring_reader_mark_corrupt(
			reader, "it counts more discarded events than it can have lost");
	reader->account.discarded = commit->discards;
	/* A writer counts after its commit. */
	if (cut > reader->account.cut && cut <= reader->account.written)
		reader->account.cut = cut;
	return 0;
}

int ring_reader_look(struct ring_reader *reader, struct ring_commit *commit)
{
	int result;

	if (reader->is_corrupt)
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

bool ring_reader_has_packet(struct ring_reader *reader)
{
	struct ring_commit commit;

	if (reader->is_corrupt || ring_reader_look(reader, &commit) < 0)
		return false;
	if (reader->seq < commit.position >> reader->geometry->subbuf_shift)
		return true;
	if ((reader->frozen || ring_reader_position(reader) < reader->mark) &&
	    (commit.position & (ring_subbuf_size(reader) - 1)) > reader->offset)
		return true;
	return ring_reader_has_untold(reader, &commit);
}

uint32_t ring_reader_waiting(struct ring_reader *reader)
{
	struct ring_commit commit;
	uint64_t waiting;

	if (ring_reader_look(reader, &commit) < 0)
		return 0;
	waiting = (commit.position >> reader->geometry->subbuf_shift) - reader->seq;
	return waiting < ring_subbufs(reader) ? (uint32_t)waiting : ring_subbufs(reader);
}

struct ring_account ring_reader_claims(const struct ring_reader *reader)
{
	const struct ring_account *now = &reader->account, *before = &reader->cleared;
	uint64_t overwritten = now->overwritten - before->overwritten;
	uint64_t written = now->written - before->written;
	uint64_t given = reader->events > before->written ? reader->events - before->written : 0;
	uint64_t delivered = given > overwritten ? given - overwritten : 0;

	if (!reader->is_corrupt)
		return (struct ring_account){ .written = 0 };
	return (struct ring_account){
		.written = written > delivered ? written - delivered : 0,
		.discarded = now->discarded - before->discarded,
		.overwritten = overwritten,
	};
}

void ring_reader_clear(struct ring_reader *reader)
{
	reader->cleared = reader->account;
	/* Events that were seen beyond the place up to which all is gone are to come. */
	if (!reader->is_corrupt)
		reader->cleared.written = reader->events;
}

void ring_reader_settle(struct ring_reader *reader)
{
	if (!reader->is_corrupt && !reader->geometry->past && reader->frozen &&
	    reader->account.written != reader->events)
		ring_reader_mark_corrupt(reader, "it counts other events than it has");
}

bool ring_reader_is_touched(const struct ring_reader *reader)
{
	return ring_load(&reader->ring->commit[0]) || ring_load(&reader->ring->discards);
}

void ring_reader_skip(struct ring_reader *reader)
{
	struct lttngmap_packet packet;
	struct ring_commit end;
	struct ring_lease lease;

	if (reader->is_corrupt || !look(reader, &end) || account(reader, &end) < 0)
		return;
	/* A writer that had begun before a stop, by trylock, may have come after it. */
	reader->limit = end;
	/* Writers go on: no further than they were. */
	while (ring_reader_position(reader) < end.position &&
	       ring_reader_take(reader, true, &packet, &lease) == 0)
		ring_reader_release(reader, &lease);
	reader->lost_before = reader->account.discarded + reader->account.overwritten;
}

/*
 * Where the records from after a reset of the clock begin, up to sub-buffer q: no writer
 * goes on in a sub-buffer from before. UINT64_MAX: there are none, or all of them are.
 */
static uint64_t reset_position(const struct ring_reader *reader, uint64_t q)
{
	/* One of which part was read began before that. */
	uint64_t seq = reader->seq + (reader->offset > lttngmap_subbuf_head(reader->seq));
	uint64_t latest = reader->end;

	for (; reader->reset && seq <= q && seq - reader->seq <= ring_subbufs(reader); seq++) {
		uint32_t index = seq & (ring_subbufs(reader) - 1);
		uint64_t entry = ring_load(lttngmap_ring_slots(reader->ring) + index), begin;
		uint32_t id = lttngmap_slot_id(entry, index);

		if (lttngmap_slot_seq(entry) != seq || id > ring_subbufs(reader))
			continue;
		begin = ring_load(
			&lttngmap_ring_subbufs(reader->ring, ring_subbufs(reader))[id].begin);
		if (begin < latest && seq > 0)
			return seq << reader->geometry->subbuf_shift;
		latest = begin > latest ? begin : latest;
	}
	return UINT64_MAX;
}

/*
 * No more than can be unread: who claims to be further does not make a
 * rotation wait for what never comes. In overwrite mode the reader passes over
 * what was overwritten.
 */
void ring_reader_mark(struct ring_reader *reader)
{
	uint64_t most = (reader->seq + ring_subbufs(reader)) << reader->geometry->subbuf_shift;
	struct ring_commit commit;
	int result = -EAGAIN;

	for (unsigned tries = 0; result == -EAGAIN && tries < MARK_TRIES; tries++) {
		if (reader->is_corrupt)
			return;
		result = ring_reader_look(reader, &commit);
	}
	if (result == -EAGAIN)
		ring_reader_mark_corrupt(reader, "its position does not come to rest");
	if (result < 0)
		return;
	reader->mark = reset_position(reader, commit.position >> reader->geometry->subbuf_shift);
	if (reader->mark > commit.position)
		reader->mark = commit.position;
	if (reader->geometry->mode != LTTNGMAP_MODE_OVERWRITE && reader->mark > most)
		reader->mark = most;
	reader->mark_discards = commit.discards;
}

void ring_reader_mark_user(struct ring_reader *reader)
{
	struct ring_commit commit;

	/* One that does not come to rest is all of the user of now. */
	reader->user_mark = 0;
	if (!reader->is_corrupt && ring_reader_look(reader, &commit) == 0)
		reader->user_mark = commit.position;
}

bool ring_reader_has_passed(const struct ring_reader *reader)
{
	return reader->is_corrupt || (ring_reader_position(reader) >= reader->mark &&
				      reader->discards >= reader->mark_discards);
}

void ring_reader_begin_chunk(struct ring_reader *reader)
{
	if (reader->lost_told > reader->lost_before)
		reader->lost_before = reader->lost_told;
}

void ring_reader_freeze(struct ring_reader *reader)
{
	if (reader->frozen || reader->is_corrupt)
		return;
	if (!look(reader, &reader->limit)) {
		ring_reader_mark_corrupt(reader, "its position does not come to rest");
		return;
	}
	if (account(reader, &reader->limit) == 0)
		reader->frozen = true;
}

void ring_reader_thaw(struct ring_reader *reader)
{
	reader->frozen = false;
}
