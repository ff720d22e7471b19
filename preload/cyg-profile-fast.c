/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * cyg-profile-fast.c - liblttngmap-cyg-profile-fast.so: what cyg-profile.c
 * does, in less: an entry has the function's address alone, and an exit
 * nothing. A reader needs every event, in its order in each thread, to know
 * which function an exit is of.
 *
 *   LD_PRELOAD=liblttngmap-cyg-profile-fast.so PROGRAM
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define LTTNGMAP_NEVER_UNLOADED
#include <lttngmap/tracepoint.h>

#include "preload/cyg-profile.h"

#define LEVEL LTTNGMAP_LOGLEVEL_DEBUG_FUNCTION

LTTNGMAP_TRACEPOINT(lttng_ust_cyg_profile_fast, func_entry, LEVEL,
	(pointer, addr));
LTTNGMAP_TRACEPOINT(lttng_ust_cyg_profile_fast, func_exit, LEVEL);

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

void __cyg_profile_func_enter(void *function, void *call_site)
{
	(void)call_site;
	if (lttngmap_tracepoint_enabled(lttng_ust_cyg_profile_fast, func_entry) &&
	    function_is_selected(function))
		lttngmap_tracepoint_at(function, lttng_ust_cyg_profile_fast, func_entry, function);
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
	(void)call_site;
	if (lttngmap_tracepoint_enabled(lttng_ust_cyg_profile_fast, func_exit) &&
	    function_is_selected(function))
		lttngmap_tracepoint_at(function, lttng_ust_cyg_profile_fast, func_exit);
}
