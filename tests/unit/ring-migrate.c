/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Row 21: threads write at full speed while they are pushed from CPU to CPU and
 * interrupted, so that their sections are aborted everywhere; each record is
 * looked at. In each ring time goes on and so do each thread's numbers, no
 * record is torn, none is missing.
 *
 *   LTTNGMAP_SOAK_SECONDS   10^9 events, rather than 5 * 10^7
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <unistd.h>

#include <urcu.h>

#include "tests/utils/ring-check.h"
#include "tests/utils/tap.h"

#define WRITERS 4
#define FEW UINT64_C(50000000)
#define MANY UINT64_C(1000000000)
#define PUSH_PAUSE_USEC 30

struct writer {
	pthread_t thread;
	uint32_t id;
	long switches; /* taken off its CPU, not of its own will */
};

static struct bench_set bench;
static uint64_t events_each;
static uint32_t writers_left;
static pthread_barrier_t done;

static void on_signal(int number)
{
	(void)number;
}

static void *write_events(void *argument)
{
	struct writer *writer = argument;
	struct rusage usage;

	for (uint64_t i = 0; i < events_each; i++)
		ring_check_emit(&bench, writer->id, i, 0);
	getrusage(RUSAGE_THREAD, &usage);
	writer->switches = usage.ru_nivcsw;
	__atomic_sub_fetch(&writers_left, 1, __ATOMIC_RELAXED);
	/* The thread exists as long as somebody pushes it. */
	pthread_barrier_wait(&done);
	return NULL;
}

/* Each time one writer to one CPU, and a signal to another. */
static uint64_t push_writers(const struct writer *writers, const cpu_set_t *cpus)
{
	int nr_cpus = CPU_COUNT(cpus), list[CPU_SETSIZE], n = 0;
	unsigned int seed = (unsigned int)getpid();
	uint64_t pushes = 0;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, cpus))
			list[n++] = cpu;
	for (; __atomic_load_n(&writers_left, __ATOMIC_RELAXED); pushes++) {
		cpu_set_t one;

		CPU_ZERO(&one);
		CPU_SET(list[rand_r(&seed) % nr_cpus], &one);
		pthread_setaffinity_np(writers[rand_r(&seed) % WRITERS].thread, sizeof(one), &one);
		pthread_kill(writers[rand_r(&seed) % WRITERS].thread, SIGUSR1);
		usleep(PUSH_PAUSE_USEC);
	}
	pthread_barrier_wait(&done);
	return pushes;
}

static long run_writers(const cpu_set_t *cpus, uint64_t *pushes)
{
	struct writer writers[WRITERS] = { 0 };
	long switches = 0;

	pthread_barrier_init(&done, NULL, WRITERS + 1);
	writers_left = WRITERS;
	for (uint32_t i = 0; i < WRITERS; i++) {
		writers[i].id = i;
		pthread_create(&writers[i].thread, NULL, write_events, &writers[i]);
	}
	*pushes = push_writers(writers, cpus);
	for (uint32_t i = 0; i < WRITERS; i++) {
		pthread_join(writers[i].thread, NULL);
		switches += writers[i].switches;
	}
	pthread_barrier_destroy(&done);
	return switches;
}

static void run(bool use_rseq, const cpu_set_t *cpus)
{
	const struct bench_set_config config = {
		.mode = LTTNGMAP_MODE_BLOCKING,
		.clock = LTTNGMAP_CLOCK_TSC,
		.subbuf_shift = 16,
		.subbufs_shift = 3,
		.use_rseq = use_rseq,
	};
	static struct ring_tally tally;
	struct ring_reading reading = { .bench = &bench, .tally = &tally };
	uint64_t pushes, emitted = WRITERS * events_each;
	pthread_t reader;
	long switches;

	bench_set_create(&bench, &config);
	pthread_create(&reader, NULL, ring_check_read, &reading);
	switches = run_writers(cpus, &pushes);
	bench_set_stop(&bench);
	pthread_join(reader, NULL);
	tap_figure(
		21,
		"%llu events by %s, %llu pushes to another CPU and as many signals, %ld "
		"preemptions, a writer found elsewhere %llu times: %llu torn, %llu out of order, "
		"%llu lost",
		(unsigned long long)emitted, use_rseq ? "rseq" : "trylock",
		(unsigned long long)pushes, switches, (unsigned long long)tally.moves,
		(unsigned long long)tally.torn,
		(unsigned long long)(tally.disorder + tally.clock_back + tally.end_early),
		(unsigned long long)(emitted - tally.kept));
	is(tally.kept, emitted, "all events are there");
	is(tally.torn, 0, "no record is torn");
	is(tally.disorder, 0, "each writer's records are in order, none twice");
	is(tally.clock_back + tally.end_early, 0, "so is each ring's time, within the packet");
	is(bench.totals.closed_rings, 0, "no ring was found spoiled");
	ok(CPU_COUNT(cpus) == 1 || tally.moves > 100, "writers have moved");
	bench_set_destroy(&bench);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	bool soak = getenv("LTTNGMAP_SOAK_SECONDS") != NULL;
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0)
		bail_out("sched_getaffinity");
	sigaction(SIGUSR1, &action, NULL);
	rcu_register_thread();
	ring_set_table_create();
	events_each = (soak ? MANY : FEW) / WRITERS;
	run(__rseq_size > 0, &cpus);
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
