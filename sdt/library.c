/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * library.c - liblttngmap-sdt.so: SDT probes as events, without the kernel.
 *
 *   LTTNGMAP_SDT=RULE,... LD_PRELOAD=liblttngmap-sdt.so PROGRAM
 *
 * The probes of what is loaded are looked for at the program's start, and after
 * each dlopen() and dlclose().
 */
#include "sdt/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/sdt-environment.h"
#include "preload/dl-caller.h"
#include "sdt/update.h"

#define NEXT_FUNCTIONS(X) X(dlopen) X(dlmopen) X(dlclose)

#include "preload/next.h"

/* Somebody selected something once. Without a lock. */
static bool is_active;

int lttngmap_sdt_select(const char *rules)
{
	if (strlen(rules) > SDT_RULES_MAX)
		return -E2BIG;
	__atomic_store_n(&is_active, true, __ATOMIC_RELAXED);
	return sdt_update(rules);
}

int lttngmap_sdt_armed(void)
{
	return sdt_update_armed();
}

int lttngmap_sdt_refused(char *text, size_t size)
{
	return sdt_update_refused(text, size);
}

/* Before others map their memory, lttngmap's rings among it. */
static __attribute__((constructor(101))) void select_at_start(void)
{
	const char *chosen = secure_getenv(SDT_ENVIRONMENT_RULES);

	if (chosen && chosen[0])
		lttngmap_sdt_select(chosen);
}

/* After what tracepoint.h does at the start. */
static __attribute__((constructor)) void tell_at_start(void)
{
	sdt_update_registered();
	if (__atomic_load_n(&is_active, __ATOMIC_RELAXED))
		sdt_update_tell();
}

/* ---- libraries that come and go ------------------------------------------------------------ */

static void look_again(void)
{
	if (__atomic_load_n(&is_active, __ATOMIC_RELAXED))
		sdt_update(NULL);
}

void *dlopen(const char *filename, int flags)
{
	void *handle = dl_caller_dlopen(NEXT(dlopen), __builtin_return_address(0), filename, flags);

	if (handle)
		look_again();
	return handle;
}

void *dlmopen(Lmid_t nsid, const char *filename, int flags)
{
	void *handle = dl_caller_dlmopen(NEXT(dlmopen), __builtin_return_address(0), nsid, filename,
					 flags);

	if (handle)
		look_again();
	return handle;
}

int dlclose(void *handle)
{
	int result = NEXT(dlclose)(handle);

	look_again();
	return result;
}
