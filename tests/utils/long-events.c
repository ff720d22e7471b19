/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * long-events THREADS EVENTS LENGTH...: from each thread so many times an event of each length,
 * with that many bytes of text, and fields before and behind the text. The threads have small
 * stacks.
 */
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(long_events, event, LTTNGMAP_LOGLEVEL_INFO, (integer, int, number),
		    (string, text), (sequence, uint32_t, items), (string, last));

#define STACK_SIZE (64 << 10)

static char **lengths;
static int events;

static void emit(size_t length)
{
	const uint32_t items[] = { 4711, 4712, 4713 };
	char *text = malloc(length + 1);

	if (!text)
		exit(1);
	for (size_t i = 0; i < length; i++)
		text[i] = (char)('a' + i % 26);
	text[length] = '\0';
	for (int i = 0; i < events; i++)
		lttngmap_tracepoint(long_events, event, (int)length, text, items, 3, "end");
	free(text);
}

static void *run(void *unused)
{
	for (char **length = lengths; *length; length++)
		emit(strtoul(*length, NULL, 10));
	return unused;
}

int main(int argc, char **argv)
{
	int threads = argc > 3 ? atoi(argv[1]) : 0;
	pthread_attr_t attributes;
	pthread_t ids[64];

	if (threads < 1 || threads > 64) {
		fprintf(stderr, "usage: long-events THREADS EVENTS LENGTH...\n");
		return 2;
	}
	events = atoi(argv[2]);
	lengths = argv + 3;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&ids[i], &attributes, run, NULL) != 0)
			return 1;
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	return 0;
}
