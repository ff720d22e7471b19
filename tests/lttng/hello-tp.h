/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * hello-tp.h - a provider as LTTng-UST's manual explains one: events of their
 * own, a class with several, an enumeration, log levels.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER hello

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./hello-tp.h"

#if !defined(HELLO_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define HELLO_TP_H

#include <lttng/tracepoint.h>
#include <stdio.h>

#include "hello.h"

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(
	hello, start,
	LTTNG_UST_TP_ARGS(int, count, const char *, name),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_string(name, name)
		lttng_ust_field_integer(int, count, count)
	)
)

LTTNG_UST_TRACEPOINT_ENUM(
	hello, size,
	LTTNG_UST_TP_ENUM_VALUES(
		lttng_ust_field_enum_value("NONE", 0)
		lttng_ust_field_enum_value("ONE", 1)
		lttng_ust_field_enum_range("SOME", 2, 99)
		lttng_ust_field_enum_value("A HUNDRED", 100)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(
	hello, measure,
	LTTNG_UST_TP_ARGS(int, number, const char *, text, FILE *, file, double, ratio, int *, list),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, twice, number * 2)
		lttng_ust_field_integer_hex(long, position, ftell(file))
		lttng_ust_field_float(double, ratio, ratio)
		lttng_ust_field_string(text, text)
		lttng_ust_field_array(int, first_ones, list, 7)
		lttng_ust_field_array_text(char, as_text, text, 5)
		lttng_ust_field_sequence(int, some, list, unsigned int, number / 10)
		lttng_ust_field_sequence_text(char, some_text, text, unsigned int, number / 5)
		lttng_ust_field_enum(hello, size, int, how_much, list[1])
	)
)

LTTNG_UST_TRACEPOINT_LOGLEVEL(hello, measure, LTTNG_UST_TRACEPOINT_LOGLEVEL_WARNING)

LTTNG_UST_TRACEPOINT_EVENT_CLASS(
	hello, order,
	LTTNG_UST_TP_ARGS(int, number, struct order *, order),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, number, number)
		lttng_ust_field_integer(unsigned long, items, order->items)
		lttng_ust_field_string(who, order->who)
	)
)

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(
	hello, order, hello, order_come,
	LTTNG_UST_TP_ARGS(int, number, struct order *, order)
)

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(
	hello, order, hello, order_sent,
	LTTNG_UST_TP_ARGS(int, number, struct order *, order)
)

LTTNG_UST_TRACEPOINT_LOGLEVEL(hello, order_sent, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
	hello, end,
	LTTNG_UST_TP_ARGS(),
	LTTNG_UST_TP_FIELDS()
)
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
