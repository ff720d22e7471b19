/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * survivors STOP [children]: a program under load while its tracer is killed.
 * Threads emit numbered events in bursts; with "children", some are forked that
 * emit some and go; until the file STOP is there. Prints how long one event took at most, in
 * microseconds. Counts in $NUMBERED_COUNTS.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/utils/numbered-emit.h"

#define THREADS 3
#define BURST 300
#define PAUSE_USEC 1000
#define CHILD_EVENTS 40
#define CHILD_PAUSE_USEC 25000
/* Sources are counted. */
#define CHILDREN_MAX (NUMBERED_SOURCES - 64)

static struct numbered_counts *counts;
static uint64_t longest_ns;
static bool stopping;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void emit(uint32_t source)
{
	uint64_t begun = now_ns(), took, longest;

	numbered_emit(counts, source, NULL);
	took = now_ns() - begun;
	longest = __atomic_load_n(&longest_ns, __ATOMIC_RELAXED);
	while (took > longest && !__atomic_compare_exchange_n(&longest_ns, &longest, took, false,
							      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		continue;
}

static void *work(void *data)
{
	uint32_t source = numbered_source(counts);

	(void)data;
	while (!__atomic_load_n(&stopping, __ATOMIC_RELAXED)) {
		for (int i = 0; i < BURST; i++)
			emit(source);
		usleep(PAUSE_USEC);
	}
	return NULL;
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
	int failed = 0;

	if (argc < 2 || !path)
		return 2;
	counts = numbered_open(path);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			return 1;
	while (access(argv[1], F_OK) != 0) {
		int status;
		pid_t child = argc > 2 && children < CHILDREN_MAX ? fork() : -1;

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
	printf("longest %llu us, %u children\n", (unsigned long long)longest_ns / 1000, children);
	return failed > 0;
}
