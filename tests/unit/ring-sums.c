/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A session's sums when a process damages its rings: what a closed ring did not deliver is in no
 * sum, but claimed by its process, whatever that counted before; sums of other rings stay.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <urcu.h>

#include "common/base/clock.h"
#include "liblttngmap/event/ring-write.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/tap.h"

#define SUBBUF_SHIFT 12
#define SUBBUFS_SHIFT 2
#define SUBBUFS (1u << SUBBUFS_SHIFT)
#define RECORD 64
/* In a full sub-buffer. */
#define FULL (((1u << SUBBUF_SHIFT) - LTTNGMAP_SUBBUF_TAIL) / RECORD)
#define FULL_LATER (((1u << SUBBUF_SHIFT) - LTTNGMAP_SUBBUF_HEAD - LTTNGMAP_SUBBUF_TAIL) / RECORD)
#define SOME 5

static struct bench_set bench;
static struct ring_totals sums;

static struct lttngmap_ring *ring_of(uint32_t ring)
{
	return (struct lttngmap_ring *)(bench.rings + ring * lttngmap_ring_stride(SUBBUFS));
}

/* Events into one ring, by trylock: all others are held. */
static void fill_ring(uint32_t ring, unsigned events)
{
	uint32_t rings = bench.control->cpu_rings + LTTNGMAP_EXTRA_RINGS;
	char fields[RECORD - 8] = { 0 };

	for (uint32_t other = 0; other < rings; other++)
		bench_set_hold(&bench, ring_of(other), other != ring);
	while (events--)
		bench_set_write(&bench, &(struct ring_event){ fields, sizeof(fields), NULL, 1, 0 });
	for (uint32_t other = 0; other < rings; other++)
		bench_set_hold(&bench, ring_of(other), false);
}

/* Two full sub-buffers and a bit in ring 0; a few events in ring 1. */
static uint64_t set_up(enum lttngmap_mode mode, struct ring_saved *saved)
{
	struct bench_set_config config = {
		.mode = mode,
		.clock = LTTNGMAP_CLOCK_TSC,
		.subbuf_shift = SUBBUF_SHIFT,
		.subbufs_shift = SUBBUFS_SHIFT,
		.saved = saved,
	};

	bench_set_create(&bench, &config);
	fill_ring(0, FULL + FULL_LATER + SOME);
	fill_ring(1, 3);
	return FULL + FULL_LATER + SOME;
}

static int get_packet(uint32_t cpu, uint32_t flags)
{
	struct lttngmap_packet packet = { .cpu = cpu, .flags = flags };

	return ring_set_get_packet(bench.set, &packet);
}

/* At all rings. */
static void look(void)
{
	uint64_t unread[1024];
	struct ring_set_usage usage;

	ring_set_measure(bench.set, &usage, unread);
}

static void read_all(void)
{
	while (get_packet(LTTNGMAP_CPU_ANY, LTTNGMAP_PACKET_PARTIAL) == 0)
		continue;
}

static void read_sums(void)
{
	ring_totals_read(&bench.totals, &sums);
}

/* Its count of losses is one that no ring has. */
static void damage(void)
{
	ring_of(0)->discards = UINT64_MAX;
	look();
}

static void test_closed(void)
{
	uint64_t events = set_up(LTTNGMAP_MODE_DISCARD, NULL);

	ring_of(0)->discards = 1000000;
	ring_of(1)->discards = 7;
	look();
	read_sums();
	is(sums.discarded, 1000007, "losses that may be right count");
	is(sums.written, events + 3, "and events that are in the buffers");
	is(ring_totals_claimed(&sums) + sums.closed_rings, 0, "nothing is a claim");
	get_packet(0, 0);
	damage();
	read_sums();
	is(sums.closed_rings, 1, "the ring is damaged");
	is(sums.discarded, 7, "no loss that it counted is in the sum, others' are");
	is(sums.written, FULL + 3, "nor what nobody will read of it");
	is(ring_totals_claimed(&sums), 1000000 + events - FULL, "it claims these");
	read_all();
	read_sums();
	is(sums.delivered, FULL + 3, "what it had given is delivered, and other rings");
	is(sums.written - sums.delivered - sums.overwritten, 0, "nothing stays in the buffers");
	is(sums.damagers[0].pid, getpid(), "its process is named");
	is_string(sums.damagers[0].name, "bench", "with its name");
	bench_set_destroy(&bench);
}

/* The reader has a packet that is overwritten after the ring was closed. */
static void test_overrun(void)
{
	uint64_t events = set_up(LTTNGMAP_MODE_OVERWRITE, NULL);

	for (int i = 0; i < 3; i++)
		get_packet(0, LTTNGMAP_PACKET_PARTIAL);
	damage();
	fill_ring(0, SUBBUFS * FULL);
	is(ring_set_check_packet(bench.set), -ESTALE, "a packet is overwritten behind its reader");
	read_all();
	read_sums();
	is(sums.overwritten, 0, "of a closed ring, that is in no sum");
	is(sums.written, events - SOME + 3, "nor among the written");
	is(ring_totals_claimed(&sums), SOME, "its process claims it");
	bench_set_destroy(&bench);
}

/* Sums begin anew: what a ring counted before is not taken off the new ones. */
static void test_clear(void)
{
	struct ring_totals second = { .discarded = 500, .written = 500 };

	set_up(LTTNGMAP_MODE_DISCARD, NULL);
	ring_of(0)->discards = 1000;
	look();
	ring_set_clear(bench.set, &second);
	ring_of(0)->discards = 1010;
	fill_ring(0, 2);
	look();
	ring_totals_read(&second, &sums);
	ok(sums.discarded == 510 && sums.written == 502, "sums go on after a clear");
	damage();
	ring_totals_read(&second, &sums);
	is(sums.discarded, 500, "a closed ring takes no losses with it that others have");
	is(sums.written, 500, "nor events");
	is(ring_totals_claimed(&sums), 12, "it claims what it counted since the clear");
	ring_set_clear(bench.set, &bench.totals);
	bench.totals = (struct ring_totals){ .discarded = 3 };
	look();
	read_sums();
	ok(sums.discarded == 3 && !ring_totals_claimed(&sums), "and nothing after the next one");
	bench_set_destroy(&bench);
}

/* A count of events that was larger for a moment, as no event was written for. */
static void test_count_beyond(void)
{
	uint64_t events = set_up(LTTNGMAP_MODE_DISCARD, NULL);

	ring_of(0)->commit[0] += UINT64_C(10) << LTTNGMAP_COUNT_SHIFT;
	look();
	ring_of(0)->commit[0] -= UINT64_C(10) << LTTNGMAP_COUNT_SHIFT;
	read_sums();
	is(sums.written, events + 13, "ten events more are believed for a while");
	bench_set_stop(&bench);
	read_all();
	ok(ring_set_drained(bench.set), "all is read");
	read_sums();
	is(sums.written - sums.delivered, 0, "then they are in no buffer");
	ok(sums.closed_rings == 1 && ring_totals_claimed(&sums) == 10,
	   "but a damaged ring's claim");
	bench_set_destroy(&bench);
}

/* And one that is smaller than what it gives: others' events would seem to be gone. */
static void test_count_below(void)
{
	set_up(LTTNGMAP_MODE_DISCARD, NULL);
	ring_of(0)->commit[0] -= UINT64_C(20) << LTTNGMAP_COUNT_SHIFT;
	for (int i = 0; i < 3; i++)
		get_packet(0, 0);
	look();
	read_sums();
	is(sums.delivered, FULL + FULL_LATER, "a ring gives more than it counts");
	is(sums.written - sums.delivered, 3,
	   "the events of others are in the buffers all the same");
	bench_set_destroy(&bench);
}

static bool closes(uint32_t ring, uint64_t discards)
{
	bool closed;

	set_up(LTTNGMAP_MODE_DISCARD, NULL);
	ring_of(ring)->discards = discards;
	look();
	closed = bench.totals.closed_rings == 1;
	bench_set_destroy(&bench);
	return closed;
}

static void test_bound(void)
{
	uint64_t later = clock_read(LTTNGMAP_CLOCK_TSC) + (UINT64_C(1) << 44), events;

	ok(!closes(0, UINT64_C(1) << 32),
	   "in its first ring, a process counts what it lost before");
	ok(closes(0, UINT64_C(1) << 34), "but no more than a minute has room for");
	ok(closes(1, UINT64_C(1) << 32), "in another ring it lost nothing before that was made");
	/* Its last record is from before a reset of the clock, the next ones are from after it. */
	events = set_up(LTTNGMAP_MODE_DISCARD, NULL);
	ring_set_reset_clock(bench.set, later);
	ring_of(1)->commit[1] = later & LTTNGMAP_TIMESTAMP_MASK;
	bench_set_believe(&bench, ring_of(1));
	get_packet(1, LTTNGMAP_PACKET_PARTIAL);
	fill_ring(1, 2);
	get_packet(1, LTTNGMAP_PACKET_PARTIAL);
	read_sums();
	is(sums.written, events + 5, "a ring goes on after a reset of the clock");
	ring_of(1)->discards = UINT64_C(1) << 40;
	look();
	is(bench.totals.closed_rings, 0, "and losses from before stay right");
	bench_set_destroy(&bench);
}

/* A full sum stays full: a claim takes nothing from others. */
static void test_full_sum(void)
{
	set_up(LTTNGMAP_MODE_DISCARD, NULL);
	bench.totals.discarded = INT64_MAX - 5;
	ring_of(0)->discards = 1000;
	look();
	damage();
	read_sums();
	is(sums.discarded, INT64_MAX, "a sum that is full stays so when a ring is closed");
	bench_set_destroy(&bench);
}

static void test_restart(void)
{
	size_t size = ring_set_saved_size((uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	struct ring_saved *saved = calloc(1, size);
	struct ring_totals before;

	set_up(LTTNGMAP_MODE_DISCARD, saved);
	ring_of(0)->discards = 1000000;
	get_packet(0, 0);
	damage();
	ring_totals_read(&bench.totals, &before);
	bench_set_restore(&bench);
	read_sums();
	ok(sums.written == before.written && sums.discarded == before.discarded &&
		   ring_totals_claimed(&sums) == ring_totals_claimed(&before),
	   "a restarted daemon has the same sums");
	ok(sums.closed_rings == 1 && sums.damagers[0].pid == (uint32_t)getpid(),
	   "and the process's name");
	look();
	read_sums();
	is(sums.discarded, before.discarded, "which stay");
	bench_set_destroy(&bench);
	free(saved);
}

static void test_names(void)
{
	struct ring_totals totals = { .written = 0 }, all = { .closed_rings = 1 };

	for (uint32_t i = 0; i < RING_DAMAGERS; i++) {
		ring_totals_name(&totals, i + 1, "evil");
		ring_totals_name(&totals, i + 1, "evil");
	}
	ok(totals.damagers[RING_DAMAGERS - 1].pid == RING_DAMAGERS && !totals.more_damagers,
	   "each process is named once");
	ring_totals_name(&totals, 77, "evil");
	is(totals.more_damagers, 1, "those beyond are others");
	ring_totals_name(&all, 1, "evil");
	totals.closed_rings = 9;
	totals.claims.discarded = 11;
	ring_totals_add(&all, &totals);
	ok(all.damagers[1].pid == 2 && all.more_damagers && all.closed_rings == 10 &&
		   ring_totals_claimed(&all) == 11,
	   "sums of several sets have all of it");
}

int main(void)
{
	rcu_register_thread();
	ring_set_table_create();
	test_closed();
	test_overrun();
	test_clear();
	test_count_beyond();
	test_count_below();
	test_bound();
	test_full_sum();
	test_restart();
	test_names();
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
