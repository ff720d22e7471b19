/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/ring/ring-back.h"

#include <errno.h>

#include "common/clock.h"

/* What a sub-buffer's descriptor says of it; each word is read once. */
struct span {
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
		     struct span *span)
{
	uint32_t subbufs = 1u << reader->geometry->subbufs_shift;
	uint32_t index = span->seq & (subbufs - 1);
	const uint64_t *slot = lttngmap_ring_slots(reader->ring) + index;
	uint64_t entry = load(slot);
	const struct lttngmap_subbuf *subbuf;
	uint64_t named;

	if (lttngmap_slot_seq(entry) > span->seq)
		return -EAGAIN;
	span->id = lttngmap_slot_id(entry, index);
	if (lttngmap_slot_seq(entry) != span->seq ||
	    lttngmap_slot_state(entry, index) != LTTNGMAP_SLOT_WRITING || span->id > subbufs)
		return ring_reader_spoil(reader, "its table of sub-buffers is damaged");

	subbuf = lttngmap_ring_subbufs(reader->ring, subbufs) + span->id;
	named = load(&subbuf->seq);
	span->from = lttngmap_subbuf_head(span->seq);
	span->begin = load(&subbuf->begin);
	span->events_begin = load(&subbuf->events_begin);
	/* The first one's descriptor does not say all of it. */
	if (span->seq == 0) {
		named = 0;
		span->events_begin = 0;
		if (span->begin < reader->geometry->begin)
			span->begin = reader->geometry->begin;
	}
	if (span->seq == commit->position >> reader->geometry->subbuf_shift) {
		uint64_t mask = (UINT64_C(1) << reader->geometry->subbuf_shift) - 1;

		span->to = commit->position & mask;
		span->end =
			span->begin + ((commit->timestamp - span->begin) & LTTNGMAP_TIMESTAMP_MASK);
		span->events_end = span->events_begin +
				   (uint32_t)(commit->count - (uint32_t)span->events_begin);
		span->discards = commit->discards;
	} else {
		span->to = load(&subbuf->content_size);
		span->end = load(&subbuf->end);
		span->events_end = load(&subbuf->events_end);
		span->discards = load(&subbuf->discards);
		if (span->discards > reader->account.discarded)
			span->discards = reader->account.discarded;
	}
	if (load(slot) != entry)
		return -EAGAIN;
	return named == span->seq
		       ? 0
		       : ring_reader_spoil(reader, "a descriptor is another sub-buffer's");
}

/* What was forgotten by a clear, or read before that, is not given. */
static void leave_out(const struct ring_reader *reader, struct span *span)
{
	if (span->seq != reader->seq || reader->offset <= span->from)
		return;
	span->from = reader->offset;
	span->begin = reader->end;
	span->events_begin = reader->events;
}

static int check_span(struct ring_reader *reader, const struct span *span)
{
	uint64_t size = UINT64_C(1) << reader->geometry->subbuf_shift;
	uint64_t now = ring_reader_latest(reader);
	uint64_t events = span->events_end - span->events_begin;

	if (span->to < span->from || span->to > size - LTTNGMAP_SUBBUF_TAIL)
		return ring_reader_spoil(reader, "a sub-buffer's size is wrong");
	if (span->events_end < span->events_begin ||
	    events > (span->to - span->from) / LTTNGMAP_RECORD_HEADER_SIZE ||
	    (events == 0) != (span->to == span->from))
		return ring_reader_spoil(reader, "its count of events is wrong");
	if (span->begin < reader->geometry->begin || span->end < span->begin || span->end > now)
		return ring_reader_spoil(reader, "its clock is wrong");
	return 0;
}

int ring_back_take(struct ring_back *back, struct ring_reader *reader,
		   struct lttngmap_packet *packet, struct ring_held *held)
{
	uint32_t shift = reader->geometry->subbuf_shift;
	struct span span = { .seq = 0 };
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
		span.seq = --back->next;
		error = read_span(reader, &back->commit, &span);
		if (error)
			return error;
		leave_out(reader, &span);
		/* The newest may be empty, and none before it. */
	} while (span.to == span.from && span.seq == back->commit.position >> shift);
	error = check_span(reader, &span);
	if (error || span.to == span.from)
		return error ? error : -EAGAIN;
	*held = (struct ring_held){ .seq = span.seq, .id = span.id };
	*packet = (struct lttngmap_packet){
		.flags = LTTNGMAP_PACKET_BACKWARD | LTTNGMAP_PACKET_VOLATILE,
		.subbuf_id = span.id,
		.offset = span.from,
		.length = (uint32_t)(span.to - span.from),
		.sequence = span.seq,
		.timestamp_begin = span.begin,
		.timestamp_end = span.end,
		.events = span.events_end - span.events_begin,
		.discarded = span.discards,
	};
	return 0;
}
