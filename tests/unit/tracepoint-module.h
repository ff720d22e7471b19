/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * tracepoint-module.h - tracepoints that several source files of one module
 * share, in C and in C++.
 */
#ifndef TRACEPOINT_MODULE_H
#define TRACEPOINT_MODULE_H

#include <lttngmap/tracepoint.h>

LTTNGMAP_ENUM(colour, { "red", 0, 0 }, { "green", 1, 1 });

LTTNGMAP_TRACEPOINT(module, shared, LTTNGMAP_LOGLEVEL_INFO,
	(string, file), (enumeration, colour, int, colour));
LTTNGMAP_TRACEPOINT(module, unused, LTTNGMAP_LOGLEVEL_INFO, (string, file));
LTTNGMAP_TRACEPOINT(module, asked_only, LTTNGMAP_LOGLEVEL_INFO, (string, file));

/* For static functions in headers; C++'s inline functions are in the .cc. */
static inline void emit_inline(int value);
LTTNGMAP_TRACEPOINT(module, inlined, LTTNGMAP_LOGLEVEL_INFO, (integer, int, value));
static inline void emit_inline(int value)
{
	lttngmap_tracepoint(module, inlined, value);
}

#ifdef __cplusplus
extern "C" {
#endif

void emit_in_c(void);
int is_asked_only_on(void);
void emit_in_cxx(void);
unsigned int events_of_cxx_constructor(void);

#ifdef __cplusplus
}
#endif

#endif /* TRACEPOINT_MODULE_H */
