/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * An event that is on in several channels: one record in each of them, at the same time. It is
 * interrupted at each of its instructions by a breakpoint, whose handler writes the same event, or
 * forks: still there is one record of each event in each channel.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/wait.h>
#include <unistd.h>

#include <urcu.h>

#include <lttngmap/event-class.h>

#include "liblttngmap/base/arch.h"
#include "liblttngmap/event/event-fast.h"
#include "tests/utils/breakpoint.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/tap.h"

#define CHANNELS 3
#define ALL ((1u << CHANNELS) - 1)
#define ID 3
#define SUBBUF_SHIFT 16
#define SUBBUFS_SHIFT 2
#define META_PAGE 4096
#define STEPS_MAX 1000

struct fields {
	uint64_t number;
	uint64_t more[2];
};

static struct bench_set bench;
static struct lttngmap_tracepoint tracepoint;
static uint64_t ring_size;
/* Where the event's instructions are, from its first channel on. */
static uint8_t *addresses[STEPS_MAX];
static unsigned steps;
static bool forks;
/* The second breakpoint, one of `addresses`, or NULL. */
static uint8_t *next;
static pid_t child;
static int child_status;

static struct rseq *area(void)
{
	return (struct rseq *)(arch_thread_token() + (uint64_t)__rseq_offset);
}

static void emit(uint64_t number)
{
	const struct fields fields = { .number = number, .more = { number + 1, number + 2 } };

	lttngmap_event_write(&tracepoint, &fields, sizeof(fields), NULL);
}

static void set_up(void)
{
	const struct bench_set_config config = {
		.mode = LTTNGMAP_MODE_OVERWRITE,
		.clock = LTTNGMAP_CLOCK_TSC,
		.subbuf_shift = SUBBUF_SHIFT,
		.subbufs_shift = SUBBUFS_SHIFT,
		.use_rseq = true,
	};

	bench_set_create(&bench, &config);
	madvise(bench.local, sizeof(*bench.local), MADV_WIPEONFORK);
	ring_size = ((UINT64_C(1) << SUBBUFS_SHIFT) + 1) << SUBBUF_SHIFT;
	for (uint32_t slot = 1; slot < CHANNELS; slot++)
		bench_set_add_channel(&bench, slot);
	bench.process->channels = ALL;
	bench.control->event_words[ID] = ALL;
	tracepoint.word = &bench.control->event_words[ID];
	/* The first one goes the general way. */
	emit(0);
}

static const struct lttngmap_ring *ring_of(uint32_t slot, uint32_t index)
{
	return (const void *)(bench.local->rings[slot].rings +
			      index * lttngmap_ring_stride(1u << SUBBUFS_SHIFT));
}

static const char *data_of(uint32_t slot, uint32_t index)
{
	const char *data = slot ? bench.local->rings[slot].data : bench.data + META_PAGE;

	return data + index * ring_size;
}

/* How many records of that number are in the channel, all of whose records are of emit(). */
static unsigned count(uint32_t slot, uint64_t number)
{
	unsigned found = 0;

	for (uint32_t i = 0; i < bench.control->cpu_rings + LTTNGMAP_EXTRA_RINGS; i++) {
		uint64_t end = ring_of(slot, i)->commit[0] & LTTNGMAP_POSITION_MASK;
		struct fields fields;

		for (uint64_t at = 0; at < end;
		     at += LTTNGMAP_RECORD_HEADER_SIZE + sizeof(fields)) {
			memcpy(&fields, data_of(slot, i) + at + LTTNGMAP_RECORD_HEADER_SIZE,
			       sizeof(fields));
			found += fields.number == number && fields.more[0] == number + 1 &&
				 fields.more[1] == number + 2;
		}
	}
	return found;
}

/* In how many of the channels is one record of that number? */
static unsigned channels_with_one(uint64_t number)
{
	unsigned good = 0;

	for (uint32_t slot = 0; slot < CHANNELS; slot++)
		good += count(slot, number) == 1;
	return good;
}

/* The header of the channel's last record in ring 0, which is of so many bytes. */
static uint64_t header_of(uint32_t slot, size_t size, const void *fields)
{
	uint64_t end = ring_of(slot, 0)->commit[0] & LTTNGMAP_POSITION_MASK, header;
	const char *record = data_of(slot, 0) + end - size - LTTNGMAP_RECORD_HEADER_SIZE;

	if (end < size + LTTNGMAP_RECORD_HEADER_SIZE)
		return slot;
	memcpy(&header, record, sizeof(header));
	return memcmp(record + sizeof(header), fields, size) == 0 ? header : slot;
}

static void test_records(void)
{
	static const size_t sizes[] = { 0, 1, 8, 12, 16, 17, 24, 301, 3952 };
	static unsigned char bytes[LTTNGMAP_RECORD_MAX];
	unsigned same = 0, ids = 0, announced = 0;

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 7 + 1);
	set_up();
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		/* A sequence that was aborted goes on the general way, by another clock. */
		for (unsigned tries = 0; tries < 10; tries++) {
			uint64_t header, section;
			unsigned good = 1;

			lttngmap_event_write(&tracepoint, bytes, sizes[i], NULL);
			section = area()->rseq_cs;
			header = header_of(0, sizes[i], bytes);
			for (uint32_t slot = 1; slot < CHANNELS; slot++)
				good += header_of(slot, sizes[i], bytes) == header;
			if (good < CHANNELS)
				continue;
			same++;
			announced += section != 0;
			ids += (header & 0xffff) == ID;
			break;
		}
	}
	is(same, sizeof(sizes) / sizeof(sizes[0]),
	   "records of all sizes, the same one in each channel");
	is(ids, same, "… with the event's id");
	is(announced, 0, "… and no section is announced behind them");
	bench_set_destroy(&bench);
}

static void test_left(void)
{
	uint32_t generation;
	unsigned announced = 0;

	set_up();
	bench.control->channels[1].generation = 0;
	emit(1);
	is(count(0, 1), 1, "a channel that is off in the middle: one record in the one before");
	is(count(1, 1), 0, "… none in it");
	is(count(2, 1), 1, "… one in the one behind");
	bench.control->channels[1].generation = 1;
	/* Nothing of it is known, either, so that the general way enters no section. */
	bench.control->channels[2].generation = 0;
	bench.local->channels[2].generation = 0;
	bench.local->channels[2].fast_cpus = 0;
	emit(2);
	is(count(1, 2), 1, "the last one is off: one record before it");
	/* One that is aborted leaves another section's announcement. */
	for (int i = 0; i < 100; i++) {
		emit(6);
		announced += area()->rseq_cs != 0;
	}
	ok(announced < 10, "… and no section is announced behind that");
	bench.control->channels[2].generation = 1;
	generation = bench.local->channels[1].generation;
	bench.local->channels[1].fast_cpus = 0;
	emit(3);
	is(channels_with_one(3), CHANNELS, "a channel that needs the general way");
	bench.local->channels[1].generation = generation + 1;
	emit(4);
	is(channels_with_one(4), CHANNELS, "a channel of which another state is cached");
	bench.process->channels = 1 << 1 | 1 << 2;
	emit(5);
	is(count(0, 5), 0, "two channels of three: none in the first one");
	is(count(1, 5) + count(2, 5), 2, "… one in each of the others");
	bench_set_destroy(&bench);
}

static void write_or_fork(void)
{
	if (!forks) {
		emit(2);
		return;
	}
	child = fork();
	if (child > 0)
		waitpid(child, &child_status, 0);
}

static void on_first(void)
{
	if (next)
		breakpoint_arm(next, write_or_fork);
	else
		write_or_fork();
}

static void emit_ninth(void)
{
	emit(9);
}

/* Which instructions an event of all channels takes, from the clock to the end. */
static void trace_steps(void)
{
	unsigned kept = 0;

	steps = breakpoint_trace(emit_ninth, addresses, STEPS_MAX);
	/* Each one once: from the first one that comes a second time, one pass. */
	for (unsigned i = 0; i < steps; i++) {
		unsigned times = 0;

		for (unsigned j = 0; j < steps; j++)
			times += addresses[j] == addresses[i];
		if (times >= CHANNELS) {
			bool is_new = true;

			for (unsigned j = 0; j < kept; j++)
				is_new &= addresses[j] != addresses[i];
			if (is_new)
				addresses[kept++] = addresses[i];
		}
	}
	steps = kept;
}

struct tally {
	unsigned tried, harmed, crashed;
};

static void try_at(uint8_t *first, uint8_t *second, struct tally *tally)
{
	pid_t self = getpid();
	bool is_tried;

	set_up();
	child = -1;
	child_status = 0;
	next = second;
	breakpoint_arm(first, on_first);
	emit(1);
	/* Where this was preempted meanwhile, a breakpoint may be passed by. */
	is_tried = breakpoint_disarm() == 1u + (second != NULL);
	if (getpid() != self)
		_exit(0);
	tally->tried += is_tried;
	tally->crashed += child_status != 0;
	emit(3);
	tally->harmed += channels_with_one(1) != CHANNELS ||
			 channels_with_one(2) != (forks || !is_tried ? 0 : CHANNELS) ||
			 channels_with_one(3) != CHANNELS;
	next = NULL;
	bench_set_destroy(&bench);
}

/* `between`: after an interrupt between the first two sections. */
static void test_interrupted(const char *name, bool between)
{
	struct tally tally = { 0 };
	/* The commit is the last but three of a pass: behind it a channel is taken off. */
	uint8_t *gap = addresses[steps - 3];

	for (unsigned i = 0; i < steps; i++)
		try_at(between ? gap : addresses[i], between ? addresses[i] : NULL, &tally);
	ok(tally.tried > steps / 2, "%s: interrupted at %u of %u instructions", name, tally.tried,
	   steps);
	is(tally.crashed, 0, "… no child crashed");
	is(tally.harmed, 0, "… and each event is in each channel once");
}

int main(void)
{
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
#ifdef __SANITIZE_THREAD__
	skip_all("the thread sanitizer is shown the general way only");
#endif
	if (__rseq_size == 0 || sched_setaffinity(0, sizeof(cpu), &cpu) < 0)
		skip_all("restartable sequences are off, or CPU 0 is not to be had");
	/* No daemon: a child finds that it is not traced. */
	setenv("LTTNGMAP_RUNTIME_DIR", "/nonexistent", 1);
	breakpoint_prepare();
	rcu_register_thread();
	ring_set_table_create();
	test_records();
	test_left();
	set_up();
	trace_steps();
	bench_set_destroy(&bench);
	ok(steps > 50, "an event of %u channels has %u instructions for each", CHANNELS, steps);
	if (steps > 50) {
		test_interrupted("a handler that writes the event", false);
		test_interrupted("… behind another interrupt", true);
		forks = true;
		test_interrupted("a handler that forks", false);
		test_interrupted("… behind another interrupt", true);
	}
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
