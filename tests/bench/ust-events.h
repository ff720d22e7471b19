/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ust-events.h - the events of tracer.h as LTTng-UST wants them: in a header
 * that its own headers include again and again.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tests/bench/ust-events.h"

#if !defined(BENCH_UST_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_UST_EVENTS_H

#include <stdint.h>

#include <lttng/tracepoint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT_CLASS(bench, two_numbers,
	LTTNG_UST_TP_ARGS(int, number, long, value),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, number, number)
		lttng_ust_field_integer(long, value, value)
	)
)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(bench, two_numbers, bench, pair,
	LTTNG_UST_TP_ARGS(int, number, long, value)
)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(bench, two_numbers, bench, off,
	LTTNG_UST_TP_ARGS(int, number, long, value)
)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(bench, two_numbers, bench, row0,
	LTTNG_UST_TP_ARGS(int, number, long, value)
)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(bench, two_numbers, bench, row1,
	LTTNG_UST_TP_ARGS(int, number, long, value)
)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(bench, two_numbers, bench, row2,
	LTTNG_UST_TP_ARGS(int, number, long, value)
)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(bench, two_numbers, bench, row3,
	LTTNG_UST_TP_ARGS(int, number, long, value)
)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(bench, two_numbers, bench, row4,
	LTTNG_UST_TP_ARGS(int, number, long, value)
)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(bench, two_numbers, bench, row5,
	LTTNG_UST_TP_ARGS(int, number, long, value)
)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(bench, two_numbers, bench, row6,
	LTTNG_UST_TP_ARGS(int, number, long, value)
)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(bench, two_numbers, bench, row7,
	LTTNG_UST_TP_ARGS(int, number, long, value)
)
LTTNG_UST_TRACEPOINT_EVENT(bench, text,
	LTTNG_UST_TP_ARGS(long, value, const char *, text),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(long, value, value)
		lttng_ust_field_string(text, text)
	)
)
LTTNG_UST_TRACEPOINT_EVENT(bench, block,
	LTTNG_UST_TP_ARGS(const uint8_t *, bytes),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_array(uint8_t, bytes, bytes, 256)
	)
)
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
