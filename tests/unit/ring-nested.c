/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Row 20: threads write, and so do their signal handlers, which other signals
 * interrupt, three deep; and so does malloc, which all of them interrupt and which
 * the handlers never call: nor does the event path, or it would end here. Each
 * record is looked at.
 *
 *   LTTNGMAP_SOAK_SECONDS   10^8 events, rather than 10^6, in each way
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/rseq.h>
#include <unistd.h>

#include <urcu.h>

#include "tests/utils/ring-check.h"
#include "tests/utils/tap.h"

#define WRITERS 3
/* A thread, its malloc, its handlers at three depths. */
#define DEPTHS 3
#define IN_MALLOC (DEPTHS + 1)
#define KINDS (DEPTHS + 2)
#define FEW UINT64_C(1000000)
#define MANY UINT64_C(100000000)
#define PAUSE_USEC 10

struct writer {
	pthread_t thread;
	uint32_t id;
	uint32_t depth;          /* of handlers that run */
	bool emitting;           /* outside of handlers */
	uint64_t emitted[KINDS]; /* by depth, and by malloc */
	uint64_t mallocs;        /* calls that came out of the event path */
	uint64_t errnos;         /* events after which errno was another */
};

static struct bench_set bench;
static uint64_t events_each;
static uint32_t writers_left;
static pthread_barrier_t done;
static __thread struct writer *self;
static const int signals[DEPTHS] = { SIGUSR1, SIGUSR2, SIGALRM };

static void emit(struct writer *writer, uint32_t kind)
{
	uint64_t number = writer->emitted[kind]++;

	ring_check_emit(&bench, writer->id * KINDS + kind, number, number * 7 % 4);
}

/* Each signal blocks itself only: the others may come in between, at any instruction. */
static void on_signal(int number)
{
	struct writer *writer = self;
	int before = errno;

	(void)number;
	if (!writer)
		return;
	writer->depth++;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	emit(writer, writer->depth);
	/* So that each depth is reached, not only met. */
	if (writer->depth < DEPTHS && writer->emitted[writer->depth] % 4 == 1)
		raise(signals[writer->depth]);
	emit(writer, writer->depth);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	writer->depth--;
	errno = before;
}

#ifndef LTTNGMAP_TEST_MALLOC_IS_TAKEN
/* The program's malloc, which is traced. */
extern void *__libc_malloc(size_t size);

void *malloc(size_t size)
{
	struct writer *writer = self;
	void *memory;

	if (!writer)
		return __libc_malloc(size);
	if (writer->emitting || writer->depth)
		writer->mallocs++;
	emit(writer, IN_MALLOC);
	memory = __libc_malloc(size);
	emit(writer, IN_MALLOC);
	return memory;
}
#endif

static void *write_events(void *argument)
{
	struct writer *writer = argument;

	self = writer;
	for (uint64_t i = 0; i < events_each; i++) {
		void *volatile memory;

		errno = 4711;
		writer->emitting = true;
		emit(writer, 0);
		writer->emitting = false;
		writer->errnos += errno != 4711;
		if (i % 4)
			continue;
		memory = malloc(i % 1000 + 1);
		free(memory);
	}
	__atomic_sub_fetch(&writers_left, 1, __ATOMIC_RELAXED);
	pthread_barrier_wait(&done);
	self = NULL;
	return NULL;
}

/* Signals to all writers, as fast as they come, while any of them writes. */
static void interrupt(struct writer *writers)
{
	while (__atomic_load_n(&writers_left, __ATOMIC_RELAXED)) {
		for (uint32_t i = 0; i < WRITERS * DEPTHS; i++)
			pthread_kill(writers[i / DEPTHS].thread, signals[i % DEPTHS]);
		usleep(PAUSE_USEC);
	}
	pthread_barrier_wait(&done);
}

static void run_writers(struct writer *writers)
{
	pthread_barrier_init(&done, NULL, WRITERS + 1);
	writers_left = WRITERS;
	for (uint32_t i = 0; i < WRITERS; i++) {
		writers[i].id = i;
		pthread_create(&writers[i].thread, NULL, write_events, &writers[i]);
	}
	interrupt(writers);
	for (uint32_t i = 0; i < WRITERS; i++)
		pthread_join(writers[i].thread, NULL);
	pthread_barrier_destroy(&done);
}

static void run(bool use_rseq)
{
	const char *way = use_rseq ? "rseq" : "trylock";
	const struct bench_set_config config = {
		.mode = use_rseq ? LTTNGMAP_MODE_BLOCKING : LTTNGMAP_MODE_DISCARD,
		.clock = LTTNGMAP_CLOCK_TSC,
		.subbuf_shift = 14,
		.subbufs_shift = 3,
		.use_rseq = use_rseq,
	};
	bool sanitized = getenv("LTTNGMAP_SANITIZED") != NULL;
	struct writer writers[WRITERS] = { 0 };
	uint64_t emitted = 0, of_kind[KINDS] = { 0 }, mallocs = 0, errnos = 0, lost;
	static struct ring_tally tally;
	struct ring_reading reading = { .bench = &bench, .tally = &tally };
	pthread_t reader;

	memset(&tally, 0, sizeof(tally));
	bench_set_create(&bench, &config);
	pthread_create(&reader, NULL, ring_check_read, &reading);
	run_writers(writers);
	bench_set_stop(&bench);
	pthread_join(reader, NULL);
	for (uint32_t i = 0; i < WRITERS; i++) {
		for (uint32_t kind = 0; kind < KINDS; kind++) {
			emitted += writers[i].emitted[kind];
			of_kind[kind] += writers[i].emitted[kind];
		}
		mallocs += writers[i].mallocs;
		errnos += writers[i].errnos;
	}
	lost = bench.totals.discarded + __atomic_load_n(&bench.local->lost, __ATOMIC_RELAXED);
	tap_figure(
		20,
		"%llu events by %s, of these %llu, %llu and %llu in handlers 1, 2 and 3 deep and "
		"%llu in malloc: %llu torn, %llu lost, all counted",
		(unsigned long long)emitted, way, (unsigned long long)of_kind[1],
		(unsigned long long)of_kind[2], (unsigned long long)of_kind[3],
		(unsigned long long)of_kind[IN_MALLOC], (unsigned long long)tally.torn,
		(unsigned long long)lost);
	is(tally.kept + lost, emitted, "emitted = kept + counted lost");
	if (use_rseq)
		is(lost, 0, "and none is lost");
	is(tally.torn, 0, "no record is torn");
	is(tally.disorder, 0, "each writer's records are in order, none twice");
	is(tally.clock_back + tally.end_early, 0, "so is each ring's time, within the packet");
	is(bench.totals.closed_rings, 0, "no ring was found spoiled");
	is(mallocs, 0, "the event path does not call malloc");
	/* ThreadSanitizer delivers signals when it likes, and has its own ways with errno. */
	ok(!errnos || sanitized, "nor does it change errno");
	ok(of_kind[DEPTHS] > 0 || sanitized, "the third depth was reached");
#ifndef LTTNGMAP_TEST_MALLOC_IS_TAKEN
	ok(of_kind[IN_MALLOC] > 0, "malloc was traced");
#endif
	bench_set_destroy(&bench);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	for (int i = 0; i < DEPTHS; i++)
		sigaction(signals[i], &action, NULL);
	rcu_register_thread();
	ring_set_table_create();
	events_each = (getenv("LTTNGMAP_SOAK_SECONDS") ? MANY : FEW) / WRITERS;
	run(false);
	if (__rseq_size > 0)
		run(true);
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
