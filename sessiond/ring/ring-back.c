/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/ring/ring-back.h"

#include <errno.h>

/* The descriptor of a sub-buffer; each word is read once. */
struct extent {
	uint64_t seq;
	uint32_t id;
	uint32_t from;
	uint64_t to;
	uint64_t begin;
	uint64_t end;
	uint64_t events_begin;
	uint64_t events_end;
	uint64_t discards;
};

static uint64_t load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* 0; -EAGAIN: it was overwritten; -EBADMSG. */
static int read_span(struct ring_reader *reader, const struct ring_commit *commit,
		     struct extent *extent)
{
	uint32_t subbufs = 1u << reader->geometry->subbufs_shift;
	uint32_t index = extent->seq & (subbufs - 1);
	const uint64_t *slot = lttngmap_ring_slots(reader->ring) + index;
	uint64_t entry = load(slot);
	const struct lttngmap_subbuf *subbuf;
	uint64_t named;

	if (lttngmap_slot_seq(entry) > extent->seq)
		return -EAGAIN;
	extent->id = lttngmap_slot_id(entry, index);
	if (lttngmap_slot_seq(entry) != extent->seq ||
	    lttngmap_slot_state(entry, index) != LTTNGMAP_SLOT_WRITING || extent->id > subbufs)
		return ring_reader_mark_corrupt(reader, "its table of sub-buffers is damaged");

	subbuf = lttngmap_ring_subbufs(reader->ring, subbufs) + extent->id;
	named = load(&subbuf->seq);
	extent->from = lttngmap_subbuf_head(extent->seq);
	extent->begin = load(&subbuf->begin);
	extent->events_begin = load(&subbuf->events_begin);
	/* The first one's descriptor does not say all of it. */
	if (extent->seq == 0) {
		named = 0;
		extent->events_begin = 0;
		if (extent->begin < reader->geometry->begin)
			extent->begin = reader->geometry->begin;
	}
	if (extent->seq == commit->position >> reader->geometry->subbuf_shift) {
		uint64_t mask = (UINT64_C(1) << reader->geometry->subbuf_shift) - 1;

		extent->to = commit->position & mask;
		extent->end = extent->begin +
			      ((commit->timestamp - extent->begin) & LTTNGMAP_TIMESTAMP_MASK);
		extent->events_end = extent->events_begin +
				     (uint32_t)(commit->count - (uint32_t)extent->events_begin);
		extent->discards = commit->discards;
	} else {
		extent->to = load(&subbuf->content_size);
		extent->end = load(&subbuf->end);
		extent->events_end = load(&subbuf->events_end);
		extent->discards = load(&subbuf->discards);
		if (extent->discards > reader->account.discarded)
			extent->discards = reader->account.discarded;
	}
	if (load(slot) != entry)
		return -EAGAIN;
	return named == extent->seq
		       ? 0
		       : ring_reader_mark_corrupt(reader, "a descriptor is another sub-buffer's");
}

/* Leaves out packets that a clear removed, or that were read before it. */
static void leave_out(const struct ring_reader *reader, struct extent *extent)
{
	if (extent->seq != reader->seq || reader->offset <= extent->from)
		return;
	extent->from = reader->offset;
	extent->begin = reader->end;
	extent->events_begin = reader->events;
}

static int check_span(struct ring_reader *reader, const struct extent *extent)
{
	uint64_t size = UINT64_C(1) << reader->geometry->subbuf_shift;
	uint64_t now = ring_reader_latest(reader);
	uint64_t events = extent->events_end - extent->events_begin;

	if (extent->to < extent->from || extent->to > size - LTTNGMAP_SUBBUF_TAIL)
		return ring_reader_mark_corrupt(reader, "a sub-buffer's size is wrong");
	if (extent->events_end < extent->events_begin ||
	    events > (extent->to - extent->from) / LTTNGMAP_RECORD_HEADER_SIZE ||
	    (events == 0) != (extent->to == extent->from))
		return ring_reader_mark_corrupt(reader, "its count of events is wrong");
	if (extent->begin < reader->geometry->begin || extent->end < extent->begin ||
	    extent->end > now)
		return ring_reader_mark_corrupt(reader, "its clock is wrong");
	return 0;
}

int ring_back_take(struct ring_back *back, struct ring_reader *reader,
		   struct lttngmap_packet *packet, struct ring_lease *lease)
{
	uint32_t shift = reader->geometry->subbuf_shift;
	struct extent extent = { .seq = 0 };
	int error;

	if (!back->begun) {
		error = ring_reader_look(reader, &back->commit);
		if (error)
			return error;
		back->next = (back->commit.position >> shift) + 1;
		back->begun = true;
	}
	do {
		if (back->next <= reader->seq)
			return -EAGAIN;
		extent.seq = --back->next;
		error = read_span(reader, &back->commit, &extent);
		if (error)
			return error;
		leave_out(reader, &extent);
		/* The newest may be empty, and none before it. */
	} while (extent.to == extent.from && extent.seq == back->commit.position >> shift);
	error = check_span(reader, &extent);
	if (error || extent.to == extent.from)
		return error ? error : -EAGAIN;
	*lease = (struct ring_lease){ .seq = extent.seq, .id = extent.id };
	*packet = (struct lttngmap_packet){
		.flags = LTTNGMAP_PACKET_BACKWARD | LTTNGMAP_PACKET_VOLATILE,
		.subbuf_id = extent.id,
		.offset = extent.from,
		.length = (uint32_t)(extent.to - extent.from),
		.sequence = extent.seq,
		.timestamp_begin = extent.begin,
		.timestamp_end = extent.end,
		.events = extent.events_end - extent.events_begin,
		.discarded = extent.discards,
	};
	return 0;
}
