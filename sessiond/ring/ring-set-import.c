/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/ring/ring-set-import.h"

#include <stddef.h>
#include <string.h>

#include "sessiond/ring/ring-set-private.h"

static uint32_t rings_of(const struct ring_import *import)
{
	return import->cpu_rings + LTTNGMAP_EXTRA_RINGS;
}

static uint32_t subbufs_of(const struct ring_import *import)
{
	return 1u << import->subbufs_shift;
}

static uint32_t content_max(const struct ring_import *import)
{
	return (1u << import->subbuf_shift) - LTTNGMAP_SUBBUF_TAIL;
}

/* Any byte may stand there, of which a bool may have two. */
static void mend_bool(bool *value)
{
	unsigned char byte;

	memcpy(&byte, value, 1);
	*value = byte != 0;
}

static bool is_position(const struct ring_import *import, uint64_t position)
{
	return position <= LTTNGMAP_POSITION_MASK &&
	       (position & ((1u << import->subbuf_shift) - 1)) <= content_max(import);
}

/* True for a count of events that is so small that sums do not overflow. */
static bool is_count(uint64_t count)
{
	return count <= LTTNGMAP_POSITION_MASK;
}

/* Counts only grow. */
static bool check_account(const struct ring_reader *reader)
{
	const struct ring_account *now = &reader->account, *before = &reader->cleared;

	return is_count(now->overwritten) && is_count(now->discarded) &&
	       before->overwritten <= now->overwritten && before->discarded <= now->discarded &&
	       before->written <= now->written && before->cut <= now->cut && is_count(now->cut) &&
	       is_count(reader->lost_before_most);
}

static bool check_reader(const struct ring_import *import, struct ring_reader *reader)
{
	mend_bool(&reader->frozen);
	mend_bool(&reader->out);
	/* The text was the daemon's that is gone. */
	reader->is_corrupt = reader->is_corrupt ? "it had been closed before" : NULL;
	reader->geometry = NULL;
	reader->ring = NULL;
	return reader->seq <= LTTNGMAP_POSITION_MASK >> import->subbuf_shift &&
	       reader->end <= RING_PAST_LATEST && is_count(reader->discards) &&
	       check_account(reader) && reader->offset <= content_max(import) &&
	       reader->reader_subbuf <= subbufs_of(import) &&
	       (!reader->out || reader->out_id <= subbufs_of(import)) &&
	       is_position(import, reader->last.position) &&
	       reader->last.timestamp <= LTTNGMAP_TIMESTAMP_MASK &&
	       (!reader->frozen || (is_position(import, reader->limit.position) &&
				    reader->limit.timestamp <= LTTNGMAP_TIMESTAMP_MASK));
}

static bool check_lease(const struct ring_import *import, struct ring_lease *lease)
{
	mend_bool(&lease->swapped);
	mend_bool(&lease->stays);
	return lease->id <= subbufs_of(import) &&
	       lease->seq <= LTTNGMAP_POSITION_MASK >> import->subbuf_shift;
}

static bool check_packet(const struct ring_import *import, const struct lttngmap_packet *packet,
			 struct ring_lease *lease)
{
	return check_lease(import, lease) && packet->cpu < rings_of(import) &&
	       packet->subbuf_id / (subbufs_of(import) + 1) == packet->cpu &&
	       packet->timestamp_begin <= packet->timestamp_end &&
	       packet->timestamp_end <= RING_PAST_LATEST && is_count(packet->discarded) &&
	       is_count(packet->events) && packet->offset <= content_max(import) &&
	       packet->length <= content_max(import) - packet->offset;
}

/* `more`: what both hands have. */
static bool check_in_flight(const struct ring_import *import, struct in_flight *in_flight,
			    struct in_flight_more *more)
{
	mend_bool(&in_flight->holds);
	mend_bool(&in_flight->overrun);
	mend_bool(&in_flight->forgotten);
	mend_bool(&in_flight->frees);
	if (in_flight->frees &&
	    (in_flight->freed_cpu >= rings_of(import) || !check_lease(import, &in_flight->freed)))
		return false;
	if (!in_flight->holds)
		return true;
	if (in_flight->from > in_flight->to || in_flight->to > IN_FLIGHT_MORE_MAX ||
	    !check_packet(import, &in_flight->current, &in_flight->lease))
		return false;
	for (uint32_t i = in_flight->from; i < in_flight->to; i++)
		if (more[i].packet.cpu != in_flight->current.cpu ||
		    !check_packet(import, &more[i].packet, &more[i].lease))
			return false;
	return true;
}

/* Which reader the copy is of; -1: there is none such. */
static int64_t undo_index(const struct ring_import *import, const struct ring_undo *undo)
{
	uint64_t first = import->address + offsetof(struct ring_saved, readers);
	uint64_t offset = (uint64_t)(uintptr_t)undo->reader - first;

	if (offset % sizeof(struct ring_reader) != 0 ||
	    offset / sizeof(struct ring_reader) >= rings_of(import))
		return -1;
	return (int64_t)(offset / sizeof(struct ring_reader));
}

static bool check_undo(const struct ring_import *import, struct ring_saved *saved)
{
	struct ring_undo *undo = &saved->undo;

	mend_bool(&undo->in_force);
	mend_bool(&undo->swapping);
	if (!undo->in_force)
		return true;
	return undo_index(import, undo) >= 0 && check_reader(import, &undo->before) &&
	       check_in_flight(import, &saved->before, saved->more) &&
	       (!undo->swapping ||
		(undo->swap_id <= subbufs_of(import) &&
		 undo->swap_seq <= LTTNGMAP_POSITION_MASK >> import->subbuf_shift));
}

/* Counts only grow. */
static bool check_counts(const struct ring_saved *saved)
{
	const struct ring_totals *base = &saved->base;

	return base->written <= saved->told.written && base->discarded <= saved->told.discarded &&
	       base->overwritten <= saved->told.overwritten && base->cut <= saved->told.cut &&
	       base->delivered <= saved->in_flight.delivered && base->closed_rings <= saved->closed;
}

const char *ring_set_import(const struct ring_import *import, struct ring_saved *to)
{
	struct ring_saved *saved = import->saved;
	int64_t undone;

	mend_bool(&saved->rotating);
	if (!check_in_flight(import, &saved->in_flight, saved->more))
		return "the packet that was being read cannot be";
	if (!check_undo(import, saved))
		return "what was being read cannot be";
	if (!check_counts(saved))
		return "its counts cannot be";
	for (uint32_t i = 0; i < rings_of(import); i++)
		if (!check_reader(import, &saved->readers[i]))
			return "a place up to which it was read cannot be";
	undone = saved->undo.in_force ? undo_index(import, &saved->undo) : -1;
	memcpy(to, saved, ring_set_saved_size(import->cpu_rings));
	for (uint32_t i = 0; i < rings_of(import); i++)
		to->readers[i].undo = &to->undo;
	to->undo.before.undo = &to->undo;
	to->undo.reader = undone >= 0 ? &to->readers[undone] : NULL;
	return NULL;
}
