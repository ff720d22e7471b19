/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A machine that sleeps: the clock of events goes back, or days ahead, between two events
 * of a ring. The daemon knows, and reads on; where it does not, the ring is closed.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <urcu.h>

#include "liblttngmap/event/ring-write.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/tap.h"

#define SUBBUF_SHIFT 12
#define SUBBUFS_SHIFT 3
#define RECORD 64
#define NSEC_PER_SEC INT64_C(1000000000)
#define HOUR (3600 * NSEC_PER_SEC)
/* Two sub-buffers and a bit. */
#define EVENTS (2 * (((1 << SUBBUF_SHIFT) - 8) / RECORD) + 5)
#define SLACK_NS INT64_C(4294967296)

static struct bench_set bench;
static int64_t ahead_ns;

static int64_t machine_ns(void)
{
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

/* For the reader and the writer in this program, in place of libc's. */
int clock_gettime(clockid_t id, struct timespec *now)
{
	int64_t ns;

	if (id != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, id, now);
	ns = machine_ns() + ahead_ns;
	now->tv_sec = ns / NSEC_PER_SEC;
	now->tv_nsec = ns % NSEC_PER_SEC;
	return 0;
}

static struct lttngmap_ring *ring_of(uint32_t ring)
{
	return (struct lttngmap_ring *)(bench.rings +
					ring * lttngmap_ring_stride(1u << SUBBUFS_SHIFT));
}

static void set_up(void)
{
	struct bench_set_config config = {
		.mode = LTTNGMAP_MODE_DISCARD,
		.clock = LTTNGMAP_CLOCK_MONOTONIC,
		.subbuf_shift = SUBBUF_SHIFT,
		.subbufs_shift = SUBBUFS_SHIFT,
	};

	bench_set_create(&bench, &config);
	/* All in one ring. */
	for (uint32_t ring = 1; ring < bench.control->cpu_rings + LTTNGMAP_EXTRA_RINGS; ring++)
		bench_set_hold(&bench, ring_of(ring), true);
}

static void write_events(unsigned events)
{
	char fields[RECORD - 8] = { 0 };

	while (events--)
		bench_set_write(&bench, &(struct ring_event){ fields, sizeof(fields), NULL, 1, 0 });
}

struct seen {
	uint64_t events;
	unsigned packets, back, odd;
	uint64_t end; /* of the last packet */
};

static void read_all(struct seen *seen)
{
	struct lttngmap_packet packet = { .cpu = LTTNGMAP_CPU_ANY,
					  .flags = LTTNGMAP_PACKET_PARTIAL };

	while (ring_set_get_packet(bench.set, &packet) == 0) {
		seen->events += packet.events;
		seen->packets++;
		seen->back += packet.timestamp_begin < seen->end;
		seen->odd += packet.timestamp_begin > packet.timestamp_end;
		seen->end = packet.timestamp_end;
		packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY,
						   .flags = LTTNGMAP_PACKET_PARTIAL };
	}
}

static void tear_down(void)
{
	bench_set_destroy(&bench);
	ahead_ns = 0;
}

/* `unread`: of before; the reader had read all else. */
static void check_reset(unsigned read_before, unsigned unread, const char *what)
{
	struct seen seen = { .events = 0 };
	int64_t latest;

	ahead_ns = 10 * HOUR;
	set_up();
	write_events(read_before);
	read_all(&seen);
	write_events(unread);
	latest = machine_ns() + ahead_ns + SLACK_NS;
	ahead_ns = HOUR;
	ring_set_reset_clock(bench.set, (uint64_t)latest);
	write_events(EVENTS);
	read_all(&seen);
	ok(seen.events == read_before + unread + EVENTS, "%s: all events are read", what);
	is(bench.totals.closed_rings, 0, "no ring is closed");
	is(seen.back, read_before + unread > 0, "times go back once");
	is(seen.odd, 0, "and in no packet");
	ahead_ns += HOUR;
	write_events(EVENTS);
	read_all(&seen);
	is(seen.events, read_before + unread + 2 * EVENTS, "it goes on");
	/* Once is no leave to do so. */
	ahead_ns -= HOUR;
	write_events(EVENTS);
	read_all(&seen);
	is(bench.totals.closed_rings, 1, "a ring whose times go back by themselves is closed");
	tear_down();
}

/* The chunk that a rotation completes ends where the clock was reset. */
static void check_rotation(unsigned read_before, unsigned unread, unsigned after)
{
	struct seen seen = { .events = 0 };
	struct lttngmap_packet packet;
	uint64_t events[2] = { 0, 0 };
	bool rotated = false;

	ahead_ns = 10 * HOUR;
	set_up();
	write_events(read_before);
	read_all(&seen);
	write_events(unread);
	ahead_ns = HOUR;
	write_events(after);
	ring_set_reset_clock(bench.set, (uint64_t)(machine_ns() + 10 * HOUR + SLACK_NS));
	ring_set_rotate(bench.set, 1);
	for (;;) {
		packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY,
						   .flags = LTTNGMAP_PACKET_PARTIAL };
		if (ring_set_get_packet(bench.set, &packet) != 0) {
			/* As the daemon asks now and then. */
			if (rotated || !ring_set_rotated(bench.set))
				break;
			rotated = true;
			continue;
		}
		events[packet.chunk & 1] += packet.events;
	}
	is(events[0], unread, "what was written before the reset is in the chunk that ends");
	is(events[1], after, "what was written after it, in the next one");
	is(bench.totals.closed_rings, 0, "no ring is closed");
	tear_down();
}

static void check_unknown(void)
{
	struct seen seen = { .events = 0 };

	ahead_ns = 10 * HOUR;
	set_up();
	write_events(EVENTS);
	read_all(&seen);
	ahead_ns = HOUR;
	write_events(EVENTS);
	read_all(&seen);
	is(bench.totals.closed_rings, 1, "a daemon that knows of no reset closes the ring");
	tear_down();
}

/* A TSC that goes on in a sleep, for longer than 48 bits last. */
static void check_ahead(void)
{
	struct seen seen = { .events = 0 };

	set_up();
	write_events(EVENTS);
	ahead_ns = 400 * 24 * HOUR;
	write_events(EVENTS);
	read_all(&seen);
	is(seen.events, 2 * EVENTS, "a clock that goes 400 days ahead: all events are read");
	is(seen.back + seen.odd + bench.totals.closed_rings, 0, "in their order");
	tear_down();
}

int main(void)
{
	rcu_register_thread();
	check_reset(EVENTS, 0, "reset, all read");
	check_reset(EVENTS, EVENTS, "reset, some unread");
	check_reset(0, EVENTS, "reset, none read");
	check_reset(0, 0, "reset before the first event");
	check_rotation(EVENTS, EVENTS, 5);
	check_rotation(EVENTS, 5, EVENTS);
	check_rotation(EVENTS, 0, 5);
	check_rotation(0, EVENTS, EVENTS / 2);
	check_unknown();
	check_ahead();
	rcu_unregister_thread();
	return done_testing();
}
