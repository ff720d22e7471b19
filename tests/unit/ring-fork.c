/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A signal handler that forks in the middle of a write: the child comes back
 * from the handler into a write that its parent began. By single steps, one
 * fork at each instruction of a write, by rseq, by trylock, and by trylock of
 * rings that processes share: the child does not crash, and the parent's ring is
 * whole. Then with a child that comes back after its parent has gone on.
 *
 * A trap aborts a restartable sequence as any signal does; so each of them is
 * reached, at its first instructions, and then again from the beginning.
 */
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <urcu.h>

#include "liblttngmap/ring/ring.h"
#include "liblttngmap/event/ring-write.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/short.h"
#include "tests/utils/tap.h"

#define TRAP_FLAG 0x100
/* In the short form, one of so many instructions. */
#define EVERY 4
#define STEPS_MAX 300 /* for rseq, some way into the second attempt, made from the beginning */
/* Records after which the next one needs another sub-buffer. */
#define RECORDS ((4096 - LTTNGMAP_SUBBUF_TAIL) / (LTTNGMAP_RECORD_HEADER_SIZE + 48))
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define TRYLOCK_STEPS_MAX STEPS_MAX /* of some thousand */
#else
#define TRYLOCK_STEPS_MAX 2000 /* never reached */
#endif
#define FILL UINT64_C(0x0123456789abcdef)

struct fields {
	uint64_t number;
	uint64_t fill[5];
};

enum way { TRYLOCK, TRYLOCK_SHARED, RSEQ, RSEQ_SHORT, RSEQ_IP, RSEQ_VTID };

static struct bench_set bench;
static unsigned steps, fork_at;
static pid_t child;
static bool is_child;
static int child_status;
/* A child that waits until its parent says so. */
static bool is_late;
static int gate[2];
/* A child that the handler's own event attached, so that its pages are not zero any more. */
static bool is_attached;
/* Of a record, its contexts and its fields. */
static size_t contexts_size, fields_size;

static void on_trap(int number, siginfo_t *info, void *context)
{
	ucontext_t *machine = context;

	(void)number;
	(void)info;
	if (++steps < fork_at)
		return;
	machine->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	child = fork();
	is_child = child == 0;
	if (is_child && is_attached) {
		static const struct lttngmap_process process;

		bench.local->epoch = 2;
		bench.local->process = &process;
	}
	if (is_late) {
		char byte;

		if (is_child && read(gate[0], &byte, 1) != 1)
			_exit(2);
	} else if (child > 0) {
		/* The child's part of the write is done before the parent's. */
		waitpid(child, &child_status, 0);
	}
}

static void emit(uint64_t number, bool stepping)
{
	struct fields fields = { .number = number };
	struct ring_event event = { .fields = &fields, .size = fields_size, .id = 1 };

	for (unsigned i = 0; i < sizeof(fields.fill) / 8; i++)
		fields.fill[i] = FILL + number;
	if (stepping)
		__asm__ volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq"
				 :
				 : "i"(TRAP_FLAG)
				 : "memory", "cc");
	bench_set_write(&bench, &event);
	if (stepping)
		__asm__ volatile("pushfq\n\tandq %0, (%%rsp)\n\tpopfq"
				 :
				 : "i"(~TRAP_FLAG)
				 : "memory", "cc");
}

struct tally {
	unsigned crashed, torn, missing, closed, locked;
};

/* Records 0 (so many) to 3 are there, 1 (the child's too) perhaps twice. */
static void check(unsigned before, struct tally *tally)
{
	unsigned seen[4] = { 0 };
	struct lttngmap_packet packet;

	bench_set_stop(&bench);
	for (;;) {
		const char *at, *end;

		packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY };
		if (ring_set_get_packet(bench.set, &packet) < 0)
			break;
		at = bench.data + 4096 + ((uint64_t)packet.subbuf_id << 12) + packet.offset;
		for (end = at + packet.length; at < end; at += 8 + contexts_size + fields_size) {
			struct fields fields;

			memcpy(&fields, at + 8 + contexts_size, fields_size);
			if (fields.number > 3 ||
			    fields.fill[fields_size / 8 - 2] != FILL + fields.number)
				tally->torn++;
			else
				seen[fields.number]++;
		}
		if (at != end)
			tally->torn++;
	}
	tally->missing += !seen[0] + !seen[1] + !seen[2] + !seen[3];
	tally->missing += seen[0] < before;
	/* By trylock a child that is in its last instructions may store once more what is there. */
	tally->torn += seen[0] > before || seen[1] > 1 || seen[2] > 1 || seen[3] > 1;
	tally->closed += bench.totals.closed_rings != 0;
}

static void fork_once(enum way way, unsigned before, struct tally *tally)
{
	struct bench_set_config config = {
		.mode = LTTNGMAP_MODE_DISCARD,
		.clock = LTTNGMAP_CLOCK_TSC,
		.subbuf_shift = 12,
		.subbufs_shift = 1,
		.use_rseq = way >= RSEQ,
		.shared = way == TRYLOCK_SHARED,
	};

	contexts_size = way == RSEQ_IP ? CONTEXTS_OF_IP_SIZE : way == RSEQ_VTID ? sizeof(pid_t) : 0;
	fields_size = way == RSEQ_SHORT ? 16 : sizeof(struct fields);
	bench_set_create(&bench, &config);
	bench.control->channels[0].contexts = way == RSEQ_IP     ? CONTEXTS_OF_IP
					      : way == RSEQ_VTID ? CONTEXTS_OF_VTID
								 : 0;
	madvise(bench.local, sizeof(*bench.local), MADV_WIPEONFORK);
	steps = 0;
	child = -1;
	child_status = 0;
	for (unsigned i = 0; i < before; i++)
		emit(0, false);
	emit(1, true);
	if (is_child)
		_exit(0);
	emit(2, false);
	if (is_late && child > 0 && write(gate[1], "", 1) == 1)
		waitpid(child, &child_status, 0);
	/* Where the child has put back an old commit, this finds it out. */
	emit(3, false);
	tally->crashed += child_status != 0;
	tally->locked += bench_set_locked(&bench);
	check(before, tally);
	bench_set_destroy(&bench);
}

static unsigned steps_max(enum way way)
{
	return way >= RSEQ ? STEPS_MAX : TRYLOCK_STEPS_MAX;
}

static void test(const char *name, enum way way)
{
	struct tally tally = { 0 };

	for (fork_at = 1; fork_at < steps_max(way); fork_at++) {
		if (!short_takes(fork_at, EVERY))
			continue;
		fork_once(way, 1, &tally);
		if (child < 0) /* the write was over before */
			break;
	}
	diag("%s: %u instructions", name, fork_at - 1);
	ok(fork_at > 50, "%s: a write was stepped through", name);
	is(tally.crashed, 0, "… no child crashed");
	is(tally.torn, 0, "… the parent's ring has whole records only");
	is(tally.missing, 0, "… and all of them");
	is(tally.closed, 0, "… and was not found spoiled");
	is(tally.locked, 0, "… nor left locked");
}

/* A child that comes back when its parent is further. */
static void test_late(const char *name, enum way way, unsigned before)
{
	unsigned harmed = 0, crashed = 0;

	is_late = true;
	for (fork_at = 1; fork_at < steps_max(way); fork_at++) {
		struct tally tally = { 0 };

		if (!short_takes(fork_at, EVERY))
			continue;
		fork_once(way, before, &tally);
		if (child < 0)
			break;
		crashed += tally.crashed;
		harmed += tally.torn || tally.missing || tally.closed || tally.locked;
	}
	is_late = false;
	diag("%s: %u instructions, %u forks did harm", name, fork_at - 1, harmed);
	ok(fork_at > 50, "%s: a write was stepped through", name);
	is(crashed, 0, "… no late child crashed");
	is(harmed, 0, "… nor changed what its parent had written");
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	cpu_set_t cpu;

	/* All records in one ring, where CPU 0 is to be had. */
	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);

	/* No daemon: a child finds that it is not traced. */
	setenv("LTTNGMAP_RUNTIME_DIR", "/nonexistent", 1);
	sigaction(SIGTRAP, &action, NULL);
	rcu_register_thread();
	ring_set_table_create();
	test("trylock", TRYLOCK);
	test("trylock, shared", TRYLOCK_SHARED);
	test("rseq", RSEQ);
	test("rseq, a short event", RSEQ_SHORT);
	test("rseq, vtid and ip", RSEQ_IP);
	test("rseq, vtid", RSEQ_VTID);
	is_attached = true;
	test("trylock, the child attached", TRYLOCK);
	test("trylock, shared, the child attached", TRYLOCK_SHARED);
	test("rseq, the child attached", RSEQ);
	test("rseq, a short event, the child attached", RSEQ_SHORT);
	test("rseq, vtid and ip, the child attached", RSEQ_IP);
	is_attached = false;
	if (pipe(gate) < 0)
		bail_out("no pipe");
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
	skip(12,
	     "instrumented, a write is of some thousand instructions, also behind its last look");
#else
	test_late("trylock, a late child", TRYLOCK, 1);
	test_late("trylock, a late child of a move", TRYLOCK, RECORDS);
	test_late("trylock, shared, a late child", TRYLOCK_SHARED, 1);
	test_late("trylock, shared, a late child of a move", TRYLOCK_SHARED, RECORDS);
#endif
	test_late("rseq, a late child", RSEQ, 1);
	test_late("rseq, a late child of a short event", RSEQ_SHORT, 1);
	test_late("rseq, a late child of one with vtid and ip", RSEQ_IP, 1);
	test_late("rseq, a late child of a move", RSEQ, RECORDS);
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
