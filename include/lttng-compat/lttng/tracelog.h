/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * lttng/tracelog.h - LTTng-UST's names for lttngmap_tracelog(). A level gives its
 * name to the event, as in LTTng-UST: that of version 2.13, or the older one.
 */
#ifndef LTTNGMAP_LTTNG_TRACELOG_H
#define LTTNGMAP_LTTNG_TRACELOG_H

#include <lttng/tracepoint.h>
#include <lttngmap/tracef.h>

#define lttng_ust_tracelog(level, ...)                                                             \
	LTTNGMAP_TRACELOG_(lttngmap_tracepoint_lttng_ust_tracelog__##level,                        \
			   lttngmap_tracelog_##level##_, __VA_ARGS__)
#define lttng_ust_vtracelog(level, format, arguments)                                              \
	LTTNGMAP_VTRACELOG_(lttngmap_tracepoint_lttng_ust_tracelog__##level,                       \
			    lttngmap_vtracelog_##level##_, format, arguments)

#ifdef LTTNGMAP_LTTNG_OLD_NAMES_
#define tracelog(level, ...)                                                                       \
	LTTNGMAP_TRACELOG_(lttngmap_tracepoint_lttng_ust_tracelog__##level,                        \
			   lttngmap_tracelog_##level##_, __VA_ARGS__)
#define vtracelog(level, format, arguments)                                                        \
	LTTNGMAP_VTRACELOG_(lttngmap_tracepoint_lttng_ust_tracelog__##level,                       \
			    lttngmap_vtracelog_##level##_, format, arguments)
#endif

/* clang-format off */

#define LTTNGMAP_LTTNG_TRACELOG_(level)                                                            \
	LTTNGMAP_TRACELOG_DEFINE_(LTTNG_UST_TRACEPOINT_LOGLEVEL_##level, LTTNGMAP_LOGLEVEL_##level)

LTTNGMAP_LTTNG_TRACELOG_(EMERG)
LTTNGMAP_LTTNG_TRACELOG_(ALERT)
LTTNGMAP_LTTNG_TRACELOG_(CRIT)
LTTNGMAP_LTTNG_TRACELOG_(ERR)
LTTNGMAP_LTTNG_TRACELOG_(WARNING)
LTTNGMAP_LTTNG_TRACELOG_(NOTICE)
LTTNGMAP_LTTNG_TRACELOG_(INFO)
LTTNGMAP_LTTNG_TRACELOG_(DEBUG_SYSTEM)
LTTNGMAP_LTTNG_TRACELOG_(DEBUG_PROGRAM)
LTTNGMAP_LTTNG_TRACELOG_(DEBUG_PROCESS)
LTTNGMAP_LTTNG_TRACELOG_(DEBUG_MODULE)
LTTNGMAP_LTTNG_TRACELOG_(DEBUG_UNIT)
LTTNGMAP_LTTNG_TRACELOG_(DEBUG_FUNCTION)
LTTNGMAP_LTTNG_TRACELOG_(DEBUG_LINE)
LTTNGMAP_LTTNG_TRACELOG_(DEBUG)

/* clang-format on */

#endif /* LTTNGMAP_LTTNG_TRACELOG_H */
