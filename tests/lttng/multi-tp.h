/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * multi-tp.h - one tracepoint, whose fields, level and arguments depend on the provider: each value
 * of MULTI_PROVIDER is a library of its own.
 *
 *   1  the provider as the program knows it
 *   2  a later version: one more field, and a level of its own
 *   3  a version whose tracepoint has an argument of another type: not the program's
 */
#ifndef MULTI_PROVIDER
#define MULTI_PROVIDER 1
#endif

#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER multi

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "multi-tp.h"

#if !defined(MULTI_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define MULTI_TP_H

#include <lttng/tracepoint.h>

#if MULTI_PROVIDER == 1
LTTNG_UST_TRACEPOINT_EVENT(multi, tp, LTTNG_UST_TP_ARGS(int, number, const char *, text),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, number, number)))
#elif MULTI_PROVIDER == 2
LTTNG_UST_TRACEPOINT_EVENT(multi, tp, LTTNG_UST_TP_ARGS(int, number, const char *, text),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, number, number)
						       lttng_ust_field_string(text, text)))
LTTNG_UST_TRACEPOINT_LOGLEVEL(multi, tp, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)
#else
LTTNG_UST_TRACEPOINT_EVENT(multi, tp, LTTNG_UST_TP_ARGS(long, number, const char *, text),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(long, wrong, number)))
#endif

#endif

#include <lttng/tracepoint-event.h>
