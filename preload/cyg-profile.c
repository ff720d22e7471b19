/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * cyg-profile.c - liblttngmap-cyg-profile.so: entry and exit of each function
 * of a program that was built with -finstrument-functions.
 *
 *   LD_PRELOAD=liblttngmap-cyg-profile.so PROGRAM
 *
 * Names and fields are those that readers of LTTng traces know. The compiler
 * calls these two by name; the C library has empty ones, which is what a
 * program is linked with. The context ip is the address of the function, too, so
 * that readers can tell where it is in the source.
 *
 * An exit is written also where a function is left by an exception, not where
 * it is by longjmp() or the end of its thread.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define LTTNGMAP_NEVER_UNLOADED
#include "preload/cyg-profile.h"

#include <lttngmap/tracepoint.h>

#define LEVEL LTTNGMAP_LOGLEVEL_DEBUG_FUNCTION

LTTNGMAP_TRACEPOINT(lttng_ust_cyg_profile, func_entry, LEVEL,
	(pointer, addr), (pointer, call_site));
LTTNGMAP_TRACEPOINT(lttng_ust_cyg_profile, func_exit, LEVEL,
	(pointer, addr), (pointer, call_site));

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

void __cyg_profile_func_enter(void *function, void *call_site)
{
	if (lttngmap_tracepoint_enabled(lttng_ust_cyg_profile, func_entry) &&
	    function_is_selected(function))
		lttngmap_tracepoint_at(function, lttng_ust_cyg_profile, func_entry, function,
				       call_site);
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
	if (lttngmap_tracepoint_enabled(lttng_ust_cyg_profile, func_exit) &&
	    function_is_selected(function))
		lttngmap_tracepoint_at(function, lttng_ust_cyg_profile, func_exit, function,
				       call_site);
}
