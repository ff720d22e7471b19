/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A process that damages its own ring control: each check of the reader is
 * fired once, closes that one ring, and the other rings go on. Then random
 * damage, many times: no packet ever points outside of its sub-buffer.
 */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <urcu.h>

#include "liblttngmap/event/ring-write.h"
#include "common/base/clock.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/tap.h"

#define SUBBUF_SHIFT 12
#define SUBBUFS_SHIFT 2
#define SUBBUFS (1u << SUBBUFS_SHIFT)
#define RECORD 64

static struct bench_set bench;

static struct lttngmap_ring *ring_of(uint32_t ring)
{
	return (struct lttngmap_ring *)(bench.rings + ring * lttngmap_ring_stride(SUBBUFS));
}

static struct lttngmap_subbuf *subbuf_of(uint32_t ring, uint32_t id)
{
	return lttngmap_ring_subbufs(ring_of(ring), SUBBUFS) + id;
}

/* Events into ring 0, by trylock: all others are held. */
static void fill_ring(unsigned events)
{
	uint32_t rings = bench.control->cpu_rings + LTTNGMAP_EXTRA_RINGS;
	char fields[RECORD - 8] = { 0 };

	for (uint32_t ring = 1; ring < rings; ring++)
		bench_set_hold(&bench, ring_of(ring), true);
	while (events--)
		bench_set_write(&bench, &(struct ring_event){ fields, sizeof(fields), NULL, 1, 0 });
	for (uint32_t ring = 1; ring < rings; ring++)
		bench_set_hold(&bench, ring_of(ring), false);
}

static void set_up(enum lttngmap_mode mode)
{
	struct bench_set_config config = {
		.mode = mode,
		.clock = LTTNGMAP_CLOCK_TSC,
		.subbuf_shift = SUBBUF_SHIFT,
		.subbufs_shift = SUBBUFS_SHIFT,
	};

	bench_set_create(&bench, &config);
	/* Two full sub-buffers and a bit. */
	fill_ring(2 * (((1 << SUBBUF_SHIFT) - 8) / RECORD) + 5);
}

static int get_packet(struct lttngmap_packet *packet)
{
	*packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY,
					    .flags = LTTNGMAP_PACKET_PARTIAL };
	return ring_set_get_packet(bench.set, packet);
}

/* ---- one guard each --------------------------------------------------------- */

static void position_beyond_end(void)
{
	ring_of(0)->commit[0] |= (1 << SUBBUF_SHIFT) - 1;
}

static void discards_back(void)
{
	struct lttngmap_packet packet;

	ring_of(0)->discards = 10;
	get_packet(&packet);
	ring_of(0)->discards = 9;
}

static void slot_sequence_ahead(void)
{
	lttngmap_ring_slots(ring_of(0))[0] = lttngmap_slot_make(4, LTTNGMAP_SLOT_WRITING, 0, 0);
}

static void slot_sequence_behind(void)
{
	struct lttngmap_packet packet;

	get_packet(&packet);
	lttngmap_ring_slots(ring_of(0))[1] = lttngmap_slot_make(0, LTTNGMAP_SLOT_WRITING, 1, 1);
}

static void slot_state_free(void)
{
	lttngmap_ring_slots(ring_of(0))[0] = lttngmap_slot_make(0, LTTNGMAP_SLOT_FREE, 0, 0);
}

static void slot_state_unknown(void)
{
	lttngmap_ring_slots(ring_of(0))[0] =
		lttngmap_slot_make(0, (enum lttngmap_slot_state)9, 0, 0);
}

static void slot_id_outside(void)
{
	lttngmap_ring_slots(ring_of(0))[0] =
		lttngmap_slot_make(0, LTTNGMAP_SLOT_WRITING, SUBBUFS + 1, 0);
}

static void current_slot_id_outside(void)
{
	struct lttngmap_packet packet;

	get_packet(&packet);
	get_packet(&packet);
	lttngmap_ring_slots(ring_of(0))[2] =
		lttngmap_slot_make(2, LTTNGMAP_SLOT_WRITING, SUBBUFS + 1, 2);
}

static void current_slot_behind(void)
{
	struct lttngmap_packet packet;

	get_packet(&packet);
	get_packet(&packet);
	lttngmap_ring_slots(ring_of(0))[2] = lttngmap_slot_make(1, LTTNGMAP_SLOT_WRITING, 2, 2);
}

static void content_too_large(void)
{
	subbuf_of(0, 0)->content_size = 1 << SUBBUF_SHIFT;
}

static void content_behind_what_was_read(void)
{
	struct lttngmap_packet packet;

	/* Read part of sub-buffer 2, fill it, then claim that it is shorter. */
	get_packet(&packet);
	get_packet(&packet);
	get_packet(&packet);
	fill_ring((1 << SUBBUF_SHIFT) / RECORD);
	subbuf_of(0, 2)->content_size = RECORD;
}

static void descriptor_of_another(void)
{
	struct lttngmap_packet packet;

	get_packet(&packet);
	subbuf_of(0, 1)->seq = 7;
}

static void begin_back(void)
{
	struct lttngmap_packet packet;

	get_packet(&packet);
	subbuf_of(0, 1)->begin = 1;
}

static void end_before_begin(void)
{
	struct lttngmap_packet packet;

	get_packet(&packet);
	subbuf_of(0, 1)->end = subbuf_of(0, 1)->begin - 1;
}

/* All that comes after it fits to it: nothing else is wrong. */
static void end_in_the_future(void)
{
	uint64_t future = UINT64_C(1) << 62;

	subbuf_of(0, 0)->end = future;
	subbuf_of(0, 1)->begin = future;
	subbuf_of(0, 1)->end = future;
	subbuf_of(0, 2)->begin = future;
	ring_of(0)->commit[1] &= ~LTTNGMAP_TIMESTAMP_MASK;
}

/* The same, of counts: all from sub-buffer `id` on. */
static void shift_events(uint32_t id, int64_t by)
{
	for (; id < 2; id++) {
		subbuf_of(0, id)->events_begin += (uint64_t)by;
		subbuf_of(0, id)->events_end += (uint64_t)by;
	}
	subbuf_of(0, 2)->events_begin += (uint64_t)by;
	ring_of(0)->events_base += (uint64_t)by;
	ring_of(0)->commit[0] += (uint64_t)by << LTTNGMAP_COUNT_SHIFT;
}

static void events_too_many(void)
{
	subbuf_of(0, 0)->events_end = 1 << SUBBUF_SHIFT;
}

static void events_none(void)
{
	int64_t events = (int64_t)subbuf_of(0, 0)->events_end;

	subbuf_of(0, 0)->events_end = 0;
	shift_events(1, -events);
}

static void events_back(void)
{
	struct lttngmap_packet packet;

	get_packet(&packet);
	subbuf_of(0, 1)->events_begin--;
}

static void events_skipped(void)
{
	struct lttngmap_packet packet;

	get_packet(&packet);
	shift_events(1, 2);
}

static void discards_of_subbuf_back(void)
{
	struct lttngmap_packet packet;

	ring_of(0)->discards = 5;
	subbuf_of(0, 0)->discards = 5;
	get_packet(&packet);
	subbuf_of(0, 1)->discards = 4;
}

static void discards_of_subbuf_ahead(void)
{
	ring_of(0)->discards = 5;
	for (unsigned seq = 0; seq < 3; seq++)
		subbuf_of(0, seq)->discards = 6;
}

/* What makes a sum with others' losses small, and what no clock has room for. */
static void discards_negative(void)
{
	ring_of(0)->discards = (uint64_t)-1000;
}

static void discards_too_many(void)
{
	ring_of(0)->discards = clock_read(LTTNGMAP_CLOCK_MONOTONIC) + (UINT64_C(1) << 41);
}

static const struct {
	const char *name;
	void (*damage)(void);
} damages[] = {
	{ "a position beyond a sub-buffer's end", position_beyond_end },
	{ "a count of discarded events that goes back", discards_back },
	{ "a table entry with a later sequence number", slot_sequence_ahead },
	{ "a table entry with an earlier sequence number", slot_sequence_behind },
	{ "a full sub-buffer said to be free", slot_state_free },
	{ "a state that does not exist", slot_state_unknown },
	{ "a sub-buffer id outside of the ring", slot_id_outside },
	{ "the same for the current sub-buffer", current_slot_id_outside },
	{ "a current sub-buffer with an earlier sequence number", current_slot_behind },
	{ "a content larger than a sub-buffer", content_too_large },
	{ "a content smaller than what was read", content_behind_what_was_read },
	{ "a descriptor of another sub-buffer", descriptor_of_another },
	{ "a begin before the last end", begin_back },
	{ "an end before the begin", end_before_begin },
	{ "an end in the future", end_in_the_future },
	{ "more events than fit", events_too_many },
	{ "no events in a sub-buffer with content", events_none },
	{ "a count of events that goes back", events_back },
	{ "events that nobody could have overwritten", events_skipped },
	{ "a sub-buffer's discards that go back", discards_of_subbuf_back },
	{ "a sub-buffer's discards that its ring has not", discards_of_subbuf_ahead },
	{ "a negative count of discarded events", discards_negative },
	{ "more discarded events than there was time for", discards_too_many },
};

static void test_guard(const char *name, void (*damage)(void))
{
	struct lttngmap_packet packet = { 0 };
	char fields[RECORD - 8] = { 0 };
	unsigned from_others = 0;

	set_up(LTTNGMAP_MODE_DISCARD);
	damage();
	while (get_packet(&packet) == 0)
		continue;
	is(bench.totals.closed_rings, 1, name);
	/* Ring 1 is good, and still served. */
	bench_set_hold(&bench, ring_of(0), true);
	bench_set_write(&bench, &(struct ring_event){ fields, sizeof(fields), NULL, 1, 0 });
	while (get_packet(&packet) == 0)
		from_others += packet.cpu != 0;
	ok(from_others == 1, "… and another ring of the process goes on");
	bench_set_stop(&bench);
	ring_set_finish(bench.set);
	is(get_packet(&packet), -ENODATA, "… and the set comes to its end");
	bench_set_destroy(&bench);
}

/* It is seen before anything is read by it: a rotation may wait for that position. */
static void test_position(void)
{
	set_up(LTTNGMAP_MODE_DISCARD);
	position_beyond_end();
	ring_set_poll(bench.set);
	is(bench.totals.closed_rings, 1, "a position beyond a sub-buffer's end, at the first look");
	bench_set_destroy(&bench);
}

/* More events than there is room for below the position are not believed. */
static void test_count(void)
{
	uint64_t written;

	set_up(LTTNGMAP_MODE_DISCARD);
	ring_set_poll(bench.set);
	written = bench.totals.written;
	ring_of(0)->commit[0] += UINT64_C(1) << (14 + LTTNGMAP_COUNT_SHIFT);
	ring_set_poll(bench.set);
	is(bench.totals.written, written,
	   "more events than fit below the position are not counted");
	bench_set_destroy(&bench);

	set_up(LTTNGMAP_MODE_DISCARD);
	ring_set_poll(bench.set);
	written = bench.totals.written;
	ring_of(0)->commit[0] += (UINT64_C(1) << 40) + (UINT64_C(1) << (15 + LTTNGMAP_COUNT_SHIFT));
	ring_set_poll(bench.set);
	is(bench.totals.written, written,
	   "nor more than fit into the ring, wherever its position is");
	bench_set_destroy(&bench);
}

/* What another process lost stays in the sum, whatever this one says. */
static void test_losses_of_others(void)
{
	set_up(LTTNGMAP_MODE_DISCARD);
	bench.totals.discarded = 1000;
	discards_negative();
	ring_set_poll(bench.set);
	is(bench.totals.discarded, 1000, "a negative count takes nothing from others' losses");
	bench_set_destroy(&bench);

	set_up(LTTNGMAP_MODE_DISCARD);
	bench.totals.discarded = INT64_MAX - 5;
	ring_of(0)->discards = 10;
	ring_set_poll(bench.set);
	is(bench.totals.discarded, INT64_MAX, "a sum that is full stays so");
	is(bench.totals.closed_rings, 0, "and closes no ring");
	bench_set_destroy(&bench);
}

/* Cut events are some of those that were written. */
static void test_cut(void)
{
	set_up(LTTNGMAP_MODE_DISCARD);
	ring_of(0)->cut = 3;
	ring_set_poll(bench.set);
	is(bench.totals.cut, 3, "cut events are counted");
	ring_of(0)->cut = 1;
	ring_set_poll(bench.set);
	is(bench.totals.cut, 3, "their count does not go back");
	ring_of(0)->cut = bench.totals.written + 1;
	ring_set_poll(bench.set);
	is(bench.totals.cut, 3, "nor are there more than were written");
	bench_set_destroy(&bench);
}

/* ---- random damage ------------------------------------------------------------ */

static uint64_t random_word(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static bool is_inside(const struct lttngmap_packet *packet)
{
	uint32_t rings = bench.control->cpu_rings + LTTNGMAP_EXTRA_RINGS;

	return packet->cpu < rings && packet->subbuf_id / (SUBBUFS + 1) == packet->cpu &&
	       (uint64_t)packet->offset + packet->length <=
		       (1u << SUBBUF_SHIFT) - LTTNGMAP_SUBBUF_TAIL &&
	       packet->timestamp_end >= packet->timestamp_begin &&
	       packet->events <= packet->length / LTTNGMAP_RECORD_HEADER_SIZE;
}

static void test_random(enum lttngmap_mode mode, uint64_t *seed)
{
	uint64_t *words, size = lttngmap_ring_stride(SUBBUFS) / 8;
	struct lttngmap_packet packet;
	unsigned outside = 0, packets = 0, endless = 0, left = 0;
	struct ring_totals sums;

	for (unsigned round = 0; round < 300; round++) {
		set_up(mode);
		words = (uint64_t *)ring_of(0);
		for (unsigned step = 0; step < 100; step++) {
			uint64_t at = random_word(seed) % size, value = random_word(seed);

			/* Small changes reach further than noise. */
			words[at] = step & 1 ? value : words[at] ^ UINT64_C(1) << (value & 63);
			ring_set_poll(bench.set);
			if (get_packet(&packet) == 0) {
				packets++;
				outside += !is_inside(&packet);
				ring_set_check_packet(bench.set);
			}
		}
		ring_set_finish(bench.set);
		for (unsigned step = 0; step < 1000 && get_packet(&packet) == 0; step++)
			outside += !is_inside(&packet);
		endless += get_packet(&packet) != -ENODATA || ring_set_poll(bench.set) != POLLHUP;
		endless += !ring_set_drained(bench.set);
		ring_totals_read(&bench.totals, &sums);
		left += sums.written != sums.delivered + sums.overwritten;
		bench_set_destroy(&bench);
	}
	is(endless, 0, "a damaged set comes to its end");
	is(left, 0, "all that it wrote was given out, overwritten, or is a claim");
	is(outside, 0, "no packet of a damaged ring lies outside of its sub-buffer");
	ok(packets > 50, "some packets were given out meanwhile (%u)", packets);
}

int main(void)
{
	uint64_t seed = 88172645463325252;

	rcu_register_thread();
	ring_set_table_create();
	for (unsigned i = 0; i < sizeof(damages) / sizeof(damages[0]); i++)
		test_guard(damages[i].name, damages[i].damage);
	test_position();
	test_count();
	test_losses_of_others();
	test_cut();
	test_random(LTTNGMAP_MODE_DISCARD, &seed);
	test_random(LTTNGMAP_MODE_OVERWRITE, &seed);
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
