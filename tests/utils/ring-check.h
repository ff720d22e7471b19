/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-check.h - records that can be told from each other and verified, for
 * writers and a reader of one ring set in one program (ring-bench-set.h).
 *
 * A writer is whoever emits its records one after another: a thread, or what
 * its signal handler does at one depth.
 */
#ifndef RING_CHECK_H
#define RING_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/utils/ring-bench-set.h"

#define RING_CHECK_WRITERS 64u
#define RING_CHECK_RINGS 64u
/* Of payload beyond the first three, in a record. */
#define RING_CHECK_WORDS_MAX 12u

struct ring_tally {
	uint64_t kept, torn, disorder, clock_back, end_early;
	uint64_t packets, lapped;
	uint64_t moves; /* times that a writer was elsewhere since its last record in a ring */
	uint64_t discarded_last[RING_CHECK_RINGS];
	uint64_t discard_back, sequence_gaps;
	uint64_t sequence[RING_CHECK_RINGS];
	int64_t last[RING_CHECK_RINGS][RING_CHECK_WRITERS];
};

/* Whom the reader asks, in place of bench->set. */
struct ring_source {
	void *data;
	int (*get_packets)(void *data, struct lttngmap_packets *packets);
	int (*check_packet)(void *data);
	const char *(*bytes)(void *data, const struct lttngmap_packet *packet);
};

struct ring_reading {
	struct bench_set *bench;
	struct ring_tally *tally;
	unsigned int pause_us; /* after each packet, that makes the reader slow */
	bool partial;
	uint32_t most;                    /* packets at a time; 0: one */
	const struct ring_source *source; /* NULL: bench->set */
};

/* Record `number` of `writer`, with so many words more. Signal-safe. */
void ring_check_emit(struct bench_set *bench, uint32_t writer, uint64_t number, uint64_t words);

/* No record was seen. */
void ring_check_begin(struct ring_tally *tally);
/* Looks at each record of what there is now: 0, or what the source says. */
int ring_check_read_some(const struct ring_reading *reading);

/*
 * Take all packets until the set is drained, and look at each record; for
 * pthread_create(), with a struct ring_reading.
 */
void *ring_check_read(void *reading);

#endif /* RING_CHECK_H */
