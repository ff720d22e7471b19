/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * When full sub-buffers ring the bell: for a reader that sleeps, all of them; for one that looks by
 * itself, the one with which half of a ring is unread. By trylock and by a restartable sequence,
 * and after the reader or the daemon has gone.
 */
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/protocol/protocol-app.h"
#include "liblttngmap/base/descriptors.h"
#include "liblttngmap/event/ring-write.h"
#include "sessiond/ring/ring-set-private.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/tap.h"

#define SUBBUF_SHIFT 12
#define SUBBUFS_SHIFT 4
#define RECORD 64
/* In a sub-buffer that has a head. */
#define RECORDS (((1u << SUBBUF_SHIFT) - LTTNGMAP_SUBBUF_HEAD - LTTNGMAP_SUBBUF_TAIL) / RECORD)

static struct bench_set bench;
static struct ring_saved *saved;
static int bell;

static void set_up(uint32_t subbufs_shift, bool use_rseq)
{
	struct bench_set_config config = {
		.mode = LTTNGMAP_MODE_DISCARD,
		.clock = LTTNGMAP_CLOCK_MONOTONIC,
		.subbuf_shift = SUBBUF_SHIFT,
		.subbufs_shift = subbufs_shift,
		.use_rseq = use_rseq,
		.saved = saved,
	};
	struct exchange_fds fds = { .count = PROTOCOL_APP_FD_RINGS };

	memset(saved, 0, ring_set_saved_size((uint32_t)sysconf(_SC_NPROCESSORS_CONF)));
	bench_set_create(&bench, &config);
	ring_set_open_reader(bench.set);
	fds.fd[PROTOCOL_APP_FD_DOORBELL] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	descriptors_keep(bench.local, bench.local->socket, &fds);
	bell = bench.local->doorbell;
	/* All into the last ring, by trylock. */
	for (uint32_t i = 0; i + 1 < bench.control->cpu_rings + LTTNGMAP_EXTRA_RINGS; i++)
		bench_set_hold(
			&bench,
			(struct lttngmap_ring *)(bench.rings +
						 i * lttngmap_ring_stride(1u << subbufs_shift)),
			!use_rseq);
}

static void tear_down(void)
{
	close(bell);
	bench.local->doorbell = -1;
	ring_set_close_reader(bench.set);
	bench_set_destroy(&bench);
}

/* Fills so many sub-buffers; how often did that ring? */
static unsigned fill(unsigned subbufs)
{
	uint64_t fields[(RECORD - 8) / 8] = { 0 }, count = 0;

	for (unsigned i = 0; i < subbufs * RECORDS; i++)
		bench_set_write(&bench, &(struct ring_event){ fields, sizeof(fields), NULL, 1, 0 });
	eventfd_read(bell, &count);
	return (unsigned)count;
}

static int get(uint32_t flags)
{
	struct lttngmap_packets packets = {
		.count = LTTNGMAP_PACKETS_MAX,
		.packets = { { .cpu = LTTNGMAP_CPU_ANY, .flags = flags } },
	};

	return ring_set_get_packets(bench.set, &packets);
}

static void drain(uint32_t flags)
{
	while (get(flags) == 0)
		;
}

static void test_awake(void)
{
	/* The first sub-buffer has two records more, and so each of these fills one. */
	fill(1);
	is(fill(2), 2, "each full sub-buffer rings for a reader that sleeps");
	ok(!ring_set_is_awake(bench.set), "which it does at first");
	drain(LTTNGMAP_PACKET_AWAKE);
	ok(ring_set_is_awake(bench.set), "one that is awake says so");
	is(fill(7), 0, "and none rings for it");
	is(fill(1), 1, "but that with which half of the ring is unread");
	is(fill(3), 0, "and none behind it");
	drain(LTTNGMAP_PACKET_AWAKE);
	is(fill(7), 0, "once it was read");
	is(fill(1), 1, "the next half rings again");
	is(get(0), 0, "one that goes to sleep is given what filled unheard");
	ok(!ring_set_is_awake(bench.set), "and is awake no more");
	drain(0);
	is(fill(3), 3, "each one rings again");
}

static void test_gone(void)
{
	drain(LTTNGMAP_PACKET_AWAKE);
	is(fill(1), 0, "awake");
	ring_set_close_reader(bench.set);
	is(fill(1), 1, "a reader that goes leaves a bell behind");
	ring_set_open_reader(bench.set);
	drain(LTTNGMAP_PACKET_AWAKE);
	is(fill(1), 0, "awake");
	bench_set_restore(&bench);
	ok(!ring_set_is_awake(bench.set), "the next daemon has nobody who is awake");
	is(fill(1), 1, "and hears the next bell");
	ring_set_open_reader(bench.set);
	ring_set_get_reader(bench.set);
	is(fill(1), 1, "so does who is asked without it");
}

static void test_small(void)
{
	set_up(1, false);
	fill(1);
	drain(LTTNGMAP_PACKET_AWAKE);
	is(fill(1), 1, "half of two is one");
	drain(LTTNGMAP_PACKET_AWAKE);
	is(fill(1), 1, "and each rings");
	tear_down();
}

int main(void)
{
	cpu_set_t cpus;
	int cpu = sched_getcpu();

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	saved = calloc(1, ring_set_saved_size((uint32_t)sysconf(_SC_NPROCESSORS_CONF)));
	if (!saved)
		bail_out("no memory");
	for (int use_rseq = 0; use_rseq <= 1; use_rseq++) {
		diag(use_rseq ? "by a restartable sequence" : "by trylock");
		set_up(SUBBUFS_SHIFT, use_rseq);
		test_awake();
		test_gone();
		tear_down();
	}
	test_small();
	free(saved);
	return done_testing();
}
