/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * stream-circle.h - where in a spool's stream file a packet goes. The room of what the collector
 * has is used again, and soonest: those pages are there, in the page cache, and often in the
 * CPU's. New ones are dearer than all else that is done with a packet.
 *
 *   0                                 RELAY_CIRCLE_SIZE
 *   |  free  | kept, oldest first | free |  kept | given back | kept |
 *            ^ the first run             ^ next                      ^ the file's end
 *
 * Packets go round in the first RELAY_CIRCLE_SIZE bytes, and where there is no room, to the
 * file's end, behind them. The stream's last packet is always kept: by it the next
 * consumer finds where to go on.
 *
 * Pure: no file. One thread.
 */
#ifndef CONSUMERD_STREAM_STREAM_CIRCLE_H
#define CONSUMERD_STREAM_STREAM_CIRCLE_H

#include <stdbool.h>
#include <stdint.h>

#define CIRCLE_RUNS 64
/* Packets that lie one behind the other are one run up to so many bytes. */
#define CIRCLE_RUN_SIZE (UINT64_C(256) << 10)

/* Packets that are kept. */
struct circle_run {
	uint64_t last; /* of them, counted in the file from 0 */
	uint64_t begin, end;
};

struct circle {
	uint64_t size; /* its bytes: fewer where a packet behind it begins earlier */
	uint64_t next; /* where its last packet ends */
	unsigned first, nr_runs;
	struct circle_run runs[CIRCLE_RUNS]; /* round and round, the oldest first */
};

struct circle_place {
	uint64_t offset;
	bool is_behind; /* it is not in the circle */
};

/* A file that has `end` bytes, and `packets` in them: all are kept. */
void circle_begin(struct circle *circle, uint64_t end, uint64_t packets);
/*
 * Where `size` bytes go of a file that ends at `end`, when the collector has `confirmed` of its
 * `packets`.
 */
struct circle_place circle_find(struct circle *circle, uint64_t size, uint64_t end,
				uint64_t confirmed, uint64_t packets);
/* They are there, as packet number `packet`. */
void circle_take(struct circle *circle, struct circle_place place, uint64_t size, uint64_t packet);

#endif /* CONSUMERD_STREAM_STREAM_CIRCLE_H */
