/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * tracer.h - the events of events.c, by the tracer that it is built for:
 * BENCH_LTTNGMAP, BENCH_LTTNG_UST, or none, where an event is a bare read of
 * the clock that lttngmap takes here.
 *
 *   event_pair()   an int and a long, turned on by run.sh
 *   event_off()    the same, never turned on
 *   event_row(N)   likewise, eight events: N is 0 to 7
 *   event_text()   a long and a string
 *   event_block()  256 bytes, turned on to move much
 */
#ifndef BENCH_TRACER_H
#define BENCH_TRACER_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define BLOCK_SIZE 256

#if defined(BENCH_LTTNGMAP)

#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(bench, pair, LTTNGMAP_LOGLEVEL_INFO, (integer, int, number),
		    (integer, long, value));
LTTNGMAP_TRACEPOINT(bench, off, LTTNGMAP_LOGLEVEL_INFO, (integer, int, number),
		    (integer, long, value));
#define BENCH_ROW(name)                                                                            \
	LTTNGMAP_TRACEPOINT(bench, name, LTTNGMAP_LOGLEVEL_INFO, (integer, int, number),           \
			    (integer, long, value))
BENCH_ROW(row0);
BENCH_ROW(row1);
BENCH_ROW(row2);
BENCH_ROW(row3);
BENCH_ROW(row4);
BENCH_ROW(row5);
BENCH_ROW(row6);
BENCH_ROW(row7);
LTTNGMAP_TRACEPOINT(bench, text, LTTNGMAP_LOGLEVEL_INFO, (integer, long, value),
		    (string, text));
LTTNGMAP_TRACEPOINT(bench, block, LTTNGMAP_LOGLEVEL_INFO, (array, uint8_t, bytes, BLOCK_SIZE));

#define event_pair(number, value) lttngmap_tracepoint(bench, pair, number, value)
#define event_off(number, value) lttngmap_tracepoint(bench, off, number, value)
#define event_row(which, number, value) lttngmap_tracepoint(bench, row##which, number, value)
#define event_text(value, text) lttngmap_tracepoint(bench, text, value, text)
#define event_block(bytes) lttngmap_tracepoint(bench, block, bytes)
#define pair_is_on() lttngmap_tracepoint_enabled(bench, pair)
#define text_is_on() lttngmap_tracepoint_enabled(bench, text)
#define block_is_on() lttngmap_tracepoint_enabled(bench, block)

#elif defined(BENCH_LTTNG_UST)

#include "ust-events.h"

#define event_pair(number, value) lttng_ust_tracepoint(bench, pair, number, value)
#define event_off(number, value) lttng_ust_tracepoint(bench, off, number, value)
#define event_row(which, number, value) lttng_ust_tracepoint(bench, row##which, number, value)
#define event_text(value, text) lttng_ust_tracepoint(bench, text, value, text)
#define event_block(bytes) lttng_ust_tracepoint(bench, block, bytes)
#define pair_is_on() lttng_ust_tracepoint_enabled(bench, pair)
#define text_is_on() lttng_ust_tracepoint_enabled(bench, text)
#define block_is_on() lttng_ust_tracepoint_enabled(bench, block)

#else

#include <x86intrin.h>

#include "common/base/clock.h"

static bool clock_is_tsc;

static inline __attribute__((always_inline)) void read_clock(void)
{
	struct timespec now;
	unsigned long long ticks;

	if (clock_is_tsc) {
		ticks = __rdtsc();
		__asm__ volatile("" : : "r"(ticks));
	} else {
		clock_gettime(CLOCK_MONOTONIC, &now);
	}
}

static __attribute__((constructor)) void choose_clock(void)
{
	enum lttngmap_clock clock;

	clock_is_tsc = clock_choose(NULL, &clock) == 0 && clock == LTTNGMAP_CLOCK_TSC;
}

#define event_pair(number, value) read_clock()
#define event_off(number, value) (void)0
#define event_row(which, number, value) (void)0
#define event_text(value, text) read_clock()
#define event_block(bytes) (void)0
#define pair_is_on() true
#define text_is_on() true
#define block_is_on() true

#endif

#endif /* BENCH_TRACER_H */
