/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Looking back over a ring: the newest packet first, without a gap, as far as
 * the writer leaves it; nothing is taken out; a damaged ring is closed.
 */
#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include <urcu.h>

#include "liblttngmap/event/ring-write.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/tap.h"

#define SUBBUF_SHIFT 12
#define SUBBUFS_SHIFT 2
#define SUBBUFS (1u << SUBBUFS_SHIFT)
#define RECORD 64
/* In a sub-buffer; the first one has no head. */
#define RECORDS (((1u << SUBBUF_SHIFT) - LTTNGMAP_SUBBUF_HEAD - LTTNGMAP_SUBBUF_TAIL) / RECORD)
#define RECORDS_FIRST (((1u << SUBBUF_SHIFT) - LTTNGMAP_SUBBUF_TAIL) / RECORD)

static struct bench_set bench;
static uint64_t emitted;

static struct lttngmap_ring *ring0(void)
{
	return (struct lttngmap_ring *)bench.rings;
}

static void set_up(enum lttngmap_mode mode)
{
	struct bench_set_config config = {
		.mode = mode,
		.subbuf_shift = SUBBUF_SHIFT,
		.subbufs_shift = SUBBUFS_SHIFT,
		.use_rseq = false,
	};

	bench_set_create(&bench, &config);
	emitted = 0;
}

static void tear_down(void)
{
	bench_set_destroy(&bench);
}

/* Numbered events, into ring 0: all others are held. */
static void emit(unsigned events)
{
	uint64_t fields[RECORD / 8 - 1] = { 0 };
	struct ring_event event = { .fields = fields, .size = sizeof(fields), .id = 1 };

	for (uint32_t ring = 1; ring < bench.control->cpu_rings + LTTNGMAP_EXTRA_RINGS; ring++)
		bench_set_hold(&bench, (void *)(bench.rings + ring * lttngmap_ring_stride(SUBBUFS)),
			       true);
	while (events--) {
		fields[0] = ++emitted;
		bench_set_write(&bench, &event);
	}
}

static int look_back(struct lttngmap_packet *packet)
{
	*packet = (struct lttngmap_packet){ .cpu = 0, .flags = LTTNGMAP_PACKET_BACKWARD };
	return ring_set_get_packet(bench.set, packet);
}

/* The number in the packet's record `at`. */
static uint64_t number(const struct lttngmap_packet *packet, uint64_t at)
{
	return *(const uint64_t *)(bench.data + 4096 +
				   ((uint64_t)packet->subbuf_id << SUBBUF_SHIFT) + packet->offset +
				   at * RECORD + LTTNGMAP_RECORD_HEADER_SIZE);
}

/* To the end; how many events, which end with `last` and have no gap. */
static uint64_t look_at_all(uint64_t last)
{
	struct lttngmap_packet packet;
	uint64_t events = 0, sequence = UINT64_MAX, end = UINT64_MAX;
	bool good = true;

	while (look_back(&packet) == 0) {
		good &= number(&packet, packet.events - 1) == last - events;
		good &= number(&packet, 0) == last - events - packet.events + 1;
		good &= packet.sequence < sequence && packet.timestamp_end <= end;
		good &= packet.timestamp_begin <= packet.timestamp_end;
		good &= (packet.flags & LTTNGMAP_PACKET_VOLATILE) != 0;
		good &= packet.length == packet.events * RECORD;
		good &= ring_set_check_packet(bench.set) == 0;
		events += packet.events;
		sequence = packet.sequence;
		end = packet.timestamp_begin;
	}
	return good ? events : 0;
}

static void test_order(void)
{
	struct lttngmap_packet packet;

	set_up(LTTNGMAP_MODE_OVERWRITE);
	is(look_back(&packet), -EAGAIN, "an untouched ring has nothing");
	is(bench.totals.closed_rings, 0, "… and is good");
	emit(10);
	is(look_at_all(10), 10, "the only sub-buffer");
	is(look_at_all(10), 10, "… and again: nothing was taken out");
	emit(RECORDS_FIRST + RECORDS);
	is(look_at_all(emitted), emitted, "three sub-buffers, the newest first");
	emit(10 * RECORDS);
	ok(look_at_all(emitted) >= (SUBBUFS - 1) * RECORDS,
	   "of a ring that went round, the newest");
	packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY,
					   .flags = LTTNGMAP_PACKET_BACKWARD };
	is(ring_set_get_packet(bench.set, &packet), -EINVAL, "of any ring there is no newest");
	is(bench.totals.closed_rings, 0, "the ring is good");
	is(bench.totals.written, emitted, "and what was written is counted");
	tear_down();
}

static void test_lapped(void)
{
	struct lttngmap_packet packet;
	uint64_t newest;

	set_up(LTTNGMAP_MODE_OVERWRITE);
	emit(3 * RECORDS);
	is(look_back(&packet), 0, "the newest");
	newest = packet.sequence;
	emit(RECORDS);
	is(ring_set_check_packet(bench.set), 0, "… stands when the writer goes on");
	emit((SUBBUFS - 1) * RECORDS);
	is(ring_set_check_packet(bench.set), -ESTALE, "… until it is overwritten");
	is(look_back(&packet), -EAGAIN, "what was before it is gone, too");
	is(look_back(&packet), 0, "the next look begins anew");
	ok(packet.sequence > newest, "… with what is the newest by then");
	tear_down();
}

/* Beside a reader that takes packets out, and over a clear. */
static void test_other_readers(void)
{
	struct lttngmap_packet packet, taken = { .cpu = 0, .flags = LTTNGMAP_PACKET_PARTIAL };

	set_up(LTTNGMAP_MODE_OVERWRITE);
	emit(10);
	is(ring_set_get_packet(bench.set, &taken), 0, "a reader takes ten events");
	emit(5);
	is(look_at_all(15), 5, "who looks back finds those after them");
	is(look_back(&packet), 0, "looking back");
	taken = (struct lttngmap_packet){ .cpu = 0, .flags = LTTNGMAP_PACKET_PARTIAL };
	is(ring_set_get_packet(bench.set, &taken), 0, "… leaves the other reader's");
	is(taken.events, 5, "… packets to it");
	ring_set_clear(bench.set, &bench.totals);
	is(look_back(&packet), -EAGAIN, "nothing is left by a clear");
	emit(7);
	is(look_at_all(22), 7, "but what comes after it");
	tear_down();

	set_up(LTTNGMAP_MODE_OVERWRITE);
	emit(RECORDS);
	bench_set_stop(&bench);
	is(look_at_all(RECORDS), RECORDS, "a stopped ring is looked back over as others are");
	tear_down();
}

static void test_counts_looks(void)
{
	struct lttngmap_packet packet;

	set_up(LTTNGMAP_MODE_OVERWRITE);
	emit(1);
	/* The set has one from the beginning. */
	ring_set_close_reader(bench.set);
	is(ring_set_backward_passes(bench.set), 0, "that only came and went has not looked back");
	ring_set_open_reader(bench.set);
	look_back(&packet);
	is(ring_set_backward_passes(bench.set), 0, "one that is still there neither");
	ring_set_close_reader(bench.set);
	is(ring_set_backward_passes(bench.set), 1, "one that did and went has");
	tear_down();
}

/* What a process can spoil, and what is said of it. */
static void spoil(const char *what, void (*change)(struct lttngmap_subbuf *full))
{
	struct lttngmap_packet packet;

	set_up(LTTNGMAP_MODE_OVERWRITE);
	emit(3 * RECORDS);
	/* The second sub-buffer is the last full one. */
	change(lttngmap_ring_subbufs(ring0(), SUBBUFS) + 1);
	while (look_back(&packet) == 0)
		continue;
	ok(bench.totals.closed_rings == 1, "%s: the ring is closed", what);
	ok(look_back(&packet) == -EAGAIN, "%s: and gives nothing more", what);
	tear_down();
}

static void spoil_table(struct lttngmap_subbuf *full)
{
	(void)full;
	lttngmap_ring_slots(ring0())[1] = lttngmap_slot_make(1, LTTNGMAP_SLOT_WRITING, 99, 1);
}

static void spoil_seq(struct lttngmap_subbuf *full)
{
	full->seq = 7;
}

static void spoil_size(struct lttngmap_subbuf *full)
{
	full->content_size = 1u << SUBBUF_SHIFT;
}

static void spoil_small(struct lttngmap_subbuf *full)
{
	full->content_size = 1;
}

static void spoil_events(struct lttngmap_subbuf *full)
{
	full->events_end = UINT64_MAX;
}

static void spoil_end(struct lttngmap_subbuf *full)
{
	full->end = UINT64_MAX;
}

static void spoil_begin(struct lttngmap_subbuf *full)
{
	full->begin = full->end + 1;
}

static void spoil_past(struct lttngmap_subbuf *full)
{
	full->begin = 1;
}

int main(void)
{
	rcu_register_thread();
	ring_set_table_create();
	test_order();
	test_lapped();
	test_other_readers();
	test_counts_looks();
	spoil("an id that there is not", spoil_table);
	spoil("another sub-buffer's descriptor", spoil_seq);
	spoil("a size beyond the end", spoil_size);
	spoil("a size before the beginning", spoil_small);
	spoil("too many events", spoil_events);
	spoil("an end in the future", spoil_end);
	spoil("a begin after the end", spoil_begin);
	spoil("a begin before the ring's", spoil_past);
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
