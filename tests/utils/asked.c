/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * asked.c - asked THREADS ROUNDS: events of all kinds of fields, and spans in spans, that
 * queries ask for. Each thread makes ROUNDS requests, of 8 events each. A few requests are left
 * without their end, and some names want to be SQL.
 *
 * asked deep: a request, in it 4095 steps, and in these 905 requests, all of them with their ends.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lttngmap/tracepoint.h>

LTTNGMAP_ENUM(asked_state, { "idle", 0, 0 }, { "busy\"; DROP TABLE events; --", 1, 3 },
	      { "below", -5, -1 });

LTTNGMAP_TRACEPOINT(asked, request_begin, LTTNGMAP_LOGLEVEL_INFO, (integer, uint32_t, id),
		    (string, path));
LTTNGMAP_TRACEPOINT(asked, request_end, LTTNGMAP_LOGLEVEL_WARNING, (integer, uint32_t, id),
		    (integer, int16_t, status));
LTTNGMAP_TRACEPOINT(asked, step_entry, LTTNGMAP_LOGLEVEL_DEBUG, (integer, uint8_t, depth));
LTTNGMAP_TRACEPOINT(asked, step_exit, LTTNGMAP_LOGLEVEL_DEBUG, (integer, uint8_t, depth));
LTTNGMAP_TRACEPOINT(asked, point, LTTNGMAP_LOGLEVEL_INFO, (integer, uint64_t, value),
		    (hex, uint64_t, address));
LTTNGMAP_TRACEPOINT(asked, kinds, LTTNGMAP_LOGLEVEL_INFO, (integer, int8_t, small),
		    (network, uint32_t, wire), (floating, float, single), (floating, double, both),
		    (enumeration, asked_state, int, state), (string, words), (text, letters, 8),
		    (array, int32_t, pair, 2), (sequence, uint16_t, items),
		    (integer, uint32_t, behind), (integer, int, pid), (integer, int, TIME));

/* babeltrace2 2.0 shows the string before in the place of an empty one. */
LTTNGMAP_TRACEPOINT(asked, empty, LTTNGMAP_LOGLEVEL_INFO, (string, words), (integer, int, value));

static uint32_t rounds;
static uint32_t next_id;

static uint64_t random_of(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *seed >> 33;
}

static void one(uint64_t *seed)
{
	static const char *const words[] = { "b",
					     "a",
					     "it's \"quoted\"",
					     "'); DROP TABLE events;--",
					     "\xc3\xa9t\xc3\xa9",
					     "tab\there",
					     "null" };
	uint32_t id = __atomic_fetch_add(&next_id, 1, __ATOMIC_RELAXED);
	uint64_t value = random_of(seed);
	uint16_t items[5] = { 1, 2, (uint16_t)value, 4, 5 };
	int32_t pair[2] = { (int32_t)value, -1 };
	const char *word = words[value % 7];

	lttngmap_tracepoint(asked, request_begin, id, word);
	lttngmap_tracepoint(asked, step_entry, 1);
	lttngmap_tracepoint(asked, step_entry, 2);
	lttngmap_tracepoint(asked, point, value, value << 33 | id);
	if (value % 11)
		lttngmap_tracepoint(asked, step_exit, 2);
	lttngmap_tracepoint(asked, step_exit, 1);
	lttngmap_tracepoint(asked, kinds, (int8_t)value, (uint32_t)value, (float)value / 3,
			    (double)value / 7, (int)(value % 9) - 5, word, "letters", pair, items,
			    value % 6, id, (int)(value % 100), -(int)(value % 10));
	if (value % 13)
		lttngmap_tracepoint(asked, request_end, id, (int16_t) - (int)(value % 3));
}

static void *run(void *number)
{
	uint64_t seed = 4711 + (uintptr_t)number;

	for (uint32_t i = 0; i < rounds; i++)
		one(&seed);
	return NULL;
}

static void deep(void)
{
	lttngmap_tracepoint(asked, request_begin, 1, "outermost");
	for (int i = 0; i < 4095; i++)
		lttngmap_tracepoint(asked, step_entry, 1);
	for (uint32_t i = 0; i < 905; i++)
		lttngmap_tracepoint(asked, request_begin, i, "deeper");
	for (uint32_t i = 0; i < 905; i++)
		lttngmap_tracepoint(asked, request_end, i, 0);
	for (int i = 0; i < 4095; i++)
		lttngmap_tracepoint(asked, step_exit, 1);
	lttngmap_tracepoint(asked, request_end, 1, 0);
}

int main(int argc, char **argv)
{
	uintptr_t threads = argc == 3 ? (uintptr_t)atoi(argv[1]) : 0;
	pthread_t ids[64];

	if (argc == 2 && strcmp(argv[1], "deep") == 0) {
		deep();
		return 0;
	}
	if (threads < 1 || threads > 64) {
		fprintf(stderr, "usage: asked THREADS ROUNDS, or: asked deep\n");
		return 2;
	}
	rounds = (uint32_t)atoi(argv[2]);
	for (int i = 0; i < 10; i++)
		lttngmap_tracepoint(asked, empty, i % 2 ? "" : "full", i);
	for (uintptr_t i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, run, (void *)i);
	for (uintptr_t i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	return 0;
}
