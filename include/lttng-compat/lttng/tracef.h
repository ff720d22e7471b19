/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* lttng/tracef.h - LTTng-UST's names for lttngmap_tracef(). */
#ifndef LTTNGMAP_LTTNG_TRACEF_H
#define LTTNGMAP_LTTNG_TRACEF_H

#include <lttngmap/tracef.h>

#define lttng_ust_tracef(...) lttngmap_tracef(__VA_ARGS__)
#define lttng_ust_vtracef(format, arguments) lttngmap_vtracef(format, arguments)

#if !defined(LTTNG_UST_COMPAT_API_VERSION) || LTTNG_UST_COMPAT_API_VERSION == 0
#define tracef(...) lttngmap_tracef(__VA_ARGS__)
#define vtracef(format, arguments) lttngmap_vtracef(format, arguments)
#endif

#endif /* LTTNGMAP_LTTNG_TRACEF_H */
