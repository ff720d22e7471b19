/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The way of an event in a process without restartable sequences
 * (liblttngmap/event/event-trylock.h), and all that makes it leave an event to the general way. The
 * general way computes where a record goes from the cached channel, the other one has it in the
 * lock. So where the cached channel says another place, a record shows which way it took.
 */
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <urcu.h>

#include <lttngmap/event-class.h>

#include "liblttngmap/base/arch.h"
#include "liblttngmap/event/event-fast.h"
#include "liblttngmap/ring/ring-lock.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/tap.h"

#define ID 3
#define SUBBUF_SHIFT 14
#define SUBBUF_SIZE (UINT64_C(1) << SUBBUF_SHIFT)
#define SUBBUFS_SHIFT 2
#define META_PAGE 4096
#define TRAP_FLAG 0x100
#define STEPS_MAX 1000
#define SIZE 12
#define RECORD (LTTNGMAP_RECORD_HEADER_SIZE + SIZE)

static struct bench_set bench;
static struct lttngmap_ring *ring;
static struct ring_channel *view;
static struct local_lock *lock;
static struct lttngmap_tracepoint tracepoint;
static unsigned char fields[SUBBUF_SIZE + 16];

static void emit(size_t size)
{
	lttngmap_event_write(&tracepoint, fields, size, NULL);
}

static uint64_t position(void)
{
	return ring->commit[0] & LTTNGMAP_POSITION_MASK;
}

static uint64_t count(const struct lttngmap_ring *of)
{
	return of->commit[0] >> LTTNGMAP_COUNT_SHIFT | of->commit[1] >> LTTNGMAP_COUNT_SHIFT << 16;
}

static uint64_t count_all(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < bench.control->cpu_rings + LTTNGMAP_EXTRA_RINGS; i++)
		sum += count(
			(const void *)(bench.rings + i * lttngmap_ring_stride(1 << SUBBUFS_SHIFT)));
	return sum;
}

static void set_up_with(uint64_t contexts, bool use_rseq)
{
	const struct bench_set_config config = {
		.mode = LTTNGMAP_MODE_OVERWRITE,
		.clock = LTTNGMAP_CLOCK_TSC,
		.subbuf_shift = SUBBUF_SHIFT,
		.subbufs_shift = SUBBUFS_SHIFT,
		.use_rseq = use_rseq,
	};

	bench_set_create(&bench, &config);
	ring = (struct lttngmap_ring *)bench.rings;
	view = &bench.local->channels[0];
	lock = ring_lock_of(bench.local, view, 0);
	bench.control->channels[0].contexts = contexts;
	bench.control->event_words[ID] = 1;
	tracepoint.word = &bench.control->event_words[ID];
	/* The general way opens the ring, and tells the lock about it. */
	emit(SIZE);
}

static void set_up(void)
{
	set_up_with(0, false);
}

/* The record that ends at the position, in sub-buffer `id`. */
static bool is_there(uint64_t id, size_t size)
{
	const char *data = bench.data + META_PAGE + (id << SUBBUF_SHIFT) +
			   (position() & (SUBBUF_SIZE - 1)) - size;
	uint64_t header;

	memcpy(&header, data - sizeof(header), sizeof(header));
	return memcmp(data, fields, size) == 0 && (header & 0xffff) == ID &&
	       header >> 16 == (ring->commit[1] & LTTNGMAP_TIMESTAMP_MASK);
}

/* One event; did it go the general way, which puts it into sub-buffer 1? */
static bool is_left(void)
{
	char *end = view->data_end;
	bool was_left;

	memset(bench.local->rings[0].data + SUBBUF_SIZE, 0, SUBBUF_SIZE);
	view->data_end += SUBBUF_SIZE;
	emit(SIZE);
	was_left = is_there(1, SIZE);
	view->data_end = end;
	return was_left;
}

/* Of a thread whose storage is not the C library's. */
static void emit_raw(void)
{
	uint64_t self;

	__asm__ volatile("movq %%fs:16, %0" : "=r"(self));
	__asm__ volatile("movq %0, %%fs:16" : : "r"(0L) : "memory");
	emit(SIZE);
	__asm__ volatile("movq %0, %%fs:16" : : "r"(self) : "memory");
}

static void test_sizes(void)
{
	static const size_t sizes[] = { 0, 1, 3, 4, 7, 8, 12, 15, 16, 17, 24, 301, 3900 };
	static const char none[16];
	const unsigned number = sizeof(sizes) / sizeof(sizes[0]);
	unsigned good = 0, ended = 0;

	set_up();
	view->data_end += SUBBUF_SIZE;
	for (unsigned i = 0; i < number; i++) {
		uint64_t at = position();

		emit(sizes[i]);
		good += position() - at == LTTNGMAP_RECORD_HEADER_SIZE + sizes[i] &&
			is_there(0, sizes[i]);
		ended += memcmp(bench.data + META_PAGE + position(), none, sizeof(none)) == 0;
	}
	is(good, number, "records of all sizes");
	is(ended, number, "… and no byte behind them");
	is(ring->lock, 0, "… the ring's mark is gone");
	is(lock->holder, 0, "… and the lock is free");
	is(count(ring), 1 + number, "… and all are counted");
	emit(SUBBUF_SIZE - LTTNGMAP_SUBBUF_HEAD - LTTNGMAP_SUBBUF_TAIL -
	     LTTNGMAP_RECORD_HEADER_SIZE + 1);
	is(count(ring), 1 + number, "… but one byte beyond a sub-buffer");
	is(bench_set_discards(&bench), 1, "… which is lost");
	bench_set_destroy(&bench);
}

static void test_channel(void)
{
	static const uint64_t others = 1;
	struct lttngmap_ring *second;
	uint64_t before;

	set_up();
	ok(!is_left(), "an event is written");
	bench.control->channels[0].generation = 0;
	before = count(ring);
	emit(SIZE);
	is(count(ring), before, "a channel that was stopped: no record");
	is(ring->lock, 0, "… the ring's mark is gone");
	is(lock->holder, 0, "… and the lock is free");
	bench.control->channels[0].generation = 1;
	tracepoint.word = &others;
	emit(SIZE);
	is(count(ring), before, "the word of another daemon: no record");
	tracepoint.word = &bench.control->event_words[ID];
	emit_raw();
	is(count(ring), before, "a raw thread: no record");
	is(__atomic_exchange_n(&bench.local->lost, 0, __ATOMIC_RELAXED), 1,
	   "… and the event is counted");
	bench_set_hold(&bench, ring, true);
	emit(SIZE);
	is(count(ring), before, "a ring that is held: no record there");
	is(bench_set_discards(&bench), 0, "… but elsewhere");
	bench_set_hold(&bench, ring, false);

	bench_set_add_channel(&bench, 1);
	second = (struct lttngmap_ring *)bench.local->rings[1].rings;
	bench.control->event_words[ID] = 2;
	emit(SIZE);
	local_first.cached = view;
	emit(SIZE);
	is(count(second), 2, "a channel that is not the one cached last");
	is(count(ring), before, "… and no record in that one");
	bench.control->event_words[ID] = 3;
	emit(SIZE);
	emit(SIZE);
	before += 2;
	ok(count(ring) == before && count(second) == 4, "events of both channels");
	/* Two rings of one lock, by turns. */
	bench.local->channels[1].first_lock = view->first_lock;
	for (int i = 0; i < 10; i++) {
		bench.control->event_words[ID] = 1 + i % 2;
		emit(SIZE);
		before += i % 2 == 0;
	}
	is(count(ring), before, "two rings with one lock: all records in one");
	is(count(second), 9, "… and in the other");
	is(second->commit[0] & LTTNGMAP_POSITION_MASK, 9 * RECORD, "… at its position");
	bench.process->channels = 2;
	bench.control->event_words[ID] = 1;
	emit(SIZE);
	is(count(ring), before, "a channel that the process has no part in: no record");
	bench_set_destroy(&bench);
}

static void test_process(void)
{
	uint64_t before;

	set_up_with(UINT64_C(1) << LTTNGMAP_CONTEXT_VPID, false);
	before = position();
	emit(SIZE);
	is(position() - before, RECORD + 4, "a channel with a context: the record has it");
	bench_set_destroy(&bench);

	/* A child that was attached since finds its parent's words in the lock. */
	set_up();
	bench.local->epoch++;
	ring->commit[0] += 5 * RECORD;
	before = position();
	emit(SIZE);
	is(position() - before, RECORD, "another process goes on where the ring is");
	ok(!is_left(), "… and the next event knows");
	bench_set_destroy(&bench);

	set_up();
	before = count(ring);
	bench.local->process = NULL;
	emit(SIZE);
	is(count(ring), before, "a process that is not attached: no record");
	bench_set_destroy(&bench);
}

static void test_rseq(void)
{
	uint64_t before;

	set_up_with(0, true);
	if (!bench.local->use_rseq) {
		skip(1, "restartable sequences are off");
		bench_set_destroy(&bench);
		return;
	}
	*lock = (struct local_lock){
		.ring = ring,
		.life = bench.local->epoch << 32 | view->generation,
		.commit = { ring->commit[0], ring->commit[1] },
		.to = bench.local->rings[0].data,
		.limit = SUBBUF_SIZE,
		.opened = ring->opened[lttngmap_ring_side(0)],
	};
	before = lock->commit[0];
	local_first.guard = LOCAL_CLOSED;
	emit(SIZE);
	is(lock->commit[0], before, "with restartable sequences no CPU's ring is locked");
	bench_set_destroy(&bench);
}

static void test_place(void)
{
	uint64_t room, before;

	set_up();
	room = SUBBUF_SIZE - LTTNGMAP_SUBBUF_TAIL - position();
	for (uint64_t i = 0; i < room / RECORD; i++)
		emit(SIZE);
	ok(position() < SUBBUF_SIZE, "records up to the end of a sub-buffer");
	emit(SIZE);
	is(position(), SUBBUF_SIZE + LTTNGMAP_SUBBUF_HEAD + RECORD, "… then into the next one");
	ok(is_there(1, SIZE), "… at its begin");
	emit(SIZE);
	ok(is_there(1, SIZE), "… and behind it");
	bench_set_destroy(&bench);

	set_up();
	lock->opened -= UINT64_C(1) << 47;
	ok(is_left(), "left to the general way: a sub-buffer that is open for long");
	is(lock->opened, ring->opened[lttngmap_ring_side(0)], "… which says since when it is");
	lock->commit[1] += UINT64_C(1) << 40;
	ring->commit[1] = lock->commit[1];
	emit(SIZE);
	is(position() >> SUBBUF_SHIFT, 1, "a clock that went back: the next sub-buffer");
	bench_set_destroy(&bench);

	set_up();
	lock->commit[0] |= UINT64_C(0xffff) << LTTNGMAP_COUNT_SHIFT;
	lock->commit[1] |= UINT64_C(0x1233) << LTTNGMAP_COUNT_SHIFT;
	before = position();
	ok(!is_left(), "a count that carries");
	is(count(ring), 0x12340000, "… into the other word");
	is(position() - before, RECORD, "… and not into the position");
	bench_set_destroy(&bench);
}

/*
 * A handler between the clock and the lock: its event is later than the clock. Its time is put
 * back, as if the clock had been reset meanwhile, so that only the position tells.
 */
static unsigned steps, interrupt_at;

static void on_trap(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	(void)info;
	if (++steps < interrupt_at)
		return;
	registers[REG_EFL] &= ~TRAP_FLAG;
	emit(SIZE);
	lock->commit[1] -= 1 << 20;
}

static void test_interrupted(void)
{
	unsigned lost = 0, locked = 0;

	set_up();
	for (interrupt_at = 1; interrupt_at < STEPS_MAX; interrupt_at++) {
		uint64_t before = count(ring), all = count_all();

		steps = 0;
		__asm__ volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq"
				 :
				 : "i"(TRAP_FLAG)
				 : "memory", "cc");
		emit(SIZE);
		__asm__ volatile("pushfq\n\tandq %0, (%%rsp)\n\tpopfq"
				 :
				 : "i"(~TRAP_FLAG)
				 : "memory", "cc");
		if (steps < interrupt_at)
			break;
		/* Under the lock the handler's event goes to another ring. */
		locked += count(ring) - before == 1;
		lost += count_all() - all != 2;
	}
	diag("%u instructions, %u of them under the lock", interrupt_at - 1, locked);
	ok(interrupt_at > 50 && interrupt_at < STEPS_MAX, "an event is interrupted everywhere");
	ok(locked > 20 && locked < interrupt_at - 40,
	   "… an event of the handler goes elsewhere under the lock alone");
	is(lost, 0, "… and none is lost");
	bench_set_destroy(&bench);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	if (!arch_has_rdpid() || !arch_store16_is_atomic() ||
	    sched_setaffinity(0, sizeof(cpu), &cpu) < 0)
		skip_all("this CPU goes the general way, or CPU 0 is not to be had");
	for (unsigned i = 0; i < sizeof(fields); i++)
		fields[i] = (unsigned char)(i * 7 + 1);
	setenv("LTTNGMAP_RUNTIME_DIR", "/nonexistent", 1);
	sigaction(SIGTRAP, &action, NULL);
	rcu_register_thread();
	ring_set_table_create();
	test_sizes();
	test_channel();
	test_process();
	test_rseq();
	test_place();
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
	test_interrupted();
#endif
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
