/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Both halves of the ring against each other: threads write numbered records
 * as fast as they can, one reader takes packets and checks every record. For
 * each mode, by rseq and by trylock, with signal handlers that write too:
 * emitted = kept + counted lost, nothing torn, nothing twice, in order.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <urcu.h>

#include "common/base/clock.h"
#include "tests/utils/ring-check.h"
#include "tests/utils/tap.h"

#define WRITERS 4

struct writer {
	pthread_t thread;
	uint64_t emitted[2]; /* by the thread, by its handler */
	uint32_t id;
};

static struct bench_set bench;
static uint64_t events_each;
static uint32_t writers_left;
static pthread_barrier_t done;
static __thread struct writer *self;

static void emit(struct writer *writer, int by_handler)
{
	uint64_t number = writer->emitted[by_handler];

	__atomic_store_n(&writer->emitted[by_handler], number + 1, __ATOMIC_RELAXED);
	ring_check_emit(&bench, writer->id * 2 + (uint32_t)by_handler, number,
			number * 7 % RING_CHECK_WORDS_MAX);
}

static void on_signal(int number)
{
	int before = errno;

	(void)number;
	if (self)
		emit(self, 1);
	errno = before;
}

static void *write_events(void *argument)
{
	self = argument;
	errno = 4711;
	for (uint64_t i = 0; i < events_each; i++)
		emit(self, 0);
	if (errno != 4711)
		self->emitted[0] = UINT64_MAX / 2;
	self = NULL;
	__atomic_sub_fetch(&writers_left, 1, __ATOMIC_RELAXED);
	/* The thread exists as long as signals are sent to it. */
	pthread_barrier_wait(&done);
	return NULL;
}

/*
 * How many writers may be interrupted. By trylock, in blocking mode, a handler waits for a ring,
 * and counts its event as lost after a second: where every ring is held by what was interrupted.
 * One ring stays for who is not.
 */
static uint32_t interruptible(void)
{
	uint32_t rings = bench.config.cpu_rings + LTTNGMAP_EXTRA_RINGS;

	if (bench.local->use_rseq || bench.config.mode != LTTNGMAP_MODE_BLOCKING || rings > WRITERS)
		return WRITERS;
	return rings - 1;
}

/*
 * Signals to writers, as fast as they come, while any of them writes. One that has come no
 * further since its last is spared: a handler may take longer than until the next signal.
 */
static void interrupt(struct writer *writers)
{
	uint64_t reached[WRITERS] = { 0 }, now;
	uint32_t count = interruptible();

	while (__atomic_load_n(&writers_left, __ATOMIC_RELAXED)) {
		for (uint32_t i = 0; i < count; i++) {
			now = __atomic_load_n(&writers[i].emitted[0], __ATOMIC_RELAXED);
			if (now != reached[i])
				pthread_kill(writers[i].thread, SIGUSR1);
			reached[i] = now;
		}
		usleep(10);
	}
	pthread_barrier_wait(&done);
}

/*
 * ThreadSanitizer holds a handler back until its thread's next atomic access, which often is that
 * which takes a ring. So interrupted threads hold all rings far more often, and a handler by
 * trylock gives its event up then (ring.md, Counting).
 */
#ifdef __SANITIZE_THREAD__
#define HOLDS_HANDLERS true
#else
#define HOLDS_HANDLERS false
#endif

static void run(const char *name, const struct bench_set_config *config, unsigned pause_us,
		bool partial, uint32_t most)
{
	struct writer writers[WRITERS] = { 0 };
	struct ring_tally tally = { 0 };
	struct ring_reading reading = { &bench, &tally, pause_us, partial, most, NULL };
	uint64_t emitted = 0, lost;
	pthread_t reader;
	bool by_rseq;

	bench_set_create(&bench, config);
	/* Whatever was asked for: not where libc has none. */
	by_rseq = bench.local->use_rseq;
	pthread_create(&reader, NULL, ring_check_read, &reading);
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
	bench_set_stop(&bench);
	pthread_join(reader, NULL);

	for (uint32_t i = 0; i < WRITERS; i++)
		emitted += writers[i].emitted[0] + writers[i].emitted[1];
	lost = bench.totals.discarded + bench.totals.overwritten;
	diag("%s: emitted %llu, kept %llu, discarded %llu, overwritten %llu (lapped %llu), "
	     "%llu packets, %llu by handlers",
	     name, (unsigned long long)emitted, (unsigned long long)tally.kept,
	     (unsigned long long)bench.totals.discarded,
	     (unsigned long long)bench.totals.overwritten, (unsigned long long)tally.lapped,
	     (unsigned long long)tally.packets,
	     (unsigned long long)(emitted - WRITERS * events_each));
	is(tally.kept + lost + __atomic_load_n(&bench.local->lost, __ATOMIC_RELAXED), emitted,
	   "emitted = kept + counted lost");
	is(bench.totals.delivered, tally.kept, "the daemon's count of delivered events is exact");
	is(tally.torn, 0, "no record is torn");
	is(tally.disorder, 0, "each writer's records are in order, none twice");
	is(tally.clock_back + tally.end_early, 0, "timestamps are monotonic, within the packet");
	is(tally.discard_back + tally.sequence_gaps, 0, "discard counts and packet numbers go up");
	is(bench.totals.closed_rings, 0, "no ring was found spoiled");
	if (config->mode == LTTNGMAP_MODE_BLOCKING && (by_rseq || !HOLDS_HANDLERS))
		is(lost, 0, "blocking loses nothing");
	bench_set_destroy(&bench);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		struct bench_set_config config;
		unsigned pause_us;
		bool partial;
		uint32_t most;
	} cases[] = {
		{ "discard",
		  { LTTNGMAP_MODE_DISCARD, LTTNGMAP_CLOCK_TSC, 12, 2, true, false, NULL },
		  0,
		  false,
		  1 },
		{ "discard, slow partial reader",
		  { LTTNGMAP_MODE_DISCARD, LTTNGMAP_CLOCK_TSC, 14, 1, true, false, NULL },
		  300,
		  true,
		  1 },
		{ "blocking",
		  { LTTNGMAP_MODE_BLOCKING, LTTNGMAP_CLOCK_TSC, 13, 1, true, false, NULL },
		  0,
		  false,
		  1 },
		{ "discard, several packets at a time",
		  { LTTNGMAP_MODE_DISCARD, LTTNGMAP_CLOCK_TSC, 12, 4, true, false, NULL },
		  100,
		  false,
		  LTTNGMAP_PACKETS_MAX },
		{ "blocking, several packets at a time",
		  { LTTNGMAP_MODE_BLOCKING, LTTNGMAP_CLOCK_TSC, 12, 4, true, false, NULL },
		  0,
		  false,
		  LTTNGMAP_PACKETS_MAX },
		{ "overwrite",
		  { LTTNGMAP_MODE_OVERWRITE, LTTNGMAP_CLOCK_TSC, 12, 2, true, false, NULL },
		  50,
		  false,
		  1 },
		{ "overwrite, partial reader",
		  { LTTNGMAP_MODE_OVERWRITE, LTTNGMAP_CLOCK_TSC, 12, 1, true, false, NULL },
		  20,
		  true,
		  1 },
		{ "overwrite, monotonic clock",
		  { LTTNGMAP_MODE_OVERWRITE, LTTNGMAP_CLOCK_MONOTONIC, 12, 1, true, false, NULL },
		  0,
		  true,
		  1 },
	};
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	rcu_register_thread();
	ring_set_table_create();
	events_each = argc > 1 ? strtoull(argv[1], NULL, 0) : 250000;
	sigaction(SIGUSR1, &action, NULL);
	for (unsigned rseq = 0; rseq < 2; rseq++) {
		for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct bench_set_config config = cases[i].config;
			char name[100];

			config.use_rseq = rseq;
			snprintf(name, sizeof(name), "%s by %s", cases[i].name,
				 rseq ? "rseq" : "trylock");
			run(name, &config, cases[i].pause_us, cases[i].partial, cases[i].most);
		}
	}
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
