/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * What a ring meets once in a long life, or in an unlucky nanosecond, brought
 * about by hand: a writer that is preempted between two steps, counts and
 * positions near their ends, a stop and a start while a packet is held.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <urcu.h>

#include "common/base/clock.h"
#include "liblttngmap/attach/channel.h"
#include "liblttngmap/ring/ring-switch.h"
#include "liblttngmap/event/ring-write.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/tap.h"

#define SUBBUF_SHIFT 12
#define SUBBUFS_SHIFT 2
#define SUBBUFS (1u << SUBBUFS_SHIFT)
#define RECORD 64
#define RECORDS (((1u << SUBBUF_SHIFT) - LTTNGMAP_SUBBUF_TAIL) / RECORD) /* in a sub-buffer */
/* A test that hangs is a test that failed. */
#define HANG_SECONDS 20

static struct bench_set bench;

/* More than a wrap of 48 bits, less than half of the next: it looks like no time at all. */
#define IDLE (LTTNGMAP_TIMESTAMP_MASK + (UINT64_C(1) << 44))
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

static struct lttngmap_ring *ring0(void)
{
	return ring_of(0);
}

static struct lttngmap_subbuf *subbuf0(uint32_t id)
{
	return lttngmap_ring_subbufs(ring0(), SUBBUFS) + id;
}

static void set_up_with(enum lttngmap_mode mode, enum lttngmap_clock clock, bool use_rseq)
{
	struct bench_set_config config = {
		.mode = mode,
		.clock = clock,
		.subbuf_shift = SUBBUF_SHIFT,
		.subbufs_shift = SUBBUFS_SHIFT,
		.use_rseq = use_rseq,
	};

	bench_set_create(&bench, &config);
	alarm(HANG_SECONDS);
}

static void set_up(enum lttngmap_mode mode, bool use_rseq)
{
	set_up_with(mode, LTTNGMAP_CLOCK_TSC, use_rseq);
}

static void tear_down(void)
{
	bench_set_destroy(&bench);
	alarm(0);
}

/* Into ring 0: by rseq on CPU 0, by trylock because all others are held. */
static void emit(unsigned events)
{
	static const uint64_t fields[RECORD / 8 - 1];
	uint32_t rings = bench.control->cpu_rings + LTTNGMAP_EXTRA_RINGS;
	struct ring_event event = { .fields = fields, .size = sizeof(fields), .id = 1 };

	for (uint32_t ring = 1; ring < rings; ring++)
		bench_set_hold(&bench, ring_of(ring), true);
	while (events--)
		bench_set_write(&bench, &event);
}

static uint64_t position0(void)
{
	return ring0()->commit[0] & LTTNGMAP_POSITION_MASK;
}

static int get_packet(struct lttngmap_packet *packet)
{
	*packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY,
					    .flags = LTTNGMAP_PACKET_PARTIAL };
	return ring_set_get_packet(bench.set, packet);
}

static void test_late_discards(void)
{
	struct lttngmap_packet packet;

	set_up(LTTNGMAP_MODE_DISCARD, false);
	emit(10);
	ring0()->discards = 6;
	is(get_packet(&packet), 0, "a partial packet");
	is(packet.discarded, 6, "… tells of discarded events");
	emit(RECORDS);
	/* The move was prepared before the sixth was counted. */
	subbuf0(0)->discards = 5;
	is(get_packet(&packet), 0, "the move out of that sub-buffer may know of fewer");
	is(packet.discarded, 6, "… and the packet still tells of all");
	is(bench.totals.closed_rings, 0, "… and the ring is not closed for it");
	tear_down();
}

/* As a child does that was forked in the middle of a write, and is late. */
static void test_late_commit(void)
{
	struct lttngmap_packet packet;
	uint64_t commit[2];

	set_up(LTTNGMAP_MODE_DISCARD, false);
	emit(10);
	commit[0] = ring0()->commit[0];
	commit[1] = ring0()->commit[1];
	emit(10);
	is(get_packet(&packet), 0, "a packet");
	ring0()->commit[0] = commit[0];
	ring0()->commit[1] = commit[1];
	is(get_packet(&packet), -EAGAIN, "a commit that goes back is not believed");
	emit(5);
	is(get_packet(&packet), 0, "… and mended by the next event");
	is(packet.events, 5, "… behind all those before");
	ring0()->commit[0] = commit[0];
	ring0()->commit[1] = commit[1];
	emit(2 * RECORDS);
	is(get_packet(&packet), 0, "… also where that needs another sub-buffer");
	is(position0() >> SUBBUF_SHIFT, 2, "… the second after it");
	is(bench.totals.closed_rings, 0, "… and the ring is not closed for it");
	tear_down();
}

/* Who waits for room in a ring that is closed, waits for nothing. */
static void test_closed_while_full(void)
{
	struct lttngmap_packet packet;

	set_up(LTTNGMAP_MODE_BLOCKING, false);
	emit(RECORDS + 1);
	subbuf0(0)->content_size = 1u << SUBBUF_SHIFT;
	is(get_packet(&packet), -EAGAIN, "a ring is closed");
	is(bench.totals.closed_rings, 1, "… for it is damaged");
	alarm(10);
	emit(SUBBUFS * RECORDS);
	alarm(0);
	ok(ring0()->discards > 0, "and what it has no room for is counted, not waited for");
	tear_down();
}

static void test_late_base(void)
{
	const uint64_t count = UINT64_C(5000000000);

	set_up(LTTNGMAP_MODE_OVERWRITE, false);
	emit(1);
	ring0()->commit[0] = UINT64_C(1) << 40 | (count & 0xffff) << LTTNGMAP_COUNT_SHIFT;
	ring0()->commit[1] = (count >> 16 & 0xffff) << LTTNGMAP_COUNT_SHIFT;
	/* A switch after our look at the commit; its own commit is not there yet. */
	ring0()->events_base = count + 10;
	ring_set_poll(bench.set);
	is(bench.totals.written, count, "the count is right beside a base of a later switch");
	ring0()->events_base = count - 10;
	ring_set_poll(bench.set);
	is(bench.totals.written, count, "… and of an earlier one");
	tear_down();
}

static void test_lapped(void)
{
	struct lttngmap_packet packet;
	uint64_t kept = 0, told = 0;

	set_up(LTTNGMAP_MODE_OVERWRITE, false);
	emit(10);
	is(get_packet(&packet), 0, "a partial packet of an overwritten ring");
	emit(SUBBUFS * RECORDS + 10);
	is(ring_set_check_packet(bench.set), -ESTALE, "… is overwritten while it is held");
	bench_set_stop(&bench);
	while (get_packet(&packet) == 0) {
		kept += packet.events;
		told = packet.discarded;
	}
	is(bench.totals.overwritten + kept, 10 + SUBBUFS * RECORDS + 10, "… which is counted");
	is(told, bench.totals.overwritten, "… and told by the packets after it");
	tear_down();
}

/* What a writer commits after a stop froze the ring belongs to the next start. */
static void test_frozen(void)
{
	struct lttngmap_packet packet;

	set_up(LTTNGMAP_MODE_DISCARD, false);
	emit(5);
	ring_set_freeze(bench.set);
	emit(3);
	is(get_packet(&packet), 0, "a packet of a frozen ring");
	is(packet.events, 5, "… has the events before that only");
	ok(get_packet(&packet) < 0, "… and none is after it");
	ring_set_thaw(bench.set);
	is(get_packet(&packet), 0, "the next start");
	is(packet.events, 3, "… has those after it");
	tear_down();
}

/* An event that had begun before the stop may come after it, and before a clear. */
static void test_cleared_while_frozen(void)
{
	struct ring_totals totals = { .written = 0 };
	struct lttngmap_packet packet;

	set_up(LTTNGMAP_MODE_DISCARD, false);
	emit(5);
	ring_set_freeze(bench.set);
	emit(3);
	ring_set_clear(bench.set, &totals);
	ok(get_packet(&packet) < 0, "a frozen ring that is cleared is empty");
	emit(2);
	ok(get_packet(&packet) < 0, "… and frozen");
	ring_set_thaw(bench.set);
	is(get_packet(&packet), 0, "the next start");
	is(packet.events, 2, "… has those after the clear only");
	is(totals.written, 2, "… and counts no others");
	tear_down();
}

/* A writer that is preempted between taking the oldest slot and its move. */
static void test_taken_slot(void)
{
	const unsigned later =
		((1u << SUBBUF_SHIFT) - LTTNGMAP_SUBBUF_TAIL - LTTNGMAP_SUBBUF_HEAD) /
		RECORD; /* than the first one */
	struct ring_channel channel;
	struct lttngmap_packet packet;
	struct ring_move move;

	set_up(LTTNGMAP_MODE_OVERWRITE, false);
	emit(RECORDS + (SUBBUFS - 1) * later);
	is(channel_cached(bench.local, 0, &channel), CHANNEL_ON, "a writer of an overwritten ring");
	is(ring_switch_prepare(&channel, ring0(), RECORD, &move), RING_WRITTEN,
	   "… takes the oldest slot");
	is(get_packet(&packet), 0, "the reader goes on with the next one");
	is(packet.events, later, "… which is whole");
	is(bench.totals.overwritten, RECORDS, "… and counts what was overwritten");
	is(bench.totals.closed_rings, 0, "… and the ring is good");
	tear_down();
}

static void test_held_over_restart(void)
{
	struct lttngmap_packet packet;

	set_up(LTTNGMAP_MODE_OVERWRITE, false);
	emit(10);
	bench_set_stop(&bench);
	is(get_packet(&packet), 0, "the last packet of a stopped ring");
	ok(packet.flags & LTTNGMAP_PACKET_VOLATILE, "… may be overwritten");
	ring_set_thaw(bench.set);
	bench.control->channels[0].generation = 2;
	emit(2 * SUBBUFS * RECORDS);
	is(ring_set_check_packet(bench.set), -ESTALE, "… once the session is started again");
	tear_down();
}

/* All slots as a long life leaves them, at the last sub-buffer of 48 bits. */
static void age_ring(void)
{
	uint64_t last = LTTNGMAP_POSITION_MASK >> SUBBUF_SHIFT;

	emit(1);
	for (uint64_t seq = last - SUBBUFS + 1; seq <= last; seq++) {
		uint32_t index = seq & (SUBBUFS - 1);

		lttngmap_ring_slots(ring0())[index] =
			lttngmap_slot_make(seq, LTTNGMAP_SLOT_WRITING, index, index);
	}
	ring0()->opened[lttngmap_ring_side(last)] = ring0()->opened[lttngmap_ring_side(0)];
	ring0()->start[lttngmap_ring_side(last)] =
		ring0()->start[lttngmap_ring_side(0)] + ((last & (SUBBUFS - 1)) << SUBBUF_SHIFT);
	ring0()->commit[0] = (last << SUBBUF_SHIFT) | UINT64_C(1) << LTTNGMAP_COUNT_SHIFT;
	bench_set_believe(&bench, ring0());
}

static void test_position_ends(bool use_rseq)
{
	set_up(LTTNGMAP_MODE_OVERWRITE, use_rseq);
	age_ring();
	emit(RECORDS + 100);
	diag("by %s", use_rseq ? "rseq" : "trylock");
	is(ring0()->discards, 100, "events beyond 2^48 bytes are counted as lost");
	is(position0() >> SUBBUF_SHIFT, LTTNGMAP_POSITION_MASK >> SUBBUF_SHIFT,
	   "… the position stays in the last sub-buffer");
	is(ring0()->commit[0] >> LTTNGMAP_COUNT_SHIFT, 1 + RECORDS,
	   "… and the count of those before is right");
	tear_down();
}

static void test_damaged_table(bool use_rseq)
{
	set_up(LTTNGMAP_MODE_DISCARD, use_rseq);
	lttngmap_ring_slots(ring0())[1] = lttngmap_slot_make(99, LTTNGMAP_SLOT_WRITING, 1, 1);
	emit(RECORDS + 5);
	diag("by %s", use_rseq ? "rseq" : "trylock");
	is(bench_set_discards(&bench), 5, "a damaged table of sub-buffers loses events, no more");
	is(ring0()->lock, 0, "… and the ring's lock is free");
	tear_down();
}

/* A move that a signal stops right before its last store; its clock. */
static uint64_t abort_move(void)
{
	struct ring_channel channel;
	struct ring_move move = { .expected = 0 };

	is(channel_cached(bench.local, 0, &channel), CHANNEL_ON, "a writer");
	is(ring_switch_prepare(&channel, ring0(), RECORD, &move), RING_WRITTEN,
	   "… prepares a move");
	for (unsigned i = 0; i < sizeof(move.stores) / sizeof(move.stores[0]); i++)
		*move.stores[i].to = move.stores[i].value;
	return move.commit[1] & LTTNGMAP_TIMESTAMP_MASK;
}

static void test_aborted_moves(bool use_rseq)
{
	struct lttngmap_packet packet;
	uint64_t aborted;

	/* Of 48 bits the highest is set, as after 39 hours. */
	clock_offset = UINT64_C(1) << 47;
	set_up_with(LTTNGMAP_MODE_DISCARD, LTTNGMAP_CLOCK_MONOTONIC, use_rseq);
	diag("by %s", use_rseq ? "rseq" : "trylock");
	abort_move();
	emit(RECORDS);
	aborted = abort_move();
	emit(1);
	is(get_packet(&packet), 0, "aborted moves leave a sub-buffer that is read");
	is(packet.events, RECORDS, "… with all its events");
	ok(packet.timestamp_end < aborted, "… which ended before the move that was aborted");
	is(get_packet(&packet), 0, "… and one after it");
	is(bench.totals.closed_rings, 0, "… and the ring is not closed for it");
	tear_down();
	clock_offset = 0;
}

static void test_idle(bool use_rseq)
{
	struct lttngmap_packet packet;
	uint64_t last, now;

	set_up_with(LTTNGMAP_MODE_DISCARD, LTTNGMAP_CLOCK_MONOTONIC, use_rseq);
	diag("by %s", use_rseq ? "rseq" : "trylock");
	clock_offset += IDLE;
	last = clock_read(LTTNGMAP_CLOCK_MONOTONIC);
	emit(5);
	is(position0() >> SUBBUF_SHIFT, 0, "the first events are in the first sub-buffer");
	clock_offset += IDLE;
	is(get_packet(&packet), 0, "a packet of an idle ring");
	ok(packet.timestamp_begin >= last, "… begins not before its first event");
	ok(packet.timestamp_end >= last && packet.timestamp_end < last + IDLE / 2,
	   "… and ends with its last");
	now = clock_read(LTTNGMAP_CLOCK_MONOTONIC);
	emit(5);
	is(position0() >> SUBBUF_SHIFT, 1, "an event after long idleness is in a new sub-buffer");
	is(get_packet(&packet), 0, "… whose packet comes next");
	is(packet.events, 5, "… with all of the new events");
	ok(packet.timestamp_begin >= now, "… and begins not before them");
	is(bench.totals.closed_rings, 0, "… and the ring is good");
	tear_down();
	clock_offset = 0;
}

/* The number of the process that the first record of the next packet tells. */
static int32_t told_vpid(void)
{
	struct lttngmap_packet packet;
	int32_t vpid = -1;

	if (get_packet(&packet) == 0)
		memcpy(&vpid,
		       bench.data + 4096 + ((uint64_t)packet.subbuf_id << SUBBUF_SHIFT) +
			       packet.offset + LTTNGMAP_RECORD_HEADER_SIZE,
		       sizeof(vpid));
	return vpid;
}

static void test_vfork_contexts(void)
{
	pid_t child;

	set_up(LTTNGMAP_MODE_DISCARD, false);
	bench.control->channels[0].contexts = 1 << LTTNGMAP_CONTEXT_VPID;
	child = vfork();
	if (child == 0) {
		emit(1);
		_exit(0);
	}
	is(told_vpid(), child, "an event of a vfork's child tells of the child");
	emit(1);
	is(told_vpid(), getpid(), "… and its parent's next event of the parent");
	child = vfork();
	if (child == 0) {
		emit(1);
		_exit(0);
	}
	is(told_vpid(), child, "… and another child's of that");
	tear_down();
}

/* A tick is 10 ms. At `last_tick` the channel goes off, and a writer that waits goes on. */
static unsigned ticks, last_tick;

static void on_tick(int number)
{
	(void)number;
	if (++ticks == last_tick)
		__atomic_store_n(&bench.control->channels[0].generation, 0, __ATOMIC_RELAXED);
}

/* An event of blocking mode into a full ring, beside signals. How many events it lost. */
static uint64_t wait_in_full_ring(unsigned last, bool is_daemon_gone)
{
	const struct itimerval every_10ms = { { 0, 10000 }, { 0, 10000 } }, none = { 0 };
	struct sigaction action = { .sa_handler = on_tick };
	uint64_t discards;

	set_up(LTTNGMAP_MODE_BLOCKING, false);
	bench.local->allow_blocking = false;
	emit(SUBBUFS * RECORDS + 1);
	bench.local->allow_blocking = true;
	discards = ring0()->discards;
	if (is_daemon_gone) {
		close(bench.daemon_socket);
		bench.daemon_socket = -1;
	}
	ticks = 0;
	last_tick = last;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every_10ms, NULL);
	emit(1);
	setitimer(ITIMER_REAL, &none, NULL);
	signal(SIGALRM, SIG_DFL);
	discards = ring0()->discards - discards;
	tear_down();
	return discards;
}

static void test_wait_under_signals(void)
{
	is(wait_in_full_ring(300, true), 1,
	   "a writer whose daemon is gone counts its event as lost");
	ok(ticks < 100, "… and sees that soon, beside signals (%u)", ticks);
	is(wait_in_full_ring(150, false), 0, "one whose daemon is there loses nothing");
	ok(ticks >= 150, "… and waits for longer than a second (%u)", ticks);
}

int main(void)
{
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	rcu_register_thread();
	ring_set_table_create();
	test_late_discards();
	test_late_commit();
	test_closed_while_full();
	test_late_base();
	test_lapped();
	test_frozen();
	test_cleared_while_frozen();
	test_taken_slot();
	test_held_over_restart();
	test_aborted_moves(false);
	test_idle(false);
	test_position_ends(false);
	test_damaged_table(false);
	if (sched_setaffinity(0, sizeof(cpu), &cpu) == 0) {
		test_aborted_moves(true);
		test_idle(true);
		test_position_ends(true);
		test_damaged_table(true);
	}
	test_vfork_contexts();
	test_wait_under_signals();
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
