/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * nested-tp.h - instances whose arguments have other types than those of their class, which
 * LTTng-UST's headers take in C++.
 */
#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER nested

#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "./nested-tp.h"

#if !defined(NESTED_TP_H) || defined(TRACEPOINT_HEADER_MULTI_READ)
#define NESTED_TP_H

#include <lttng/tracepoint.h>

#include "nested.h"

/* clang-format off */
TRACEPOINT_EVENT_CLASS(
	nested, request,
	TP_ARGS(const request *, r, int, n),
	TP_FIELDS(
		ctf_string(name, r->name)
		ctf_integer(int, n, n)
	)
)
TRACEPOINT_EVENT_INSTANCE(nested, request, same, TP_ARGS(const request *, r, int, n))
TRACEPOINT_EVENT_INSTANCE(nested, request, hidden, TP_ARGS(const request::hidden *, r, int, n))
TRACEPOINT_EVENT_INSTANCE(nested, request, reference, TP_ARGS(const request &, r, int, n))
TRACEPOINT_EVENT_INSTANCE(
	nested, request, more,
	TP_ARGS(request *, r, int, n, double, ratio, int, n4, int, n5, int, n6, int, n7)
)
TRACEPOINT_LOGLEVEL(nested, hidden, TRACE_NOTICE)
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
