/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-set-copy.c - what is unread of rings, copied from where they are. The
 * program may live, and write on:
 *
 *   1. look: position, timestamp, count and discards of one commit. All below
 *      is complete, and the copy's ring ends there.
 *   2. copy the table, the descriptors, and the sub-buffers that it names
 *   3. look at the table again. In discard mode nobody changes what is unread.
 *      In overwrite mode a writer first takes the entry of what it overwrites:
 *      where the entry is the same before and after, so was the content. The
 *      copy has the later table, by which its reader passes over the others
 *      and counts them.
 *
 * The saved state keeps the positions that were read. After a recovery that was killed, the next
 * one ends each ring at the same place, and makes the same packets.
 */
#include "sessiond/ring/ring-set-private.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sessiond/ring/ring-set-import.h"

/* Maximum number of looks at a writer that commits all the time and is preempted now and then. */
#define LOOK_TRIES 1000
/* One that overwrites the current sub-buffer meanwhile, that often. */
#define COPY_TRIES 100

struct copy {
	const struct ring_import *import;
	struct ring_saved *saved;
	uint32_t index; /* of the ring */
	struct ring_reader *reader;
	struct lttngmap_ring *ring; /* the copy */
	uint64_t stride;            /* bytes of a ring in ring control */
	char *data;                 /* the copy's ring data, all rings */
	uint64_t *before;           /* room for a table */
};

static uint32_t subbufs_of(const struct copy *copy)
{
	return 1u << copy->import->subbufs_shift;
}

/* Two readings that are the same are of one commit, however bytes were copied. */
static int look(const struct copy *copy, struct lttngmap_ring *ring)
{
	const struct ring_import *import = copy->import;
	uint64_t offset = copy->index * copy->stride;
	struct lttngmap_ring again;
	int error = import->read_control(import->data, offset, ring, sizeof(*ring));

	for (unsigned tries = 0; error == 0 && tries < LOOK_TRIES; tries++) {
		error = import->read_control(import->data, offset, &again, sizeof(again));
		if (error)
			break;
		if (memcmp(ring->commit, again.commit, sizeof(ring->commit)) == 0 &&
		    ring->discards == again.discards)
			return 0;
		*ring = again;
	}
	return error ? error : -EAGAIN;
}

static uint64_t subbuf_size(const struct copy *copy)
{
	return UINT64_C(1) << copy->import->subbuf_shift;
}

/* Its first bytes. */
static int copy_subbuf(const struct copy *copy, uint32_t id, uint64_t size)
{
	const struct ring_import *import = copy->import;
	uint64_t ring = (uint64_t)copy->index * (subbufs_of(copy) + 1);
	uint64_t offset = import->meta_page_size + (ring + id) * subbuf_size(copy);

	if (id > subbufs_of(copy) || size == 0)
		return 0;
	return import->read_data(import->data, offset, copy->data + offset, size);
}

/* Packets that their reader had not let go of. */
static int copy_lease(const struct copy *copy, const struct in_flight *in_flight)
{
	int error;

	if (!in_flight->holds || in_flight->current.cpu != copy->index)
		return 0;
	error = copy_subbuf(copy, in_flight->lease.id, subbuf_size(copy));
	for (uint32_t i = in_flight->from; error == 0 && i < in_flight->to; i++)
		error = copy_subbuf(copy, copy->saved->more[i].lease.id, subbuf_size(copy));
	return error;
}

/* Those that stand outside the table. */
static int copy_taken(const struct copy *copy)
{
	const struct ring_undo *undo = &copy->saved->undo;
	int error = copy_lease(copy, &copy->saved->in_flight);

	if (error == 0 && copy->reader->out)
		error = copy_subbuf(copy, copy->reader->out_id, subbuf_size(copy));
	if (error || !undo->in_force || undo->reader != copy->reader)
		return error;
	error = copy_lease(copy, &copy->saved->before);
	if (error == 0 && undo->before.out)
		error = copy_subbuf(copy, undo->before.out_id, subbuf_size(copy));
	if (error == 0 && undo->swapping)
		error = copy_subbuf(copy, undo->swap_id, subbuf_size(copy));
	return error;
}

/* The first that may be read yet: an undo goes back. */
static uint64_t first_unread(const struct copy *copy)
{
	const struct ring_undo *undo = &copy->saved->undo;
	uint64_t seq = copy->reader->seq;

	if (undo->in_force && undo->reader == copy->reader && undo->before.seq < seq)
		seq = undo->before.seq;
	return seq;
}

static bool is_unread(const struct copy *copy, uint64_t slot, uint32_t index, uint64_t q)
{
	return lttngmap_slot_state(slot, index) == LTTNGMAP_SLOT_WRITING &&
	       lttngmap_slot_seq(slot) >= first_unread(copy) && lttngmap_slot_seq(slot) <= q;
}

/*
 * Copies the unread part of a sub-buffer in the table; the last one has content up to the position.
 */
static int copy_unread(const struct copy *copy, uint64_t slot, uint32_t index, uint64_t position)
{
	uint64_t q = position >> copy->import->subbuf_shift, size = subbuf_size(copy);

	if (!is_unread(copy, slot, index, q))
		return 0;
	return copy_subbuf(copy, lttngmap_slot_id(slot, index),
			   lttngmap_slot_seq(slot) == q ? position & (size - 1) : size);
}

/* 0; -ESTALE: the sub-buffer that is being written was overwritten; -errno. */
static int copy_rest(struct copy *copy, uint64_t position)
{
	uint64_t q = position >> copy->import->subbuf_shift;
	const struct ring_import *import = copy->import;
	uint64_t table = subbufs_of(copy) * sizeof(uint64_t);
	uint64_t offset = copy->index * copy->stride + sizeof(struct lttngmap_ring);
	uint64_t *slots = lttngmap_ring_slots(copy->ring);
	int error = import->read_control(import->data, offset, slots,
					 copy->stride - sizeof(struct lttngmap_ring));

	memcpy(copy->before, slots, table);
	for (uint32_t i = 0; error == 0 && i < subbufs_of(copy); i++)
		error = copy_unread(copy, slots[i], i, position);
	if (error == 0)
		error = copy_taken(copy);
	if (error == 0)
		error = import->read_control(import->data, offset, slots, table);
	if (error || import->mode != LTTNGMAP_MODE_OVERWRITE)
		return error;
	for (uint32_t i = 0; i < subbufs_of(copy); i++)
		if (is_unread(copy, copy->before[i], i, q) &&
		    lttngmap_slot_seq(copy->before[i]) == q && slots[i] != copy->before[i])
			return -ESTALE;
	return 0;
}

static uint32_t count_of(const struct lttngmap_ring *ring)
{
	return (uint32_t)(ring->commit[0] >> LTTNGMAP_COUNT_SHIFT) |
	       (uint32_t)(ring->commit[1] >> LTTNGMAP_COUNT_SHIFT << 16);
}

/* The place where the copy ends is to be the same in another try. */
static void keep_limit(const struct copy *copy, const struct lttngmap_ring *seen)
{
	const struct ring_import *import = copy->import;
	struct ring_saved *old = import->saved;
	struct ring_reader *readers[] = { &old->readers[copy->index], &old->undo.before };
	uint32_t count = copy->saved->undo.in_force && copy->saved->undo.reader == copy->reader ? 2
												: 1;

	for (uint32_t i = 0; i < count; i++) {
		struct ring_reader *reader = readers[i];

		reader->limit.position = seen->commit[0] & LTTNGMAP_POSITION_MASK;
		reader->limit.timestamp = seen->commit[1] & LTTNGMAP_TIMESTAMP_MASK;
		reader->limit.count = count_of(seen);
		reader->limit.discards = seen->discards;
		reader->frozen = true;
		import->keep(import->data, (uint64_t)((char *)reader - (char *)old), reader,
			     sizeof(*reader));
	}
}

/*
 * It is overwritten faster than it can be copied, or was after an earlier try:
 * all that is unread is lost, and counted as discarded.
 */
static void let_go(const struct copy *copy)
{
	struct ring_reader *reader = copy->reader;
	struct lttngmap_ring *ring = copy->ring;
	uint64_t base = ring->events_base, written, lost;
	uint32_t count = reader->frozen ? reader->limit.count : count_of(ring);

	written = base + (uint64_t)(int32_t)(count - (uint32_t)base);
	lost = written > reader->events ? written - reader->events : 0;
	reader->last.position = (reader->seq << copy->import->subbuf_shift) + reader->offset;
	reader->mark = 0;
	reader->limit.position = reader->last.position;
	reader->limit.discards += lost;
	ring->commit[0] = reader->last.position;
	ring->commit[1] &= LTTNGMAP_TIMESTAMP_MASK;
	ring->discards += lost;
}

static void put_commit(struct lttngmap_ring *ring, const struct ring_commit *commit)
{
	uint64_t low = commit->count & 0xffff, high = commit->count >> 16;

	ring->commit[0] = commit->position | low << LTTNGMAP_COUNT_SHIFT;
	ring->commit[1] = commit->timestamp | high << LTTNGMAP_COUNT_SHIFT;
}

/* The copy ends where its reader was to end; it is looked at, and counted, anew. */
static void end_there(const struct copy *copy)
{
	struct ring_reader *reader = copy->reader;

	if (!reader->frozen)
		return;
	put_commit(copy->ring, &reader->limit);
	copy->ring->discards = reader->limit.discards;
	reader->frozen = false;
	if (copy->saved->undo.in_force && copy->saved->undo.reader == reader)
		copy->saved->undo.before.frozen = false;
}

static int copy_ring(struct copy *copy)
{
	const struct ring_reader *reader = copy->reader;
	struct lttngmap_ring seen = { .lock = 0 };
	uint64_t position;
	int error = -ESTALE;

	for (unsigned tries = 0; error == -ESTALE && tries < COPY_TRIES; tries++) {
		error = look(copy, &seen);
		if (error)
			return error;
		/* An old one, as account() of ring-reader.c finds it. */
		if ((seen.commit[0] & LTTNGMAP_POSITION_MASK) < reader->last.position)
			put_commit(&seen, &reader->last);
		*copy->ring = seen;
		position = reader->frozen ? reader->limit.position
					  : seen.commit[0] & LTTNGMAP_POSITION_MASK;
		error = copy_rest(copy, position);
		/* Another look would show no more of one that ends where it ends. */
		if (reader->frozen)
			break;
	}
	if (error && error != -ESTALE)
		return error;
	if (!reader->frozen)
		keep_limit(copy, &seen);
	if (error == -ESTALE)
		let_go(copy);
	end_there(copy);
	return 0;
}

static uint32_t copy_rings(struct copy *copy, struct lttngmap_ring *rings)
{
	uint32_t closed = 0;

	for (uint32_t i = 0; i < copy->import->cpu_rings + LTTNGMAP_EXTRA_RINGS; i++) {
		copy->index = i;
		copy->reader = &copy->saved->readers[i];
		copy->ring = (struct lttngmap_ring *)((char *)rings + i * copy->stride);
		if (!copy->reader->is_corrupt && copy_ring(copy) != 0)
			copy->reader->is_corrupt = "its memory could not be read";
		else
			continue;
		closed++;
	}
	return closed;
}

uint32_t ring_set_copy(const struct ring_import *import, struct ring_saved *saved,
		       struct lttngmap_ring *rings, int fd)
{
	uint64_t subbufs = UINT64_C(1) << import->subbufs_shift;
	uint32_t nr_rings = import->cpu_rings + LTTNGMAP_EXTRA_RINGS;
	uint64_t size = import->meta_page_size + nr_rings * ((subbufs + 1) << import->subbuf_shift);
	struct copy copy = {
		.import = import,
		.saved = saved,
		.stride = lttngmap_ring_stride(subbufs),
		.before = calloc(subbufs, sizeof(uint64_t)),
	};
	uint32_t closed = nr_rings;
	void *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (copy.before && data != MAP_FAILED) {
		copy.data = data;
		closed = copy_rings(&copy, rings);
	}
	if (data != MAP_FAILED)
		munmap(data, size);
	free(copy.before);
	return closed;
}
