/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Several packets at a time: which, how many, what writers have of the ring meanwhile, and
 * what becomes of them where their reader goes, the ring is cleared or goes into another
 * chunk, its table is spoiled, or the daemon is killed.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <urcu.h>

#include "liblttngmap/event/ring-write.h"
#include "sessiond/ring/ring-set-private.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/tap.h"

#define SUBBUF_SHIFT 12
#define SUBBUFS_SHIFT 4
#define SUBBUFS (1u << SUBBUFS_SHIFT)
#define QUARTER (SUBBUFS / 4)
#define RECORD 64
#define RECORDS (((1u << SUBBUF_SHIFT) - LTTNGMAP_SUBBUF_TAIL) / RECORD) /* in the first one */
/* In any other, which has a head. */
#define FEWER (((1u << SUBBUF_SHIFT) - LTTNGMAP_SUBBUF_HEAD - LTTNGMAP_SUBBUF_TAIL) / RECORD)

static struct bench_set bench;
static struct ring_saved *saved;
static uint64_t emitted, seen;

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
		.saved = saved,
	};

	memset(saved, 0, ring_set_saved_size((uint32_t)sysconf(_SC_NPROCESSORS_CONF)));
	bench_set_create(&bench, &config);
	ring_set_open_reader(bench.set);
	/* All into the first ring, by trylock. */
	for (uint32_t i = 1; i < bench.control->cpu_rings + LTTNGMAP_EXTRA_RINGS; i++)
		bench_set_hold(&bench, ring_of(i), true);
	emitted = seen = 0;
}

static void tear_down(void)
{
	ring_set_close_reader(bench.set);
	bench_set_destroy(&bench);
}

/* Numbered records. */
static void emit(unsigned events)
{
	uint64_t fields[(RECORD - 8) / 8] = { 0 };

	for (; events > 0; events--) {
		fields[0] = emitted++;
		bench_set_write(&bench, &(struct ring_event){ fields, sizeof(fields), NULL, 1, 0 });
	}
}

/* So many sub-buffers are full, of a ring in which nothing was. */
static void fill(unsigned subbufs)
{
	emit(RECORDS + (subbufs - 1) * FEWER + 1);
}

static int get(struct lttngmap_packets *packets, uint32_t most)
{
	*packets = (struct lttngmap_packets){
		.count = most,
		.packets = { { .cpu = LTTNGMAP_CPU_ANY } },
	};
	return ring_set_get_packets(bench.set, packets);
}

static int get_one(struct lttngmap_packet *packet)
{
	*packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY };
	return ring_set_get_packet(bench.set, packet);
}

/* Does the packet have the records that come next? */
static bool is_next(const struct lttngmap_packet *packet)
{
	const char *at =
		bench.data + 4096 + ((uint64_t)packet->subbuf_id << SUBBUF_SHIFT) + packet->offset;
	bool good = packet->events * RECORD == packet->length;

	for (uint32_t i = 0; i < packet->events; i++, at += RECORD) {
		uint64_t number;

		memcpy(&number, at + 8, sizeof(number));
		good = good && number == seen++;
	}
	return good;
}

static bool are_next(const struct lttngmap_packets *packets, uint64_t sequence)
{
	bool good = true;

	for (uint32_t i = 0; i < packets->count; i++)
		good = good && packets->packets[i].sequence == sequence + i &&
		       is_next(&packets->packets[i]);
	return good;
}

static bool says_last(const struct lttngmap_packets *packets)
{
	return packets->packets[packets->count - 1].flags & LTTNGMAP_PACKET_LAST;
}

static uint64_t discarded(void)
{
	return ring_of(0)->discards;
}

static void test_counts(void)
{
	struct lttngmap_packets packets;

	set_up(LTTNGMAP_MODE_DISCARD);
	is(get(&packets, 0), -EINVAL, "no packet is not to be had");
	is(get(&packets, LTTNGMAP_PACKETS_MAX + 1), -EINVAL, "nor more than there is room for");
	is(get(&packets, 8), -EAGAIN, "of an empty ring, none");
	fill(7);
	is(get(&packets, 2), 0, "several are");
	ok(packets.count == 2 && are_next(&packets, 0), "as many as are asked for");
	is(get(&packets, LTTNGMAP_PACKETS_MAX), 0, "then the next ones");
	ok(packets.count == QUARTER && are_next(&packets, 2), "no more than a quarter of the ring");
	is(bench.totals.delivered, RECORDS + FEWER, "those before are delivered");
	is(get(&packets, LTTNGMAP_PACKETS_MAX), 0, "and the last");
	ok(packets.count == 1 && are_next(&packets, 6), "which are no more than there are");
	is(ring_set_poll(bench.set), 0, "nothing is ready then");
	is(get(&packets, LTTNGMAP_PACKETS_MAX), -EAGAIN, "what is not full is not given");
	bench_set_stop(&bench);
	is(get(&packets, LTTNGMAP_PACKETS_MAX), 0, "before a stop");
	ok(packets.count == 1 && are_next(&packets, 7), "… by itself");
	ok(!ring_set_drained(bench.set), "held, it is not all");
	is(get(&packets, LTTNGMAP_PACKETS_MAX), -EAGAIN, "there is no more");
	ok(ring_set_drained(bench.set), "let go of, it is");
	is(bench.totals.delivered, emitted, "each event was delivered");
	tear_down();
}

/* Who looks by itself is told when it need not ask again at once. */
static void test_last(void)
{
	struct lttngmap_packets packets;

	set_up(LTTNGMAP_MODE_DISCARD);
	fill(3);
	get(&packets, 2);
	ok(!says_last(&packets), "where more is full, no packet is said to be the last");
	get(&packets, 2);
	ok(packets.count == 1 && says_last(&packets), "where none is, one is");
	emit(3 * FEWER);
	get(&packets, 3);
	ok(says_last(&packets) && !(packets.packets[0].flags & LTTNGMAP_PACKET_LAST),
	   "of several, that is the last one");
	ring_set_close_reader(bench.set);
	ring_set_open_reader(bench.set);
	get(&packets, 2);
	ok(!says_last(&packets),
	   "given again, as few as the next reader asks for, they are not all");
	get(&packets, 2);
	emit(FEWER);
	ring_set_rotate(bench.set, 1);
	get(&packets, 2);
	ok(packets.count == 1 && !says_last(&packets), "in front of a rotation, none is");
	get(&packets, 2);
	ok(packets.count == 1 && !says_last(&packets), "nor while the rotation waits for one");
	emit(FEWER);
	bench_set_stop(&bench);
	get(&packets, 2);
	get(&packets, 2);
	ok(packets.count == 1 && !says_last(&packets), "nor when the ring was stopped");
	tear_down();
}

/* One by the exchange for the spare sub-buffer; the others are the writers' when released. */
static void test_room(void)
{
	struct lttngmap_packets packets;
	uint64_t before;
	uint32_t space;

	set_up(LTTNGMAP_MODE_DISCARD);
	emit(2 * SUBBUFS * RECORDS);
	before = discarded();
	ok(before > 0, "a full ring discards");
	get(&packets, LTTNGMAP_PACKETS_MAX);
	is(packets.count, QUARTER, "while some are held");
	emit(2 * FEWER);
	is(discarded() - before, FEWER, "writers have one sub-buffer more");
	seen = 0;
	ok(are_next(&packets, 0), "and spare what is held");
	before = discarded();
	space = ring_of(0)->space;
	get(&packets, 1);
	is(ring_of(0)->space - space, QUARTER, "who waits for room is told of each released");
	emit((QUARTER + 2) * FEWER);
	is(discarded() - before, 2 * FEWER, "released, they have those, and one for the next");
	bench_set_stop(&bench);
	while (get(&packets, LTTNGMAP_PACKETS_MAX) == 0)
		;
	is(bench.totals.delivered + bench.totals.discarded, emitted, "emitted = kept + lost");
	is(bench.totals.closed_rings, 0, "no ring was found spoiled");
	tear_down();
}

static void test_other_reader(void)
{
	struct lttngmap_packets packets, again;
	struct lttngmap_packet one;

	set_up(LTTNGMAP_MODE_DISCARD);
	fill(6);
	get(&packets, 3);
	ring_set_close_reader(bench.set);
	is(ring_set_poll(bench.set), POLLIN, "a reader went: there is something to read");
	ring_set_open_reader(bench.set);
	is(get(&again, 2), 0, "the next is given again");
	ok(again.count == 2 && memcmp(again.packets, packets.packets, 2 * sizeof(one)) == 0,
	   "the same packets, as many as it asks for");
	ring_set_close_reader(bench.set);
	ring_set_open_reader(bench.set);
	is(get_one(&one), 0, "one that takes one at a time");
	ok(memcmp(&one, &packets.packets[0], sizeof(one)) == 0, "is given the first");
	is(ring_set_poll(bench.set), POLLIN, "and has more to take");
	is(bench.totals.delivered, 0, "none was let go of so far");
	get_one(&one);
	ok(memcmp(&one, &packets.packets[1], sizeof(one)) == 0, "which is the second");
	is(bench.totals.delivered, RECORDS, "the first is let go of then, and no other");
	get(&again, LTTNGMAP_PACKETS_MAX);
	ok(again.count == QUARTER &&
		   memcmp(&again.packets[0], &packets.packets[2], sizeof(one)) == 0,
	   "the third, and what follows it");
	seen = RECORDS + FEWER;
	ok(are_next(&again, 2), "in order");
	tear_down();
}

/* One that was given in part before it was full, and one that is lost while it is held. */
static void test_odd(void)
{
	struct lttngmap_packets packets;

	set_up(LTTNGMAP_MODE_DISCARD);
	emit(RECORDS);
	packets.count = LTTNGMAP_PACKETS_MAX;
	packets.packets[0] = (struct lttngmap_packet){ .flags = LTTNGMAP_PACKET_PARTIAL };
	is(ring_set_get_packets(bench.set, &packets), 0,
	   "all of a sub-buffer is given as it fills");
	emit(2 * FEWER + 1);
	ring_set_close_reader(bench.set);
	ring_set_open_reader(bench.set);
	get(&packets, LTTNGMAP_PACKETS_MAX);
	ok(packets.count == 1 && are_next(&packets, 0), "and again, with nothing behind it");
	get(&packets, LTTNGMAP_PACKETS_MAX);
	ok(packets.count == 2 && are_next(&packets, 1), "then what follows");
	bench.set->in_flight->overrun = true;
	get(&packets, LTTNGMAP_PACKETS_MAX);
	is(bench.totals.overwritten, FEWER, "one that was lost does not take along the next");
	is(bench.totals.delivered, RECORDS + FEWER, "which is delivered");
	tear_down();
}

/* Nothing of before, and each sub-buffer in one place: the ring is gone round twice afterwards. */
static void test_clear(uint32_t most)
{
	struct ring_totals totals = { .metadata_generation = 1 };
	struct lttngmap_packets packets;
	uint64_t before;

	set_up(LTTNGMAP_MODE_DISCARD);
	fill(9);
	get(&packets, most);
	before = emitted;
	ring_set_clear(bench.set, &totals);
	diag("cleared while a reader has %u at most", most);
	is(ring_set_check_packet(bench.set), -ESTALE, "what a reader has is no more");
	is(ring_set_poll(bench.set), 0, "there is nothing to read");
	for (int i = 0; i < 6; i++) {
		emit(6 * FEWER);
		while (get(&packets, most) == 0)
			;
	}
	is(discarded(), 0, "the ring has all of its room");
	bench_set_stop(&bench);
	while (get(&packets, most) == 0)
		;
	is(totals.delivered, emitted - before, "all that comes afterwards is given");
	is(totals.closed_rings, 0, "and the ring is good");
	tear_down();
}

static void test_clear_ungiven(void)
{
	struct ring_totals totals = { .metadata_generation = 1 };
	struct lttngmap_packets packets;
	struct lttngmap_packet one;

	set_up(LTTNGMAP_MODE_DISCARD);
	fill(6);
	get(&packets, 3);
	ring_set_close_reader(bench.set);
	ring_set_open_reader(bench.set);
	get_one(&one);
	ring_set_clear(bench.set, &totals);
	is(get_one(&one), -EAGAIN, "what a reader has not been given yet is gone, too");
	emit((SUBBUFS - 1) * FEWER);
	is(discarded(), 0, "and its room is the writers'");
	tear_down();
}

static void test_rotation(void)
{
	struct lttngmap_packets packets;

	set_up(LTTNGMAP_MODE_DISCARD);
	fill(2);
	ring_set_rotate(bench.set, 1);
	emit(3 * FEWER);
	get(&packets, LTTNGMAP_PACKETS_MAX);
	is(packets.count, 3, "of a chunk that ends, all is given");
	ok(packets.packets[0].chunk == 0 && packets.packets[2].chunk == 0 && are_next(&packets, 0),
	   "and nothing beyond");
	ok(!ring_set_rotated(bench.set), "while they are held, it has not ended");
	get(&packets, LTTNGMAP_PACKETS_MAX);
	ok(ring_set_rotated(bench.set), "released, it has");
	ok(packets.count == 2 && packets.packets[1].chunk == 1, "and the next begins");
	ok(ring_set_flush(bench.set), "a flush waits");
	while (get(&packets, LTTNGMAP_PACKETS_MAX) == 0 && !ring_set_flushed(bench.set))
		emit(1);
	ok(ring_set_flushed(bench.set), "until what there was is let go of");
	tear_down();
	set_up(LTTNGMAP_MODE_DISCARD);
	emit(RECORDS + 2 * FEWER);
	ring_set_flush(bench.set);
	emit(1);
	get(&packets, LTTNGMAP_PACKETS_MAX);
	is(packets.count, 3, "several are held of what there was at a flush");
	ok(!ring_set_flushed(bench.set), "it waits for them");
	ring_set_close_reader(bench.set);
	ring_set_open_reader(bench.set);
	get(&packets, 2);
	get(&packets, 1);
	ok(!ring_set_flushed(bench.set), "for the last of them, too");
	get(&packets, 1);
	ok(ring_set_flushed(bench.set), "and no longer");
	tear_down();
	set_up(LTTNGMAP_MODE_DISCARD);
	ring_set_flush(bench.set);
	ok(ring_set_flushed(bench.set), "of an empty ring, at once");
	fill(2);
	get(&packets, 1);
	ok(ring_set_flushed(bench.set), "whatever comes then");
	tear_down();
}

static void test_overwrite(void)
{
	struct lttngmap_packets packets;

	set_up(LTTNGMAP_MODE_OVERWRITE);
	fill(8);
	is(get(&packets, LTTNGMAP_PACKETS_MAX), 0, "of a ring that is overwritten");
	is(packets.count, 1, "there is one at a time");
	packets.count = LTTNGMAP_PACKETS_MAX;
	packets.packets[0] = (struct lttngmap_packet){ .flags = LTTNGMAP_PACKET_BACKWARD };
	is(ring_set_get_packets(bench.set, &packets), 0, "looking back");
	is(packets.count, 1, "there is one, too");
	tear_down();
}

static void test_spoiled(void)
{
	struct lttngmap_packets packets;
	uint64_t *slots;

	set_up(LTTNGMAP_MODE_DISCARD);
	fill(8);
	slots = lttngmap_ring_slots(ring_of(0));
	slots[2] = lttngmap_slot_make(99, LTTNGMAP_SLOT_WRITING, 2, 2);
	is(get(&packets, LTTNGMAP_PACKETS_MAX), 0, "a table that is damaged");
	is(packets.count, 2, "ends what is given at a time");
	slots[1] = 0;
	is(get(&packets, LTTNGMAP_PACKETS_MAX), -EAGAIN, "and the ring");
	is(bench.totals.closed_rings, 1, "which is closed");
	is(slots[1], 0, "what is not as it was is left alone");
	is(ring_of(0)->space, LTTNGMAP_SPACE_CLOSED, "nobody waits for room in it");
	tear_down();
	set_up(LTTNGMAP_MODE_DISCARD);
	fill(8);
	lttngmap_ring_subbufs(ring_of(0), SUBBUFS)[2].events_end = 1;
	get(&packets, LTTNGMAP_PACKETS_MAX);
	ok(packets.count == 2 && bench.totals.closed_rings == 1,
	   "so does a descriptor that is wrong");
	is(get(&packets, LTTNGMAP_PACKETS_MAX), -EAGAIN, "what was given before is let go of");
	is(bench.totals.delivered, RECORDS + FEWER, "and delivered");
	is(ring_of(0)->space, LTTNGMAP_SPACE_CLOSED, "nobody waits for room in it either");
	tear_down();
}

static void test_next_life(void)
{
	struct lttngmap_packets packets, again;

	set_up(LTTNGMAP_MODE_DISCARD);
	fill(9);
	get(&packets, 3);
	bench_set_restore(&bench);
	is(get(&again, LTTNGMAP_PACKETS_MAX), 0, "a daemon that was killed gives them again");
	ok(again.count == QUARTER &&
		   memcmp(again.packets, packets.packets, 3 * sizeof(again.packets[0])) == 0,
	   "and more");
	seen = 0;
	ok(are_next(&again, 0), "as they were");
	get(&packets, LTTNGMAP_PACKETS_MAX);
	ok(are_next(&packets, QUARTER), "then the next ones");
	is(bench.totals.delivered, RECORDS + (QUARTER - 1) * FEWER, "each counts once");
	tear_down();
}

/* Killed when a packet was let go of, and its sub-buffer not free yet. */
static void test_half_free(void)
{
	struct lttngmap_packets packets;
	uint64_t *slots, slot;

	set_up(LTTNGMAP_MODE_DISCARD);
	fill(9);
	slots = lttngmap_ring_slots(ring_of(0));
	get(&packets, 2);
	slot = slots[1];
	get(&packets, 2);
	is(lttngmap_slot_state(slots[1], 1), LTTNGMAP_SLOT_FREE, "a sub-buffer is free again");
	slots[1] = slot;
	saved->in_flight.frees = true;
	bench_set_restore(&bench);
	is(lttngmap_slot_state(slots[1], 1), LTTNGMAP_SLOT_FREE, "the next life sees to it");
	emit(9 * FEWER);
	slot = slots[1];
	is(lttngmap_slot_seq(slot), SUBBUFS + 1, "where it is written again");
	saved->in_flight.frees = true;
	bench_set_restore(&bench);
	is(slots[1], slot, "no other life takes it away");
	tear_down();
}

int main(void)
{
	saved = calloc(1, ring_set_saved_size((uint32_t)sysconf(_SC_NPROCESSORS_CONF)));
	if (!saved)
		bail_out("no memory");
	rcu_register_thread();
	ring_set_table_create();
	test_counts();
	test_last();
	test_room();
	test_other_reader();
	test_odd();
	test_clear(1);
	test_clear(LTTNGMAP_PACKETS_MAX);
	test_clear_ungiven();
	test_rotation();
	test_overwrite();
	test_spoiled();
	test_next_life();
	test_half_free();
	ring_set_table_destroy();
	rcu_unregister_thread();
	free(saved);
	return done_testing();
}
