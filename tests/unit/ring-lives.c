/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A daemon that is killed at each instruction of reading a ring, and its next
 * life: by single steps, in a child that shares ring and saved state. What the
 * child gave to its reader and what the next life gives is each packet once,
 * or the same again; all events are counted, and the ring goes on.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <urcu.h>

#include "common/base/clock.h"
#include "liblttngmap/event/ring-write.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/short.h"
#include "tests/utils/tap.h"

#define TRAP_FLAG 0x100
/*
 * Of some thousand instructions, one of so many; LTTNGMAP_TEST_STRIDE=1 takes each. In the short
 * form one of SHORT as many, others each day.
 */
#define SHORT 4
#ifdef __SANITIZE_THREAD__
/* Each is a hundred then, and a child takes long to make. */
#define STRIDE 2003
#elif defined(__SANITIZE_ADDRESS__)
#define STRIDE 503
#else
#define STRIDE 53
#endif
#define PACKETS_MAX 64
#define EVENTS_MAX 4096

struct fields {
	uint64_t number;
	uint64_t fill[5];
};

/* What readers were given, in both lives. */
struct given {
	uint32_t packets;
	struct lttngmap_packet packet[PACKETS_MAX];
};

struct tally {
	unsigned int wrong_counts, twice, missing, gaps, different, closed, no_room;
};

static struct bench_set bench;
static struct given *given; /* shared */
static struct ring_saved *saved;
static uint64_t saved_size;
static volatile unsigned int steps;
static unsigned int kill_at;
static uint64_t emitted;
static char *former_data; /* as it was when the first life ended, before writers went on */
static uint32_t former_packets;

static void on_trap(int number)
{
	(void)number;
	if (++steps == kill_at)
		_exit(0);
}

static void set_trap(bool on)
{
	if (on)
		__asm__ volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq"
				 :
				 : "i"(TRAP_FLAG)
				 : "memory", "cc");
	else
		__asm__ volatile("pushfq\n\tandq %0, (%%rsp)\n\tpopfq"
				 :
				 : "i"(~TRAP_FLAG)
				 : "memory", "cc");
}

static void emit(unsigned int events)
{
	for (; events > 0; events--) {
		struct fields fields = { .number = emitted++ };
		struct ring_event event = { .fields = &fields, .size = sizeof(fields), .id = 1 };

		bench_set_write(&bench, &event);
	}
}

/* As a consumer does it, until there is nothing; so many at a time. */
static void read_all(uint32_t most)
{
	struct lttngmap_packets packets;

	for (;;) {
		packets.count = most;
		packets.packets[0] = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY,
							       .flags = LTTNGMAP_PACKET_PARTIAL };
		if (ring_set_get_packets(bench.set, &packets) != 0)
			break;
		for (uint32_t i = 0; i < packets.count && given->packets < PACKETS_MAX; i++) {
			given->packet[given->packets] = packets.packets[i];
			/* Of the moment, and not of the packet. */
			given->packet[given->packets].flags &= ~(uint32_t)LTTNGMAP_PACKET_LAST;
			__atomic_store_n(&given->packets, given->packets + 1, __ATOMIC_RELEASE);
		}
	}
}

static uint64_t place_of(const struct lttngmap_packet *packet)
{
	return 4096 + ((uint64_t)packet->subbuf_id << 12) + packet->offset;
}

/* Events of a packet, in the memory as it was when that was given. */
static void look_at(const struct lttngmap_packet *packet, const char *data, uint8_t *seen)
{
	const char *at = data + place_of(packet), *end = at + packet->length;

	for (; at < end; at += 8 + sizeof(struct fields)) {
		const struct fields *fields = (const void *)(at + 8);

		if (fields->number < EVENTS_MAX)
			seen[fields->number]++;
	}
}

/* That of the ring with that number, among the first `count`; NULL: there is none. */
static const struct lttngmap_packet *find(uint32_t count, uint32_t cpu, uint64_t sequence)
{
	for (uint32_t i = 0; i < count; i++)
		if (given->packet[i].cpu == cpu && given->packet[i].sequence == sequence)
			return &given->packet[i];
	return NULL;
}

/* Each packet once; one that was given before is the same. */
static uint64_t check_packets(struct tally *tally, uint8_t *seen)
{
	uint64_t events = 0;

	for (uint32_t i = 0; i < given->packets; i++) {
		const struct lttngmap_packet *packet = &given->packet[i];
		const struct lttngmap_packet *before = find(i, packet->cpu, packet->sequence);

		if (before) {
			tally->different += memcmp(packet, before, sizeof(*packet)) != 0;
			tally->different += memcmp(bench.data + place_of(packet),
						   former_data + place_of(packet),
						   packet->length) != 0;
			continue;
		}
		tally->gaps += packet->sequence && !find(i, packet->cpu, packet->sequence - 1);
		look_at(packet, i < former_packets ? former_data : bench.data, seen);
		events += packet->events;
	}
	return events;
}

/* False: the child read all there is before it came to be killed. */
static bool live_twice(enum lttngmap_mode mode, unsigned int first, uint32_t most,
		       struct tally *tally)
{
	struct bench_set_config config = {
		.mode = mode,
		.clock = LTTNGMAP_CLOCK_MONOTONIC,
		.subbuf_shift = 12,
		/* A quarter at a time. */
		.subbufs_shift = most > 1 ? 4 : 2,
		.saved = saved,
	};
	uint8_t seen[EVENTS_MAX] = { 0 };
	struct ring_totals totals = { .written = 0 };
	uint64_t events, lost;
	int status = 0;
	pid_t child;

	memset(saved, 0, saved_size);
	given->packets = 0;
	emitted = 0;
	bench_set_create(&bench, &config);
	emit(first);
	child = fork();
	if (child == 0) {
		set_trap(true);
		read_all(most);
		set_trap(false);
		_exit(1);
	}
	waitpid(child, &status, 0);
	former_packets = given->packets;
	former_data = malloc(bench.data_size);
	if (!former_data)
		bail_out("no memory");
	memcpy(former_data, bench.data, bench.data_size);
	/* Writers do not wait for a daemon: what they may write to, they do. Overwriting, that is
	 * all. */
	if (mode == LTTNGMAP_MODE_DISCARD)
		emit(first);
	bench_set_restore(&bench);
	read_all(most);
	events = check_packets(tally, seen);
	free(former_data);
	for (uint64_t i = 0; i < emitted; i++) {
		tally->twice += seen[i] > 1;
		tally->missing += mode == LTTNGMAP_MODE_DISCARD && seen[i] == 0 && i < first;
	}
	/* It goes on: round all sub-buffers, the exchanged ones too. */
	given->packets = 0;
	lost = bench.totals.discarded;
	for (int i = 0; i < 4; i++) {
		emit(100);
		read_all(most);
	}
	tally->no_room += bench.totals.discarded != lost;
	bench_set_stop(&bench);
	read_all(most);
	for (uint32_t i = 0; i < given->packets; i++)
		events += given->packet[i].events;
	ring_set_add_counts(bench.set, &totals);
	tally->closed += totals.closed_rings != 0;
	tally->wrong_counts += totals.delivered != events ||
			       totals.delivered != bench.totals.delivered ||
			       totals.delivered + totals.overwritten != totals.written ||
			       totals.written + totals.discarded != emitted;
	bench_set_destroy(&bench);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Killed while it clears, with packets in its reader's hands; the next life clears again. */
static bool clear_twice(uint32_t most, struct tally *tally)
{
	struct bench_set_config config = {
		.mode = LTTNGMAP_MODE_DISCARD,
		.clock = LTTNGMAP_CLOCK_MONOTONIC,
		.subbuf_shift = 12,
		.subbufs_shift = 4,
		.saved = saved,
	};
	struct lttngmap_packets packets = { .count = most,
					    .packets = { { .cpu = LTTNGMAP_CPU_ANY } } };
	struct ring_totals totals = { .metadata_generation = 1 };
	int status = 0;
	pid_t child;

	memset(saved, 0, saved_size);
	bench_set_create(&bench, &config);
	/* All into one ring. */
	for (uint32_t i = 1; i < bench.control->cpu_rings + LTTNGMAP_EXTRA_RINGS; i++)
		bench_set_hold(&bench,
			       (void *)(bench.rings + i * lttngmap_ring_stride(UINT64_C(1) << 4)),
			       true);
	emitted = 0;
	emit(600);
	ring_set_get_packets(bench.set, &packets);
	child = fork();
	if (child == 0) {
		set_trap(true);
		ring_set_clear(bench.set, &totals);
		set_trap(false);
		_exit(1);
	}
	waitpid(child, &status, 0);
	bench_set_restore(&bench);
	ring_set_clear(bench.set, &totals);
	emitted = 0;
	for (int i = 0; i < 8; i++) {
		emit(400);
		given->packets = 0;
		read_all(most);
	}
	bench_set_stop(&bench);
	given->packets = 0;
	read_all(most);
	tally->closed += totals.closed_rings != 0;
	tally->no_room += totals.discarded != 0;
	tally->wrong_counts += totals.delivered != emitted;
	bench_set_destroy(&bench);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static unsigned int get_stride(void)
{
	const char *chosen = getenv("LTTNGMAP_TEST_STRIDE");

	if (chosen)
		return (unsigned int)atoi(chosen);
	return is_full() ? STRIDE : SHORT * STRIDE;
}

static void test_clear(uint32_t most)
{
	unsigned int stride = get_stride();
	struct tally tally = { 0 };
	unsigned int lives = 0;

	for (kill_at = 1 + (unsigned int)(short_seed() % stride); clear_twice(most, &tally);
	     kill_at += stride)
		lives++;
	diag("clearing, %u at a time: %u kills, the last at instruction %u", most, lives, kill_at);
	ok(lives >= 5, "clearing, %u at a time, was stepped through", most);
	is(tally.closed, 0, "… and no ring was found spoiled");
	is(tally.no_room, 0, "… or without room afterwards");
	is(tally.wrong_counts, 0, "… the counts are those of the events");
}

static void test(const char *name, enum lttngmap_mode mode, unsigned int events, uint32_t most)
{
	struct tally tally = { 0 };
	/* Where more is done at a time, there are more of them. */
	unsigned int stride = get_stride() > 1 && most > 1 ? 2 * get_stride() + 1 : get_stride();
	unsigned int lives = 0;

	for (kill_at = 1 + (unsigned int)(short_seed() % stride);
	     live_twice(mode, events, most, &tally); kill_at += stride)
		lives++;
	diag("%s: %u kills, the last at instruction %u", name, lives, kill_at);
	ok(lives >= 5 && kill_at > 1000, "%s: reading was stepped through", name);
	is(tally.gaps, 0, "… packets follow each other");
	is(tally.different, 0, "… one that is given again is the same");
	is(tally.twice, 0, "… no event is in two");
	is(tally.missing, 0, "… nor in none");
	is(tally.wrong_counts, 0, "… the counts are those of the events");
	is(tally.closed, 0, "… and no ring was found spoiled");
	is(tally.no_room, 0, "… or without room afterwards");
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_trap };

	saved_size = ring_set_saved_size((uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	saved = mmap(NULL, saved_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	given = mmap(NULL, sizeof(*given), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (saved == MAP_FAILED || given == MAP_FAILED)
		bail_out("no memory");
	sigaction(SIGTRAP, &action, NULL);
	rcu_register_thread();
	ring_set_table_create();
	test("discard", LTTNGMAP_MODE_DISCARD, 200, 1);
	test("overwrite", LTTNGMAP_MODE_OVERWRITE, 400, 1);
	test("several at a time", LTTNGMAP_MODE_DISCARD, 800, LTTNGMAP_PACKETS_MAX);
	test_clear(1);
	test_clear(LTTNGMAP_PACKETS_MAX);
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
