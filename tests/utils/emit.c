/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * emit COUNTS THREADS EVENTS: EVENTS numbered events in all, from as many
 * threads, as fast as they can.
 */
#include <pthread.h>
#include <stdlib.h>

#include "tests/utils/numbered-emit.h"

static struct numbered_counts *counts;
static uint64_t events_each;
static pthread_barrier_t start;

static void *run(void *unused)
{
	uint32_t source = numbered_source(counts);

	pthread_barrier_wait(&start);
	numbered_emit_many(counts, source, events_each);
	return unused;
}

int main(int argc, char **argv)
{
	unsigned int threads = argc == 4 ? (unsigned int)atoi(argv[2]) : 0;
	pthread_t ids[64];

	if (threads < 1 || threads > 64) {
		fprintf(stderr, "usage: emit COUNTS THREADS EVENTS\n");
		return 2;
	}
	counts = numbered_open(argv[1]);
	events_each = strtoull(argv[3], NULL, 10) / threads;
	pthread_barrier_init(&start, NULL, threads);
	for (unsigned int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, run, NULL);
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	return 0;
}
