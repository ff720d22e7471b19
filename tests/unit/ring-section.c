/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * What a writer looks at once more when it is alone on a ring, each fired by
 * hand: the CPU, the channel's generation, the position that a move was
 * prepared for, the clock. And what it counts beyond 16 bits.
 */
#include <sched.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <urcu.h>

#include "common/base/clock.h"
#include "liblttngmap/attach/channel.h"
#include "liblttngmap/ring/ring-rseq.h"
#include "liblttngmap/ring/ring-switch.h"
#include "liblttngmap/ring/ring-trylock.h"
#include "liblttngmap/event/ring-write.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/tap.h"

#define SUBBUF_SHIFT 12
#define SUBBUFS_SHIFT 2
#define SUBBUFS (1u << SUBBUFS_SHIFT)
#define SMALL (LTTNGMAP_RECORD_HEADER_SIZE + 8)
/* As far as the clock goes back: less than what counts as a wrap. */
#define BACK UINT64_C(1000000)

static struct bench_set bench;
static struct ring_channel channel;
static uint64_t clock_offset;

/* In place of libc's, for both halves of the ring. */
int clock_gettime(clockid_t id, struct timespec *now)
{
	uint64_t ns;
	long result = syscall(SYS_clock_gettime, id, now);

	if (result < 0)
		return -1;
	ns = (uint64_t)now->tv_sec * 1000000000 + (uint64_t)now->tv_nsec + clock_offset;
	now->tv_sec = (time_t)(ns / 1000000000);
	now->tv_nsec = (long)(ns % 1000000000);
	return 0;
}

static struct lttngmap_ring *ring_of(uint32_t ring)
{
	return (struct lttngmap_ring *)(bench.rings + ring * lttngmap_ring_stride(SUBBUFS));
}

static uint32_t rings(void)
{
	return bench.control->cpu_rings + LTTNGMAP_EXTRA_RINGS;
}

/* With one event in ring 0. */
static void set_up_in(enum lttngmap_mode mode, enum lttngmap_clock clock, bool use_rseq)
{
	static const uint64_t field = 1;
	struct bench_set_config config = {
		.mode = mode,
		.clock = clock,
		.subbuf_shift = SUBBUF_SHIFT,
		.subbufs_shift = SUBBUFS_SHIFT,
		.use_rseq = use_rseq,
	};

	bench_set_create(&bench, &config);
	for (uint32_t ring = 1; ring < rings(); ring++)
		bench_set_hold(&bench, ring_of(ring), true);
	bench_set_write(&bench, &(struct ring_event){ &field, sizeof(field), NULL, 1, 0 });
	if (channel_cached(bench.local, 0, &channel) != CHANNEL_ON)
		bail_out("no channel");
}

static void set_up(enum lttngmap_clock clock, bool use_rseq)
{
	set_up_in(LTTNGMAP_MODE_OVERWRITE, clock, use_rseq);
}

static void emit(unsigned events)
{
	static const uint64_t field = 2;

	while (events--)
		bench_set_write(&bench, &(struct ring_event){ &field, sizeof(field), NULL, 1, 0 });
}

static struct ring_record make_record(uint32_t cpu, uint32_t generation)
{
	static const uint64_t field = 3;

	return (struct ring_record){
		.place = { cpu, generation, bench.local->epoch },
		.fields = &field,
		.total = SMALL,
		.step = SMALL + (UINT64_C(1) << LTTNGMAP_COUNT_SHIFT),
		.id = 1,
		.now = ring_clock(channel.clock),
	};
}

/* Clang 14 does not come to an end with it where it optimises. */
#ifdef __clang__
__attribute__((optnone))
#endif
static enum ring_result
write_by(bool is_copy, uint32_t ring, uint32_t cpu, uint32_t generation)
{
	struct ring_record record = make_record(cpu, generation);

	return ring_rseq_write(&channel, is_copy, __rseq_offset, ring_of(ring),
			       ring_channel_data(&channel) + ring * ring_channel_size(&channel),
			       &record);
}

static enum ring_result write_to(uint32_t ring, uint32_t cpu, uint32_t generation)
{
	return write_by(false, ring, cpu, generation);
}

/* What a forked child finds: its parent's view on its stack, its own pages wiped. */
static void test_copies(void)
{
	const uint64_t *epoch;
	static const uint64_t others[] = { 0, 7 };
	struct ring_move move;
	uint64_t before;

	set_up(LTTNGMAP_CLOCK_TSC, true);
	epoch = channel.epoch;
	is(write_by(true, 0, 0, channel.generation), RING_WRITTEN,
	   "a record by a copy of the view");
	before = ring_of(0)->commit[0];
	is(ring_switch_prepare(&channel, ring_of(0), 1u << SUBBUF_SHIFT, &move), RING_WRITTEN,
	   "a move by one");
	move.place = (struct ring_place){ 0, channel.generation, *epoch };
	channel.epoch = &others[0];
	is(write_by(true, 0, 0, channel.generation), RING_STALE, "a forked child's record by one");
	channel.epoch = &others[1];
	is(write_by(true, 0, 0, channel.generation), RING_STALE, "… which is attached");
	channel.clock = LTTNGMAP_CLOCK_MONOTONIC;
	is(write_by(true, 0, 0, channel.generation), RING_STALE, "… by the other clock");
	channel.clock = LTTNGMAP_CLOCK_TSC;
	is(ring_rseq_move(&channel, __rseq_offset, ring_of(0), &move), RING_STALE,
	   "a forked child's move");
	is(ring_of(0)->commit[0], before, "… are not there");
	channel.epoch = epoch;
	is(ring_rseq_move(&channel, __rseq_offset, ring_of(0), &move), RING_WRITTEN,
	   "its parent's is");
	bench_set_destroy(&bench);
}

static void test_sections(void)
{
	struct ring_move move;
	uint64_t before;
	enum ring_result result;

	set_up(LTTNGMAP_CLOCK_TSC, true);
	before = ring_of(0)->commit[0];
	is(write_to(0, 0, channel.generation), RING_WRITTEN, "a record for the CPU's own ring");
	ok(ring_of(0)->commit[0] != before, "… is there");
	before = ring_of(0)->commit[0];
	is(write_to(0, 1, channel.generation), RING_AGAIN, "one for another CPU's");
	is(write_to(0, 0, channel.generation + 1), RING_STALE, "one of another generation");
	__atomic_store_n(&bench.control->channels[0].generation, 0, __ATOMIC_RELAXED);
	is(write_to(0, 0, channel.generation), RING_STALE, "one after a stop");
	is(ring_of(0)->commit[0], before, "… are not");
	__atomic_store_n(&bench.control->channels[0].generation, channel.generation,
			 __ATOMIC_RELAXED);

	is(ring_switch_prepare(&channel, ring_of(0), 1u << SUBBUF_SHIFT, &move), RING_WRITTEN,
	   "a move is prepared");
	move.place = (struct ring_place){ 0, channel.generation, bench.local->epoch };
	emit(1);
	before = ring_of(0)->commit[0];
	is(ring_rseq_move(&channel, __rseq_offset, ring_of(0), &move), RING_AGAIN,
	   "but not made from another position");
	move.expected = before;
	move.place.cpu = 1;
	is(ring_rseq_move(&channel, __rseq_offset, ring_of(0), &move), RING_AGAIN,
	   "nor on another CPU");
	move.place = (struct ring_place){ 0, channel.generation + 1, bench.local->epoch };
	is(ring_rseq_move(&channel, __rseq_offset, ring_of(0), &move), RING_STALE,
	   "nor of another generation");
	is(ring_of(0)->commit[0], before, "… and the position stays");
	result = ring_switch_prepare(&channel, ring_of(0), 1u << SUBBUF_SHIFT, &move);
	move.place = (struct ring_place){ 0, channel.generation, bench.local->epoch };
	if (result == RING_WRITTEN)
		result = ring_rseq_move(&channel, __rseq_offset, ring_of(0), &move);
	is(result, RING_WRITTEN, "one that is right is made");
	is((ring_of(0)->commit[0] & LTTNGMAP_POSITION_MASK) >> SUBBUF_SHIFT, 1, "… once");
	bench_set_destroy(&bench);
}

static void test_room(void)
{
	struct ring_move move;

	set_up(LTTNGMAP_CLOCK_TSC, false);
	is(ring_switch_prepare(&channel, ring_of(0), SMALL, &move), RING_AGAIN,
	   "no move is prepared where there is room");
	is(lttngmap_slot_seq(lttngmap_ring_slots(ring_of(0))[1]), 0, "… and no slot taken");
	bench_set_destroy(&bench);
}

static void test_lock(void)
{
	struct ring_record record;
	struct lttngmap_ring *full;
	uint64_t before;

	set_up(LTTNGMAP_CLOCK_TSC, false);
	record = make_record(0, 0);
	before = ring_of(0)->commit[0];
	__atomic_store_n(&bench.control->channels[0].generation, 0, __ATOMIC_RELAXED);
	is(ring_trylock_write(bench.local, &channel, 0, rings() - 1, 0, &record, &full), RING_STALE,
	   "by trylock: a record after a stop");
	is(ring_of(0)->commit[0], before, "… is not there");
	is(ring_of(0)->lock, 0, "… and the ring's mark is gone");
	is(ring_lock_of(bench.local, &channel, 0)->holder, 0, "… and the lock is free");
	__atomic_store_n(&bench.control->channels[0].generation, channel.generation,
			 __ATOMIC_RELAXED);
	bench_set_hold(&bench, ring_of(0), true);
	is(ring_trylock_write(bench.local, &channel, 0, rings() - 1, 0, &record, &full), RING_TAKEN,
	   "one where all rings are held");
	is(ring_of(0)->commit[0], before, "… is not there");
	is(ring_lock_of(bench.local, &channel, 0)->holder, 1, "… and the lock is its holder's");
	bench_set_hold(&bench, ring_of(0), false);
	bench.local->epoch = 0;
	is(ring_trylock_write(bench.local, &channel, 0, rings() - 1, 0, &record, &full), RING_GONE,
	   "one of a forked child");
	is(ring_of(0)->commit[0], before, "… is not there");
	bench_set_destroy(&bench);
}

/* Timestamps of all records, in the order in which they stand there. */
static unsigned times_back(unsigned *records)
{
	struct lttngmap_packet packet = { .cpu = LTTNGMAP_CPU_ANY,
					  .flags = LTTNGMAP_PACKET_PARTIAL };
	uint64_t last = 0, header;
	unsigned back = 0;

	*records = 0;
	while (ring_set_get_packet(bench.set, &packet) == 0) {
		for (uint32_t at = 0; at < packet.length; at += SMALL) {
			memcpy(&header,
			       bench.data + 4096 + ((uint64_t)packet.subbuf_id << SUBBUF_SHIFT) +
				       packet.offset + at,
			       sizeof(header));
			back += header >> 16 < last;
			last = header >> 16;
			++*records;
		}
		packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY,
						   .flags = LTTNGMAP_PACKET_PARTIAL };
	}
	return back;
}

/*
 * Of rings that processes share another one may have written the table: no store goes beyond
 * the ring.
 */
static void test_foreign_table(bool use_rseq)
{
	const char *way = use_rseq ? "rseq" : "trylock";
	const uint64_t *beyond;
	uint64_t *slots;

	set_up(LTTNGMAP_CLOCK_MONOTONIC, use_rseq);
	slots = lttngmap_ring_slots(ring_of(0));
	beyond = (const uint64_t *)(bench.data + 4096 + ring_channel_size(&channel));
	slots[0] = lttngmap_slot_make(0, LTTNGMAP_SLOT_WRITING, SUBBUFS + 1, 0);
	emit(3);
	ok(beyond[SMALL / 8] == 0, "by %s: a sub-buffer that the ring does not have", way);
	slots[0] = lttngmap_slot_make(0, LTTNGMAP_SLOT_WRITING, 0, 0);
	slots[1] = lttngmap_slot_make(0, LTTNGMAP_SLOT_FREE, SUBBUFS + 1, 1);
	emit((1u << SUBBUF_SHIFT) / SMALL + 1);
	is(beyond[LTTNGMAP_SUBBUF_HEAD / 8 + 1], 0, "… a next one");
	is((ring_of(0)->commit[0] & LTTNGMAP_POSITION_MASK) >> SUBBUF_SHIFT, 0, "… is not begun");
	bench_set_destroy(&bench);
}

/* The time that an event takes, in ns, where every ring is held. */
static uint64_t emit_among_holders(void)
{
	uint64_t before = clock_read(LTTNGMAP_CLOCK_MONOTONIC);

	emit(1);
	return clock_read(LTTNGMAP_CLOCK_MONOTONIC) - before;
}

/*
 * A handler that interrupted its own thread's write waits for no holder: that may be itself. A busy
 * machine may let it stand still; so some tries.
 */
static void test_own_holder(void)
{
	unsigned tries = 0;
	uint64_t took;

	set_up_in(LTTNGMAP_MODE_BLOCKING, LTTNGMAP_CLOCK_MONOTONIC, false);
	bench_set_hold(&bench, ring_of(0), true);
	ok(emit_among_holders() > UINT64_C(500000000),
	   "in blocking mode an event waits for other threads that hold all rings");
	ring_lock_of(bench.local, &channel, 0)->holder = arch_thread_token();
	do
		took = emit_among_holders();
	while (++tries < 5 && took >= UINT64_C(200000000));
	ok(took < UINT64_C(200000000), "… but not where its own thread is one of them");
	is(bench_set_discards(&bench), 1 + tries, "… and is counted as lost");
	ring_lock_of(bench.local, &channel, 0)->holder = 0;
	bench_set_destroy(&bench);
}

static void test_clock_back(bool use_rseq)
{
	unsigned records;

	diag("by %s", use_rseq ? "rseq" : "trylock");
	clock_offset = UINT64_C(1000) * BACK;
	set_up(LTTNGMAP_CLOCK_MONOTONIC, use_rseq);
	emit(3);
	clock_offset -= BACK;
	emit(3);
	is(times_back(&records), 0, "a clock that goes back does not take the records along");
	is(records + bench_set_discards(&bench), 7, "… which are there, or counted as lost");
	is(bench.totals.closed_rings, 0, "… and the ring is good");
	bench_set_destroy(&bench);
	clock_offset = 0;
}

static void test_count(bool use_rseq, enum lttngmap_clock clock)
{
	const unsigned events = 70000;
	struct lttngmap_packet packet;

	diag("by %s", use_rseq ? "rseq" : "trylock");
	set_up(clock, use_rseq);
	emit(events);
	packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY };
	while (ring_set_get_packet(bench.set, &packet) == 0)
		packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY };
	is(bench.totals.written, events + 1, "more events than 16 bits count are counted");
	is(bench.totals.closed_rings, 0, "… and the ring is good");
	bench_set_destroy(&bench);
}

int main(void)
{
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	rcu_register_thread();
	ring_set_table_create();
	test_room();
	test_lock();
	test_own_holder();
	test_clock_back(false);
	/* event-trylock.c writes by the time stamp counter only. */
	test_count(false, LTTNGMAP_CLOCK_TSC);
	test_count(false, LTTNGMAP_CLOCK_MONOTONIC);
	test_foreign_table(false);
	if (__rseq_size == 0 || sched_setaffinity(0, sizeof(cpu), &cpu) < 0) {
		skip(21, "restartable sequences are off, or CPU 0 is not to be had");
	} else {
		test_sections();
		test_copies();
		test_clock_back(true);
		test_count(true, LTTNGMAP_CLOCK_TSC);
		test_foreign_table(true);
	}
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
