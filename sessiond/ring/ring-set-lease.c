/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-set-lease.c - the packets that a set's reader has.
 *
 * The first of them was taken by an exchange, as there is a reader sub-buffer for one; those
 * behind it stay in the rotation, where they keep writers out, until they are let go of.
 *
 * Letting go of such a one is two steps: it is noted as `freed` with all that a change
 * makes, and then made free in the ring's table. In the other order, a daemon that is killed
 * between them would give it again while it is being written; in this one, the restarted daemon
 * does the second step, once more if need be.
 */
#include "sessiond/ring/ring-set-private.h"

#include <errno.h>

void ring_set_account_freed(struct ring_set *set)
{
	struct in_flight *in_flight = set->in_flight;

	if (in_flight->frees)
		ring_reader_free(&set->readers[in_flight->freed_cpu], &in_flight->freed);
	in_flight->frees = false;
}

static void promote(struct ring_set *set)
{
	struct in_flight *in_flight = set->in_flight;

	in_flight->overrun = false;
	in_flight->holds = in_flight->from < in_flight->to;
	if (!in_flight->holds)
		return;
	in_flight->current = set->saved->more[in_flight->from].packet;
	in_flight->lease = set->saved->more[in_flight->from].lease;
	in_flight->from++;
}

void ring_set_release_current(struct ring_set *set)
{
	struct ring_saved *saved = set->saved;
	struct in_flight *in_flight = &saved->in_flight;
	struct ring_reader *reader = &saved->readers[in_flight->current.cpu];
	bool is_counted = !in_flight->forgotten && !in_flight->overrun;
	uint64_t events = in_flight->current.events;

	if (!in_flight->holds)
		return;
	saved->before = *in_flight;
	ring_undo_begin(&saved->undo, reader);
	ring_reader_release(reader, &in_flight->lease);
	in_flight->frees = in_flight->lease.stays;
	in_flight->freed = in_flight->lease;
	in_flight->freed_cpu = in_flight->current.cpu;
	if (is_counted)
		in_flight->delivered += events;
	else if (!in_flight->forgotten)
		/* The ring's next packet tells of them, as of all that were overwritten. */
		reader->account.overwritten += events;
	promote(set);
	ring_undo_end(&saved->undo);
	ring_set_account_freed(set);
	if (is_counted && set->config.totals)
		__atomic_add_fetch(&set->config.totals->delivered, events, __ATOMIC_RELAXED);
}

void ring_set_release(struct ring_set *set)
{
	for (; set->given > 0; set->given--)
		ring_set_release_current(set);
}

void ring_set_place_packet(const struct ring_set *set, uint32_t ring,
			   struct lttngmap_packet *packet)
{
	packet->cpu = ring;
	packet->subbuf_id += ring * ((1u << set->config.subbufs_shift) + 1);
	if (!set->config.by_rseq || ring >= set->config.cpu_rings)
		packet->flags |= LTTNGMAP_PACKET_ANY_CPU;
}

uint32_t ring_set_user_of(const struct ring_set *set, uint32_t ring, uint64_t seq,
			  const struct lttngmap_packet *packet)
{
	uint64_t begin = (seq << set->config.subbuf_shift) + packet->offset;

	return begin + packet->length / 2 < set->readers[ring].user_mark ? set->saved->user_before
									 : set->config.uid;
}

/* Adds the data that the reader cannot know. */
static void complete(const struct ring_set *set, uint32_t ring, const struct ring_lease *lease,
		     struct lttngmap_packet *packet)
{
	const struct ring_totals *totals = set->config.totals;

	ring_set_place_packet(set, ring, packet);
	packet->pid = set->config.pid;
	packet->uid = ring_set_user_of(set, ring, lease->seq, packet);
	packet->chunk = set->saved->chunk;
	if (totals)
		packet->metadata_generation =
			__atomic_load_n(&totals->metadata_generation, __ATOMIC_ACQUIRE);
}

int ring_set_take_from(struct ring_set *set, uint32_t ring, bool partial)
{
	struct ring_saved *saved = set->saved;
	struct ring_reader *reader = &saved->readers[ring];
	struct in_flight *in_flight = &saved->in_flight;
	int result;

	if (reader->is_corrupt)
		return -EAGAIN;
	saved->before = *in_flight;
	result = ring_reader_take(reader, partial, &in_flight->current, &in_flight->lease);
	if (reader->is_corrupt)
		ring_set_close_ring(set, ring);
	if (result == 0) {
		complete(set, ring, &in_flight->lease, &in_flight->current);
		in_flight->from = in_flight->to = 0;
		in_flight->overrun = false;
		in_flight->forgotten = false;
		in_flight->holds = true;
	}
	ring_undo_end(&saved->undo);
	return result < 0 ? -EAGAIN : 0;
}

/* One more of the ring that the others are of; false: there is none now. */
static bool take_more(struct ring_set *set)
{
	struct ring_saved *saved = set->saved;
	struct in_flight *in_flight = &saved->in_flight;
	struct ring_reader *reader = &saved->readers[in_flight->current.cpu];
	struct in_flight_more *more = &saved->more[in_flight->to];
	int result;

	/* Packets beyond the mark belong to the next chunk. */
	if (reader->is_corrupt || (saved->rotating && ring_reader_has_passed(reader)))
		return false;
	saved->before = *in_flight;
	result = ring_reader_take_more(reader, &more->packet, &more->lease);
	if (reader->is_corrupt)
		ring_set_close_ring(set, in_flight->current.cpu);
	if (result == 0) {
		complete(set, in_flight->current.cpu, &more->lease, &more->packet);
		in_flight->to++;
	}
	ring_undo_end(&saved->undo);
	return result == 0;
}

uint32_t ring_set_give(struct ring_set *set, struct lttngmap_packet *packets, uint32_t most)
{
	const struct in_flight *in_flight = set->in_flight;
	/* Writers wait for those that stay. */
	uint32_t quarter = (1u << set->config.subbufs_shift) / 4, count;
	/* Packets with a layout are checked one by one. */
	bool is_alone = set->config.layout;

	while (!is_alone && in_flight_count(in_flight) < most &&
	       in_flight_count(in_flight) < quarter && in_flight->to < IN_FLIGHT_MORE_MAX)
		if (!take_more(set))
			break;
	count = is_alone ? 1 : in_flight_count(in_flight);
	if (count > most)
		count = most;
	packets[0] = in_flight->current;
	for (uint32_t i = 1; i < count; i++)
		packets[i] = set->saved->more[in_flight->from + i - 1].packet;
	return count;
}
