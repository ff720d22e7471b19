/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * survivors STOP [children|long]: a program under load while its tracer is killed.
 * Threads emit numbered events in bursts, or long ones; with "children", some are forked that
 * emit some and go; until the file STOP is there. Prints how long one event took
 * at most, in microseconds, and how long 999 of 1000 did, in nanoseconds, what the
 * test does for it included; the same of those that no other thread came in
 * between, how many these are in 1000, and what as many took there that were made
 * and not emitted; and how often a thread gave its CPU away, but for its pauses.
 * Counts in $NUMBERED_COUNTS.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/utils/numbered-emit.h"

#define THREADS 3
#define BURST 300
#define PAUSE_USEC 1000
/* So that the first event after a pause is less than one of 1000. */
#define LONGER 100
#define CHILD_EVENTS 40
#define CHILD_PAUSE_USEC 25000
/* Sources are counted. */
#define CHILDREN_MAX (NUMBERED_SOURCES - 64)

/* Times of events, so many nanoseconds in each place. */
#define PLACES 4096u
#define PLACE_NS 16u
/* Events between two looks at how often the thread was taken off its CPU. */
#define CHUNK 100

struct times {
	uint64_t all[PLACES];
	uint64_t undisturbed[PLACES];
	uint64_t bare[PLACES]; /* of these, without the event */
};

static struct numbered_counts *counts;
static uint64_t longest_ns;
static struct times times;
static int64_t other_waits;
static bool stopping;
static int longer = 1;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint32_t place_of(uint64_t took)
{
	return took / PLACE_NS < PLACES ? (uint32_t)(took / PLACE_NS) : PLACES - 1;
}

static uint32_t emit(uint32_t source)
{
	uint64_t begun = now_ns(), took, longest;

	numbered_emit(counts, source, NULL);
	took = now_ns() - begun;
	longest = __atomic_load_n(&longest_ns, __ATOMIC_RELAXED);
	while (took > longest && !__atomic_compare_exchange_n(&longest_ns, &longest, took, false,
							      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		continue;
	return place_of(took);
}

/* What the machine does in the same time without us. */
static uint32_t emit_nothing(uint32_t source)
{
	uint64_t begun = now_ns();
	struct numbered_payload payload;

	numbered_payload(&payload, source, begun);
	__asm__ volatile("" : : "r"(&payload) : "memory");
	return place_of(now_ns() - begun);
}

/* Voluntary, and forced. */
static void get_switches(int64_t switches[2])
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	switches[0] = usage.ru_nvcsw;
	switches[1] = usage.ru_nivcsw;
}

/* Some events; how often they were waited in. */
static int64_t emit_chunk(uint32_t source, struct times *mine)
{
	int64_t before[2], after[2];
	uint32_t places[CHUNK], bare[CHUNK];
	bool disturbed;

	get_switches(before);
	for (int i = 0; i < CHUNK; i++) {
		places[i] = emit(source);
		bare[i] = emit_nothing(source);
	}
	get_switches(after);
	disturbed = before[0] != after[0] || before[1] != after[1];
	for (int i = 0; i < CHUNK; i++) {
		mine->all[places[i]]++;
		mine->undisturbed[places[i]] += !disturbed;
		mine->bare[bare[i]] += !disturbed;
	}
	return after[0] - before[0];
}

static void *work(void *data)
{
	uint32_t source = numbered_source(counts);
	struct times mine = { 0 };
	int64_t waits = 0;

	(void)data;
	while (!__atomic_load_n(&stopping, __ATOMIC_RELAXED)) {
		for (int i = 0; i < BURST * longer / CHUNK; i++)
			waits += emit_chunk(source, &mine);
		usleep(PAUSE_USEC * (useconds_t)longer);
	}
	for (uint32_t i = 0; i < PLACES; i++) {
		__atomic_add_fetch(&times.all[i], mine.all[i], __ATOMIC_RELAXED);
		__atomic_add_fetch(&times.undisturbed[i], mine.undisturbed[i], __ATOMIC_RELAXED);
		__atomic_add_fetch(&times.bare[i], mine.bare[i], __ATOMIC_RELAXED);
	}
	__atomic_add_fetch(&other_waits, waits, __ATOMIC_RELAXED);
	return NULL;
}

static uint64_t sum_of(const uint64_t *places)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < PLACES; i++)
		sum += places[i];
	return sum;
}

/* What so many of 1000 events stayed below. */
static uint64_t time_of(const uint64_t *places, unsigned int of_thousand)
{
	uint64_t all = sum_of(places), below = 0;
	uint32_t i;

	for (i = 0; i < PLACES && below * 1000 < all * of_thousand; i++)
		below += places[i];
	return (uint64_t)i * PLACE_NS;
}

static void print_times(unsigned int children)
{
	uint64_t all = sum_of(times.all);

	printf("longest %llu us, %u children, 999 of 1000 within %llu ns, undisturbed %llu ns, "
	       "which are %llu of 1000, bare %llu ns, other waits %lld\n",
	       (unsigned long long)longest_ns / 1000, children,
	       (unsigned long long)time_of(times.all, 999),
	       (unsigned long long)time_of(times.undisturbed, 999),
	       (unsigned long long)(all ? sum_of(times.undisturbed) * 1000 / all : 0),
	       (unsigned long long)time_of(times.bare, 999), (long long)other_waits);
}

static void run_child(void)
{
	uint32_t source = numbered_source(counts);

	numbered_emit_many(counts, source, CHILD_EVENTS);
	_exit(0);
}

int main(int argc, char **argv)
{
	const char *path = getenv("NUMBERED_COUNTS");
	pthread_t threads[THREADS];
	unsigned int children = 0;
	bool forks = argc > 2 && strcmp(argv[2], "children") == 0;
	int failed = 0;

	if (argc < 2 || !path)
		return 2;
	if (argc > 2 && strcmp(argv[2], "long") == 0)
		longer = LONGER;
	counts = numbered_open(path);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			return 1;
	while (access(argv[1], F_OK) != 0) {
		int status;
		pid_t child = forks && children < CHILDREN_MAX ? fork() : -1;

		if (child == 0)
			run_child();
		children += child > 0;
		if (child > 0 && (waitpid(child, &status, 0) != child || status != 0))
			failed++;
		usleep(CHILD_PAUSE_USEC);
	}
	__atomic_store_n(&stopping, true, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	print_times(children);
	return failed > 0;
}
