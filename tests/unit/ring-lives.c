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

#include "common/clock.h"
#include "liblttngmap/ring-write.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/tap.h"

#define TRAP_FLAG 0x100
/* Of some thousand instructions, one of so many; LTTNGMAP_TEST_STRIDE=1 takes each. */
#ifdef __SANITIZE_THREAD__
/* Each is a hundred then, and a child takes long to make. */
#define STRIDE 2003
#else
#define STRIDE 53
#endif
#define PACKETS_MAX 64
#define EVENTS_MAX 1024
#define CPUS_MAX 64

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
	unsigned int wrong_counts, twice, missing, gaps, different, closed;
};

static struct bench_set bench;
static struct given *given; /* shared */
static struct ring_saved *saved;
static uint64_t saved_size;
static volatile unsigned int steps;
static unsigned int kill_at;
static uint64_t emitted;

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

		ring_write(bench.local, 0, &event);
	}
}

/* As a consumer does it, until there is nothing. */
static void read_all(void)
{
	struct lttngmap_packet packet = { .cpu = LTTNGMAP_CPU_ANY,
					  .flags = LTTNGMAP_PACKET_PARTIAL };

	while (given->packets < PACKETS_MAX && ring_set_get_packet(bench.set, &packet) == 0) {
		given->packet[given->packets] = packet;
		__atomic_store_n(&given->packets, given->packets + 1, __ATOMIC_RELEASE);
		packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY,
						   .flags = LTTNGMAP_PACKET_PARTIAL };
	}
}

/* Events of a packet; nobody has written since it was given. */
static void look_at(const struct lttngmap_packet *packet, uint8_t *seen)
{
	const char *at = bench.data + 4096 + ((uint64_t)packet->subbuf_id << 12) + packet->offset;
	const char *end = at + packet->length;

	for (; at < end; at += 8 + sizeof(struct fields)) {
		const struct fields *fields = (const void *)(at + 8);

		if (fields->number < EVENTS_MAX)
			seen[fields->number]++;
	}
}

/* Each packet from `first` on once; one that was given before is the same. */
static uint64_t check_packets(struct tally *tally, uint8_t *seen)
{
	static const struct lttngmap_packet *last[CPUS_MAX];
	uint64_t events = 0;

	memset(last, 0, sizeof(last));
	for (uint32_t i = 0; i < given->packets; i++) {
		const struct lttngmap_packet *packet = &given->packet[i];
		const struct lttngmap_packet *before = last[packet->cpu % CPUS_MAX];
		uint64_t next = before ? before->sequence + 1 : 0;

		if (before && packet->sequence == before->sequence) {
			tally->different += memcmp(packet, before, sizeof(*packet)) != 0;
			continue;
		}
		tally->gaps += packet->sequence != next;
		last[packet->cpu % CPUS_MAX] = packet;
		look_at(packet, seen);
		events += packet->events;
	}
	return events;
}

/* False: the child read all there is before it came to be killed. */
static bool live_twice(enum lttngmap_mode mode, unsigned int first, struct tally *tally)
{
	struct bench_set_config config = {
		.mode = mode,
		.clock = LTTNGMAP_CLOCK_MONOTONIC,
		.subbuf_shift = 12,
		.subbufs_shift = 2,
		.saved = saved,
	};
	uint8_t seen[EVENTS_MAX] = { 0 };
	struct ring_totals totals = { .written = 0 };
	uint64_t events;
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
		read_all();
		set_trap(false);
		_exit(1);
	}
	waitpid(child, &status, 0);
	bench_set_restore(&bench);
	read_all();
	events = check_packets(tally, seen);
	for (uint64_t i = 0; i < emitted; i++) {
		tally->twice += seen[i] > 1;
		tally->missing += mode == LTTNGMAP_MODE_DISCARD && seen[i] == 0;
	}
	/* It goes on: round all sub-buffers, the exchanged ones too. */
	given->packets = 0;
	for (int i = 0; i < 4; i++) {
		emit(100);
		read_all();
	}
	bench_set_stop(&bench);
	read_all();
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

static void test(const char *name, enum lttngmap_mode mode, unsigned int events)
{
	struct tally tally = { 0 };
	const char *chosen = getenv("LTTNGMAP_TEST_STRIDE");
	unsigned int stride = chosen ? (unsigned int)atoi(chosen) : STRIDE;
	unsigned int lives = 0;

	for (kill_at = 1; live_twice(mode, events, &tally); kill_at += stride)
		lives++;
	diag("%s: %u kills, the last at instruction %u", name, lives, kill_at);
	ok(lives > 10 && kill_at > 1000, "%s: reading was stepped through", name);
	is(tally.gaps, 0, "… packets follow each other");
	is(tally.different, 0, "… one that is given again is the same");
	is(tally.twice, 0, "… no event is in two");
	is(tally.missing, 0, "… nor in none");
	is(tally.wrong_counts, 0, "… the counts are those of the events");
	is(tally.closed, 0, "… and no ring was found spoiled");
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
	test("discard", LTTNGMAP_MODE_DISCARD, 200);
	test("overwrite", LTTNGMAP_MODE_OVERWRITE, 400);
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
