/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * taken-tp.h - what LTTng-UST's headers take, though its manual does not say so: an instance
 * before its class, log levels of no event, a provider whose name is a macro.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER taken

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./taken-tp.h"

#if !defined(TAKEN_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TAKEN_TP_H

#include <lttng/tracepoint.h>

#define TAKEN_PROVIDER taken

/* clang-format off */
LTTNG_UST_TRACEPOINT_LOGLEVEL(taken, early, LTTNG_UST_TRACEPOINT_LOGLEVEL_ERR)

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(
	taken, number, taken, early,
	LTTNG_UST_TP_ARGS(int, n)
)

LTTNG_UST_TRACEPOINT_ENUM(
	taken, names,
	LTTNG_UST_TP_ENUM_VALUES(
		lttng_ust_field_enum_value("ONE", 1)
	)
)

LTTNG_UST_TRACEPOINT_EVENT_CLASS(
	taken, number,
	LTTNG_UST_TP_ARGS(int, n),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_enum(taken, names, int, n, n)
	)
)

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(
	taken, number, taken, late,
	LTTNG_UST_TP_ARGS(int, n)
)

LTTNG_UST_TRACEPOINT_LOGLEVEL(taken, nothing, LTTNG_UST_TRACEPOINT_LOGLEVEL_EMERG)
LTTNG_UST_TRACEPOINT_LOGLEVEL(other, late, LTTNG_UST_TRACEPOINT_LOGLEVEL_EMERG)
LTTNG_UST_TRACEPOINT_LOGLEVEL(taken, number, LTTNG_UST_TRACEPOINT_LOGLEVEL_EMERG)

LTTNG_UST_TRACEPOINT_EVENT(
	TAKEN_PROVIDER, macro,
	LTTNG_UST_TP_ARGS(int, n),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, n, n)
	)
)
LTTNG_UST_TRACEPOINT_LOGLEVEL(TAKEN_PROVIDER, macro, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
	TAKEN_PROVIDER, half_macro,
	LTTNG_UST_TP_ARGS(int, n),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, n, n)
	)
)
LTTNG_UST_TRACEPOINT_LOGLEVEL(taken, half_macro, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
