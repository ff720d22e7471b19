/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * libc.c - liblttngmap-libc.so: the C library's allocation functions, traced.
 *
 *   LD_PRELOAD=liblttngmap-libc.so PROGRAM
 *
 * Names and fields are those that readers of LTTng traces know; what LTTng
 * does not wrap stands after what it does.
 *
 * In which order
 * --------------
 * A reader follows blocks by their addresses, over all threads, so an address
 * must be seen free before it is seen allocated again. Hence the end of a
 * block's life is written before it happens (free), the beginning after it
 * happened (malloc and all like it): between two lives of an address both
 * stand in their true order, whichever threads they are of.
 *
 * realloc both ends a life and begins one, and what it gives is known only
 * afterwards, which is when it is written. Where the block moved, another
 * thread may have got the old address and written so a moment earlier. A
 * reader that meets "malloc gave A" while it holds A to be allocated thus
 * knows that a realloc of A is about to follow, and that it ends the older A.
 *
 * Calls that fail are written too, with a pointer of 0; free(NULL) also.
 * reallocarray is a realloc, as glibc's is: one event, of the program's call.
 *
 * Why it cannot call itself
 * -------------------------
 * lttngmap_event_write() calls no malloc, and neither do these functions. So
 * an event never leads to another one, and no mark "already tracing" in each
 * thread is needed. No lock of an allocator is held when an event is written,
 * so that blocking mode stops nobody but the caller.
 *
 * Events are on from the first call in a constructor, of whichever library
 * (early.h), to the end of the process. Calls before it, which the dynamic
 * loader makes, go where they would go without us.
 *
 * Not seen: a program that defines malloc itself (its own definition comes
 * first for everybody), libraries loaded with RTLD_DEEPBIND or by dlmopen().
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

/* The destructors of other libraries free what we saw them allocate. */
#define LTTNGMAP_NEVER_UNLOADED
#include <lttngmap/tracepoint.h>

#include "preload/libc-next.h"

#define LEVEL LTTNGMAP_LOGLEVEL_DEBUG_LINE

LTTNGMAP_TRACEPOINT(lttng_ust_libc, malloc, LEVEL,
	(integer, size_t, size), (pointer, ptr));
LTTNGMAP_TRACEPOINT(lttng_ust_libc, free, LEVEL,
	(pointer, ptr));
LTTNGMAP_TRACEPOINT(lttng_ust_libc, calloc, LEVEL,
	(integer, size_t, nmemb), (integer, size_t, size), (pointer, ptr));
LTTNGMAP_TRACEPOINT(lttng_ust_libc, realloc, LEVEL,
	(pointer, in_ptr), (integer, size_t, size), (pointer, ptr));
LTTNGMAP_TRACEPOINT(lttng_ust_libc, memalign, LEVEL,
	(integer, size_t, alignment), (integer, size_t, size), (pointer, ptr));
LTTNGMAP_TRACEPOINT(lttng_ust_libc, posix_memalign, LEVEL,
	(pointer, out_ptr), (integer, size_t, alignment), (integer, size_t, size),
	(integer, int, result));

LTTNGMAP_TRACEPOINT(lttng_ust_libc, aligned_alloc, LEVEL,
	(integer, size_t, alignment), (integer, size_t, size), (pointer, ptr));
LTTNGMAP_TRACEPOINT(lttng_ust_libc, valloc, LEVEL,
	(integer, size_t, size), (pointer, ptr));
LTTNGMAP_TRACEPOINT(lttng_ust_libc, pvalloc, LEVEL,
	(integer, size_t, size), (pointer, ptr));

void *malloc(size_t size)
{
	void *ptr = NEXT(malloc)(size);

	lttngmap_tracepoint_at(LIBC_CALLER, lttng_ust_libc, malloc, size, ptr);
	return ptr;
}

extern __typeof__(malloc) own_malloc
	__attribute__((alias("malloc"), copy(malloc), visibility("hidden")));

void free(void *ptr)
{
	lttngmap_tracepoint_at(__builtin_return_address(0), lttng_ust_libc, free, ptr);
	NEXT(free)(ptr);
}

void *calloc(size_t nmemb, size_t size)
{
	void *ptr = NEXT(calloc)(nmemb, size);

	lttngmap_tracepoint_at(__builtin_return_address(0), lttng_ust_libc, calloc, nmemb, size,
			       ptr);
	return ptr;
}

void *realloc(void *in_ptr, size_t size)
{
	void *ptr = NEXT(realloc)(in_ptr, size);

	lttngmap_tracepoint_at(__builtin_return_address(0), lttng_ust_libc, realloc, in_ptr, size,
			       ptr);
	return ptr;
}

void *memalign(size_t alignment, size_t size)
{
	void *ptr = NEXT(memalign)(alignment, size);

	lttngmap_tracepoint_at(__builtin_return_address(0), lttng_ust_libc, memalign, alignment,
			       size, ptr);
	return ptr;
}

/* A call that fails leaves *memptr as it was, which says nothing: 0 instead. */
int posix_memalign(void **memptr, size_t alignment, size_t size)
{
	int result = NEXT(posix_memalign)(memptr, alignment, size);

	lttngmap_tracepoint_at(__builtin_return_address(0), lttng_ust_libc, posix_memalign,
			       result ? NULL : *memptr, alignment, size, result);
	return result;
}

extern __typeof__(realloc) own_realloc
	__attribute__((alias("realloc"), nothrow, leaf, visibility("hidden")));

/*
 * Does what glibc's does, which calls realloc() by its name. Where that is ours, its event would
 * name this function as the caller; an allocator in front of us frees its blocks itself.
 */
void *reallocarray(void *in_ptr, size_t nmemb, size_t size)
{
	void *(*volatile first)(void *, size_t) = realloc;
	void *ptr = NULL;
	size_t total;

	if (__builtin_mul_overflow(nmemb, size, &total)) {
		total = SIZE_MAX;
		errno = ENOMEM;
	} else if (first != own_realloc) {
		return first(in_ptr, total);
	} else {
		ptr = NEXT(realloc)(in_ptr, total);
	}
	lttngmap_tracepoint_at(__builtin_return_address(0), lttng_ust_libc, realloc, in_ptr, total,
			       ptr);
	return ptr;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	void *ptr = NEXT(aligned_alloc)(alignment, size);

	lttngmap_tracepoint_at(LIBC_CALLER, lttng_ust_libc, aligned_alloc, alignment, size, ptr);
	return ptr;
}

void *valloc(size_t size)
{
	void *ptr = NEXT(valloc)(size);

	lttngmap_tracepoint_at(__builtin_return_address(0), lttng_ust_libc, valloc, size, ptr);
	return ptr;
}

void *pvalloc(size_t size)
{
	void *ptr = NEXT(pvalloc)(size);

	lttngmap_tracepoint_at(__builtin_return_address(0), lttng_ust_libc, pvalloc, size, ptr);
	return ptr;
}
