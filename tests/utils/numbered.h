/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * numbered.h - events that can be told from each other and verified.
 *
 * A source is one thread, or one process, or one signal handler: whoever
 * emits its events one after another. They carry its number, their own number
 * from 0 on, and a payload that follows from both. Before and after each event
 * its source counts it in a file that all processes share, so that what was
 * emitted is known of those, too, who were killed: at least `done`, at most
 * `begun`.
 */
#ifndef TESTS_UTILS_NUMBERED_H
#define TESTS_UTILS_NUMBERED_H

#include <stdint.h>

#define NUMBERED_SOURCES 131072u
/* What a process may call itself that emits events of one source only. */
#define NUMBERED_PROCESS_NAME "source-%u"
#define NUMBERED_TEXT_MAX 15u
#define NUMBERED_ITEMS_MAX 7u

struct numbered_source {
	uint64_t begun;
	uint64_t done;
	uint32_t pid;
	/* It was forked in the middle of an event: each process may have emitted it. */
	uint32_t forked;
};

struct numbered_counts {
	uint32_t next;     /* source to be given away */
	uint32_t failed;   /* something that the test says on standard error */
	uint32_t finished; /* processes that nobody waits for */
	uint32_t reserved[13];
	struct numbered_source sources[NUMBERED_SOURCES];
};

struct numbered_payload {
	char text[NUMBERED_TEXT_MAX + 1];
	uint16_t items[NUMBERED_ITEMS_MAX];
	uint32_t nr_items;
};

static inline void numbered_payload(struct numbered_payload *payload, uint32_t source,
				    uint64_t number)
{
	uint64_t hash = (number + 1) * UINT64_C(0x9e3779b97f4a7c15) + source;
	uint32_t length;

	hash ^= hash >> 29;
	hash *= UINT64_C(0xbf58476d1ce4e5b9);
	hash ^= hash >> 32;
	length = hash & NUMBERED_TEXT_MAX;
	for (uint32_t i = 0; i < length; i++)
		payload->text[i] = (char)('a' + ((hash >> (i & 31)) & 15));
	payload->text[length] = '\0';
	payload->nr_items = (uint32_t)(hash >> 8) & NUMBERED_ITEMS_MAX;
	for (uint32_t i = 0; i < payload->nr_items; i++)
		payload->items[i] = (uint16_t)((hash >> 16) + i);
}

#endif /* TESTS_UTILS_NUMBERED_H */
