/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * count-libc.c - libcount-libc.so: how often a program calls the functions that
 * liblttngmap-libc.so traces, counted by other means. Nothing of lttngmap is
 * in it.
 *
 *   LTTNGMAP_COUNT_DIR=DIR LD_PRELOAD="libcount-libc.so liblttngmap-libc.so" PROGRAM
 *   count-sum DIR
 *
 * Where the counts are kept: count-libc.h. Without LTTNGMAP_COUNT_DIR nothing
 * is counted.
 *
 * Since when, and until when
 * --------------------------
 * Counts and events must be of the same calls. Events are written from the first
 * call on after the C library is initialised, which sets `environ`: in a constructor
 * of any library. So this library counts from then on.
 *
 * Neither stops before the process ends: there is no destructor here.
 *
 * A call is counted before it is passed on, an event written within the call
 * or after it: where another process's SIGKILL comes just between, they
 * differ by one a thread. Programs that kill themselves are exact.
 *
 * Being first also means that this library sees what is called in the order
 * of the program. reallocarray calls realloc, which is counted.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tests/utils/count-libc.h"

#define EXPORT __attribute__((visibility("default")))

static struct count_file *counts;

static struct count_file *start_counting(void)
{
	static bool started;

	if (environ && !__atomic_exchange_n(&started, true, __ATOMIC_ACQ_REL))
		__atomic_store_n(&counts, count_file_make("LTTNGMAP_COUNT_DIR"), __ATOMIC_RELEASE);
	return __atomic_load_n(&counts, __ATOMIC_ACQUIRE);
}

static void count(int function)
{
	struct count_file *file = __atomic_load_n(&counts, __ATOMIC_ACQUIRE);

	if (!file)
		file = start_counting();
	if (file)
		count_file_add(file, function);
}

/*
 * glibc's dlsym() allocates nothing when it finds what it looks for, which it
 * does: so there is no recursion to care for, other than in the library that
 * this one is to check.
 */
#define NEXT(name)                                                                                 \
	({                                                                                         \
		static __typeof__(&name) next_;                                                    \
		if (!next_ && !(next_ = (__typeof__(&name))dlsym(RTLD_NEXT, #name)))               \
			count_die("find " #name);                                                  \
		next_;                                                                             \
	})

EXPORT void *malloc(size_t size)
{
	count(COUNT_malloc);
	return NEXT(malloc)(size);
}

EXPORT void free(void *ptr)
{
	count(COUNT_free);
	NEXT(free)(ptr);
}

EXPORT void *calloc(size_t nmemb, size_t size)
{
	count(COUNT_calloc);
	return NEXT(calloc)(nmemb, size);
}

EXPORT void *realloc(void *ptr, size_t size)
{
	count(COUNT_realloc);
	return NEXT(realloc)(ptr, size);
}

EXPORT void *memalign(size_t alignment, size_t size)
{
	count(COUNT_memalign);
	return NEXT(memalign)(alignment, size);
}

EXPORT int posix_memalign(void **memptr, size_t alignment, size_t size)
{
	count(COUNT_posix_memalign);
	return NEXT(posix_memalign)(memptr, alignment, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	count(COUNT_aligned_alloc);
	return NEXT(aligned_alloc)(alignment, size);
}

EXPORT void *valloc(size_t size)
{
	count(COUNT_valloc);
	return NEXT(valloc)(size);
}

EXPORT void *pvalloc(size_t size)
{
	count(COUNT_pvalloc);
	return NEXT(pvalloc)(size);
}
