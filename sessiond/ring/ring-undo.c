/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* ring-undo.c - the daemon's death while a reader is changed. */
#include "sessiond/ring/ring-reader-private.h"

/*
 * The restarted daemon sees every store of this one that was executed. So the
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

void ring_undo_note_swap(struct ring_undo *undo, uint64_t seq, uint32_t id)
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
		index = undo->swap_seq & (ring_subbufs(reader) - 1);
		slot = ring_load(lttngmap_ring_slots(ring) + index);
		/*
		 * Nobody but that exchange can have put the reader sub-buffer there, and writers
		 * leave a slot's id as it is.
		 */
		if (lttngmap_slot_id(slot, index) == reader->reader_subbuf) {
			if (undo->swap_seq != reader->seq)
				reader->offset = lttngmap_subbuf_head(undo->swap_seq);
			reader->seq = undo->swap_seq;
			reader->out_id = undo->swap_id;
			reader->out = true;
		}
	}
	return true;
}
