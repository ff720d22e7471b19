/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * spans MODE THREADS ROUNDS: pairs of events, spans:begin and spans:end, with the number of the
 * pair. Prints for each pair how long it lasted at least and at most, in ns: from after the first
 * event to before the second one, and from before the first one to after the second one.
 *
 *   thread  each thread has its pairs, one after another
 *   odd     likewise; each tenth begins twice, each seventh ends twice
 *   hand    all pairs begin, then each ends in another thread
 *   fork    each pair is also ended by a child that was forked in it
 *   next    spans:begin alone; what lasts is the time to the next one of the thread
 *   forever as thread, and prints nothing
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(spans, begin, LTTNGMAP_LOGLEVEL_INFO, (integer, uint64_t, number),
		    (string, name));
LTTNGMAP_TRACEPOINT(spans, end, LTTNGMAP_LOGLEVEL_INFO, (string, name),
		    (integer, uint32_t, number));

struct span {
	uint64_t before, begun, ending, after;
};

static const char *mode;
static unsigned nr_threads, nr_rounds;
static struct span *spans;
static pthread_barrier_t barrier;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void begin(struct span *span, unsigned number)
{
	char name[32];

	snprintf(name, sizeof(name), "span %u", number);
	span->before = now();
	lttngmap_tracepoint(spans, begin, number, name);
	span->begun = now();
}

static void end(struct span *span, unsigned number)
{
	char name[32];

	snprintf(name, sizeof(name), "span %u", number);
	span->ending = now();
	lttngmap_tracepoint(spans, end, name, number);
	span->after = now();
}

static void last(unsigned number)
{
	uint64_t until = now() + number * 7919 % 20000;

	while (now() < until)
		;
	if (number % 50 == 0)
		usleep(1000);
}

static void fork_in(unsigned number)
{
	struct span ignored;
	pid_t child = fork();

	if (child == 0) {
		end(&ignored, number);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void one(struct span *span, unsigned number)
{
	bool is_odd = strcmp(mode, "odd") == 0;

	begin(span, number);
	if (is_odd && number % 10 == 0)
		begin(span, number);
	last(number);
	if (strcmp(mode, "fork") == 0)
		fork_in(number);
	if (strcmp(mode, "next") == 0)
		return;
	end(span, number);
	if (is_odd && number % 7 == 0)
		end(&(struct span){ 0 }, number);
}

static void *run(void *data)
{
	unsigned thread = (unsigned)(uintptr_t)data, first = thread * nr_rounds;
	unsigned other = (thread + 1) % nr_threads * nr_rounds;

	if (strcmp(mode, "forever") == 0)
		for (unsigned i = 0;; i++)
			one(&spans[first + i % nr_rounds], i);
	if (strcmp(mode, "hand") != 0) {
		for (unsigned i = 0; i < nr_rounds; i++)
			one(&spans[first + i], first + i);
		return NULL;
	}
	for (unsigned i = 0; i < nr_rounds; i++)
		begin(&spans[first + i], first + i);
	pthread_barrier_wait(&barrier);
	for (unsigned i = 0; i < nr_rounds; i++)
		end(&spans[other + i], other + i);
	return NULL;
}

static void print(void)
{
	bool is_next = strcmp(mode, "next") == 0;

	for (unsigned i = 0; i < nr_threads * nr_rounds; i++) {
		const struct span *span = &spans[i], *next = span + is_next;

		if (!is_next)
			printf("%llu %llu\n", (unsigned long long)(span->ending - span->begun),
			       (unsigned long long)(span->after - span->before));
		else if ((i + 1) % nr_rounds)
			printf("%llu %llu\n", (unsigned long long)(next->before - span->begun),
			       (unsigned long long)(next->begun - span->before));
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[256];

	if (argc != 4)
		return 2;
	mode = argv[1];
	nr_threads = (unsigned)atoi(argv[2]);
	nr_rounds = (unsigned)atoi(argv[3]);
	spans = calloc(nr_threads * nr_rounds + 1, sizeof(*spans));
	if (!spans || nr_threads > 256 || pthread_barrier_init(&barrier, NULL, nr_threads))
		return 2;
	for (unsigned i = 0; i < nr_threads; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)i))
			return 2;
	for (unsigned i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	print();
	return 0;
}
