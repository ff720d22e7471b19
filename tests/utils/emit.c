/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * emit COUNTS THREADS EVENTS [STOP]: EVENTS numbered events in all, from as many
 * threads, as fast as they can; or a few each millisecond, until there is a
 * file STOP.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/utils/numbered-emit.h"

static struct numbered_counts *counts;
#define BURST 20
#define PAUSE_USEC 1000

static uint64_t events_each;
static const char *stop;
static pthread_barrier_t start;

static void *run(void *unused)
{
	uint32_t source = numbered_source(counts);

	pthread_barrier_wait(&start);
	if (!stop)
		numbered_emit_many(counts, source, events_each);
	for (uint64_t left = events_each; stop && left >= BURST && access(stop, F_OK) != 0;
	     left -= BURST) {
		numbered_emit_many(counts, source, BURST);
		usleep(PAUSE_USEC);
	}
	return unused;
}

int main(int argc, char **argv)
{
	unsigned int threads = argc == 4 || argc == 5 ? (unsigned int)atoi(argv[2]) : 0;
	pthread_t ids[64];

	if (threads < 1 || threads > 64) {
		fprintf(stderr, "usage: emit COUNTS THREADS EVENTS [STOP]\n");
		return 2;
	}
	stop = argv[4]; /* NULL: none */
	counts = numbered_open(argv[1]);
	events_each = strtoull(argv[3], NULL, 10) / threads;
	pthread_barrier_init(&start, NULL, threads);
	for (unsigned int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, run, NULL);
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	return 0;
}
