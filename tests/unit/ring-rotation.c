/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A rotation, as the rings see it: what was written before belongs into the
 * chunk, also in a sub-buffer that is not full, whoever reads it and when; a
 * process that says that it is further than it can be delays nothing.
 */
#include <errno.h>
#include <poll.h>

#include <urcu.h>

#include "liblttngmap/event/ring-write.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/tap.h"

#define SUBBUF_SHIFT 12
#define SUBBUFS_SHIFT 2
#define SUBBUFS (1u << SUBBUFS_SHIFT)
#define RECORD 64
#define RECORDS (((1u << SUBBUF_SHIFT) - LTTNGMAP_SUBBUF_TAIL) / RECORD) /* in the first one */
/* In any other, which has a head. */
#define FEWER (((1u << SUBBUF_SHIFT) - LTTNGMAP_SUBBUF_HEAD - LTTNGMAP_SUBBUF_TAIL) / RECORD)

static struct bench_set bench;

static struct lttngmap_ring *ring_of(uint32_t ring)
{
	return (struct lttngmap_ring *)(bench.rings + ring * lttngmap_ring_stride(SUBBUFS));
}

static void set_up(enum lttngmap_mode mode)
{
	struct bench_set_config config = {
		.mode = mode,
		.clock = LTTNGMAP_CLOCK_MONOTONIC,
		.subbuf_shift = SUBBUF_SHIFT,
		.subbufs_shift = SUBBUFS_SHIFT,
	};

	bench_set_create(&bench, &config);
	ring_set_open_reader(bench.set);
}

static void tear_down(void)
{
	ring_set_close_reader(bench.set);
	bench_set_destroy(&bench);
}

/* Into one ring, by trylock: all others are held. */
static void emit(uint32_t into, unsigned events)
{
	uint32_t rings = bench.control->cpu_rings + LTTNGMAP_EXTRA_RINGS;
	char fields[RECORD - 8] = { 0 };

	for (uint32_t ring = 0; ring < rings; ring++)
		bench_set_hold(&bench, ring_of(ring), ring != into);
	while (events--)
		bench_set_write(&bench, &(struct ring_event){ fields, sizeof(fields), NULL, 1, 0 });
	for (uint32_t ring = 0; ring < rings; ring++)
		bench_set_hold(&bench, ring_of(ring), false);
}

/* As the consumer asks: full sub-buffers only. */
static int get_packet(struct lttngmap_packet *packet)
{
	*packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY };
	return ring_set_get_packet(bench.set, packet);
}

/* All that there is; -1: some of it is not of that chunk. */
static long drain(uint32_t chunk)
{
	struct lttngmap_packet packet;
	long events = 0;

	while (get_packet(&packet) == 0)
		events += packet.chunk == chunk ? (long)packet.events : -1000000;
	return events < 0 ? -1 : events;
}

static void test_partial(void)
{
	struct lttngmap_packet packet;
	long events[2] = { 0 };

	set_up(LTTNGMAP_MODE_DISCARD);
	emit(0, 5);
	emit(1, RECORDS + 3);
	emit(2, 3);
	is(ring_set_poll(bench.set), POLLIN, "there is one full sub-buffer");
	is(drain(0), RECORDS, "which is all that is given");
	emit(2, 3 * RECORDS - 3);
	ring_set_rotate(bench.set, 1);
	ok(!ring_set_rotated(bench.set), "rotated, the set waits to be read");
	is(ring_set_poll(bench.set), POLLIN, "says that there is something");
	emit(0, 2);
	emit(1, 2 * RECORDS);
	is(get_packet(&packet), 0, "and gives what is in a sub-buffer that is not full");
	is(packet.chunk, 0, "in the chunk before");
	ok(!ring_set_rotated(bench.set), "that is not over while the packet is held");
	ring_set_close_reader(bench.set);
	ok(!ring_set_rotated(bench.set), "nor when its reader went");
	ring_set_open_reader(bench.set);
	ring_set_rotate(bench.set, 1);
	while (get_packet(&packet) == 0)
		events[packet.chunk & 1] += (long)packet.events;
	ok(ring_set_rotated(bench.set), "read and released, it is");
	/* Of the second ring, the sub-buffer that the mark is in, no other. */
	is(events[0], 5 + 2 + FEWER + 3 * RECORDS, "all events of before are in the chunk");
	is(events[1], FEWER, "what is full by then is in the next");
	bench_set_stop(&bench);
	is(drain(1), 2 * RECORDS + 3 - 2 * FEWER, "as are all others");
	tear_down();
}

static void test_nothing(void)
{
	set_up(LTTNGMAP_MODE_DISCARD);
	ring_set_rotate(bench.set, 1);
	ok(ring_set_rotated(bench.set), "a set without events is rotated at once");
	emit(0, RECORDS + 1);
	is(drain(1), RECORDS, "what comes belongs into the next chunk");
	ring_set_rotate(bench.set, 2);
	ring_set_end_rotation(bench.set);
	ok(ring_set_rotated(bench.set), "one that is not waited for is rotated");
	bench_set_stop(&bench);
	is(drain(2), 1, "what it holds goes into the next chunk");
	tear_down();
}

static void test_losses(void)
{
	struct lttngmap_packet packet, last = { .events = 0 };
	uint64_t discards;

	set_up(LTTNGMAP_MODE_DISCARD);
	emit(0, SUBBUFS * RECORDS + 100);
	discards = ring_of(0)->discards;
	ok(discards > 0, "%d events are lost", (int)discards);
	ring_set_rotate(bench.set, 1);
	while (get_packet(&packet) == 0)
		last = packet;
	is(last.chunk, 0, "the chunk ends");
	is(last.discarded, discards, "with a packet that tells of all that was lost");
	emit(0, RECORDS);
	is(get_packet(&packet), 0, "a packet of the next chunk");
	ok(packet.chunk == 1 && packet.discarded == 0, "tells of none of these");
	emit(0, SUBBUFS * RECORDS + 100);
	discards = ring_of(0)->discards - discards;
	bench_set_stop(&bench);
	while (get_packet(&packet) == 0)
		last = packet;
	is(last.discarded, discards, "but of those that are lost then");
	tear_down();

	set_up(LTTNGMAP_MODE_DISCARD);
	emit(0, 5);
	ring_set_rotate(bench.set, 1);
	is(drain(0), 5, "all is read");
	/* As a writer does that finds all rings locked. */
	ring_of(0)->discards++;
	ring_set_rotate(bench.set, 2);
	is(get_packet(&packet), 0, "an event that is lost then, with nothing behind it");
	ok(packet.events == 0 && packet.discarded == 1 && packet.chunk == 1,
	   "is told by an empty packet of its chunk");
	ok(!ring_set_rotated(bench.set), "that is to be released, too");
	is(drain(2), 0, "which it is");
	ok(ring_set_rotated(bench.set), "then");
	tear_down();
}

static void test_overwritten(void)
{
	struct lttngmap_packet packet, last = { .events = 0 };
	long events[2] = { 0 };
	uint64_t lost = 0;

	set_up(LTTNGMAP_MODE_OVERWRITE);
	emit(0, 3 * SUBBUFS * RECORDS);
	ring_set_rotate(bench.set, 1);
	emit(0, 3 * SUBBUFS * RECORDS);
	bench_set_stop(&bench);
	while (get_packet(&packet) == 0) {
		events[packet.chunk] += (long)packet.events;
		if (packet.chunk != last.chunk)
			lost += last.discarded;
		last = packet;
	}
	ok(ring_set_rotated(bench.set), "a mark that was overwritten is passed");
	is(events[0] + events[1] + (long)(lost + last.discarded), 6 * SUBBUFS * RECORDS,
	   "and what was is told, once");
	tear_down();
}

/* One event in sub-buffer `seq`, which no writer has come to. */
static void feign(uint64_t seq, const struct lttngmap_packet *last, uint64_t events)
{
	uint32_t index = seq & (SUBBUFS - 1);
	uint64_t *slot = lttngmap_ring_slots(ring_of(0)) + index;
	uint32_t id = lttngmap_slot_id(*slot, index);
	struct lttngmap_subbuf *subbuf = lttngmap_ring_subbufs(ring_of(0), SUBBUFS) + id;

	*slot = lttngmap_slot_make(seq, LTTNGMAP_SLOT_WRITING, id, index);
	subbuf->seq = seq;
	subbuf->begin = last->timestamp_end;
	subbuf->end = last->timestamp_end;
	subbuf->events_begin = events;
	subbuf->events_end = events + 1;
	subbuf->content_size = lttngmap_subbuf_head(seq) + RECORD;
}

/* As far ahead as no ring can be, with whatever makes that look right. */
static void test_ahead(void)
{
	struct lttngmap_packet packet;
	uint64_t events = 0, packets = 0;

	set_up(LTTNGMAP_MODE_DISCARD);
	emit(0, 2 * RECORDS);
	ring_of(0)->commit[0] += UINT64_C(1000) << SUBBUF_SHIFT;
	ring_set_rotate(bench.set, 1);
	while (packets < 100 && get_packet(&packet) == 0 && packet.chunk == 0) {
		events += packet.events;
		if (++packets >= 2)
			feign(packets, &packet, events);
	}
	ok(packets < 10, "a rotation waits for %d packets of a ring that makes up more",
	   (int)packets);
	ok(ring_set_rotated(bench.set), "and no longer");
	is(bench.totals.closed_rings, 0, "though all looks right");
	tear_down();
}

static void test_hostile(void)
{
	struct lttngmap_packet packet;
	int packets = 0;

	set_up(LTTNGMAP_MODE_DISCARD);
	emit(0, 2 * RECORDS);
	ring_of(0)->commit[0] += UINT64_C(1000) << SUBBUF_SHIFT;
	ring_set_rotate(bench.set, 1);
	while (packets < 100 && get_packet(&packet) == 0)
		packets++;
	ok(ring_set_rotated(bench.set),
	   "a ring that claims to be far ahead is waited for no longer");
	ok(packets < 10, "than for %d packets", packets);
	tear_down();

	set_up(LTTNGMAP_MODE_DISCARD);
	emit(0, 10);
	ring_set_rotate(bench.set, 1);
	ring_of(0)->commit[0] -= RECORD;
	is(drain(0), 10, "one that goes back behind its mark is not believed");
	ok(ring_set_rotated(bench.set), "and not waited for");
	is(bench.totals.closed_rings, 0, "nor closed");
	tear_down();
}

int main(void)
{
	rcu_register_thread();
	ring_set_table_create();
	test_partial();
	test_nothing();
	test_losses();
	test_overwritten();
	test_ahead();
	test_hostile();
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
