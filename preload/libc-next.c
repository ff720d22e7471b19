/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * libc-next.c - find the allocation functions behind the wrappers, while
 * being the allocator of those who look them up.
 *
 *            first call                 all found, and
 *   early_*  ---------->  dlsym x 9   ------------------->  the real functions
 *      ^                      |        registered (early.h) (or guarded_*, where
 *      +---- may allocate ----+                              the arena was used)
 *             (arena)
 *
 * glibc's dlsym() allocates only to describe an error, but other C libraries
 * and interposed dlsym()s allocate at will. Their memory from the arena may
 * be freed or grown much later, by any thread. Those programs pay for it with a
 * range check in free() and realloc(); all others never see one.
 *
 * Who may do what at the same time: any thread may find the functions at any
 * time and publish them; all publish the same values. A thread that comes
 * back here from its own dlsym() is known by `finding`.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "preload/libc-next.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "preload/early.h"

/* Alignment of malloc(); also the size of a block's head. */
#define BLOCK 16u
#define PAGE 4096u
#define ARENA_SIZE (8u * PAGE)
/* Set in arena_used for good when the real functions are published. */
#define ARENA_CLOSED (UINT64_C(1) << 63)

/* Zeros, each byte handed out once at most: calloc() needs no memset(). */
static __attribute__((aligned(PAGE))) unsigned char arena[ARENA_SIZE];
static uint64_t arena_used;

/*
 * This thread is inside dlsym() for us. Initial-exec, because other models
 * may allocate at the first access, which is where we cannot. Volatile, because
 * dlsym() is declared to be one that never calls us.
 */
static __thread volatile bool finding __attribute__((tls_model("initial-exec")));

/* Functions found by dlsym(); libc_next holds these or wrappers around them. */
static struct libc_next found;
static bool is_found;

static bool in_arena(const void *ptr)
{
	return (uintptr_t)ptr - (uintptr_t)arena < ARENA_SIZE;
}

/* A block's size stands in the head before it. */
static size_t arena_block_size(const void *ptr)
{
	size_t size;

	memcpy(&size, (const unsigned char *)ptr - BLOCK, sizeof(size));
	return size;
}

static void *no_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

/*
 * Take a block. False: the arena is closed, so the real functions are
 * published. True: `ptr` is the answer, NULL if there is no room.
 */
static bool arena_take(size_t alignment, size_t size, void **ptr)
{
	uint64_t used = __atomic_load_n(&arena_used, __ATOMIC_ACQUIRE);
	uint64_t begin;

	*ptr = NULL;
	if (alignment < BLOCK)
		alignment = BLOCK;
	do {
		if (used & ARENA_CLOSED)
			return false;
		begin = (used + BLOCK + alignment - 1) & ~(uint64_t)(alignment - 1);
		if (alignment & (alignment - 1) || alignment > PAGE || begin > ARENA_SIZE ||
		    size > ARENA_SIZE - begin) {
			no_memory();
			return true;
		}
	} while (!__atomic_compare_exchange_n(&arena_used, &used, begin + size, false,
					      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	memcpy(&arena[begin - BLOCK], &size, sizeof(size));
	*ptr = &arena[begin];
	return true;
}

/* ---- in place of the real functions, where a block may be the arena's ------ */

static void guarded_free(void *ptr)
{
	if (!in_arena(ptr))
		found.free(ptr);
}

static void *guarded_realloc(void *ptr, size_t size)
{
	size_t old_size;
	void *new_ptr;

	if (!in_arena(ptr))
		return found.realloc(ptr, size);
	old_size = arena_block_size(ptr);
	new_ptr = found.malloc(size);
	if (new_ptr)
		memcpy(new_ptr, ptr, old_size < size ? old_size : size);
	return new_ptr;
}

/* ---- finding ---------------------------------------------------------------- */

/*
 * A function that nobody behind us defines stays NULL: a program that calls
 * it could not have been started without us either.
 */
static void find(void)
{
	finding = true;
#define FIND(name) __atomic_store_n(&found.name, dlsym(RTLD_NEXT, #name), __ATOMIC_RELAXED);
	LIBC_NEXT_FUNCTIONS(FIND)
#undef FIND
	finding = false;
	__atomic_store_n(&is_found, true, __ATOMIC_RELEASE);
}

static void publish(void)
{
	uint64_t used;

	/*
	 * First publish what is right in any case, then close the arena, then
	 * look whether the guards are needed: a thread that sees the arena
	 * closed (acquire, in arena_take) finds the functions published.
	 */
#define PUBLISH(name) __atomic_store_n(&libc_next.name, found.name, __ATOMIC_RELEASE);
#define GUARD(name) __atomic_store_n(&libc_next.name, guarded_##name, __ATOMIC_RELEASE);
	GUARD(free)
	GUARD(realloc)
	PUBLISH(malloc)
	PUBLISH(calloc)
	PUBLISH(memalign)
	PUBLISH(aligned_alloc)
	PUBLISH(posix_memalign)
	PUBLISH(valloc)
	PUBLISH(pvalloc)
	used = __atomic_fetch_or(&arena_used, ARENA_CLOSED, __ATOMIC_ACQ_REL);
	if ((used & ~ARENA_CLOSED) == 0) {
		PUBLISH(free)
		PUBLISH(realloc)
	}
#undef GUARD
#undef PUBLISH
}

/* The functions are found; they are published if events can begin, or `now`. */
static void begin(bool now)
{
	int saved_errno = errno;

	if (!__atomic_load_n(&is_found, __ATOMIC_ACQUIRE))
		find();
	if (early_begin() || now)
		publish();
	errno = saved_errno;
}

/*
 * The way of every allocation before the functions are published. False:
 * they are found now. True: the arena answered with `ptr`.
 */
static bool early(size_t alignment, size_t size, void **ptr)
{
	if (finding)
		return arena_take(alignment, size, ptr);
	begin(false);
	return false;
}

/*
 * Before main(), whether or not anybody allocated so far: the functions must
 * not be looked up at a time when a thread may hold the loader's lock, or
 * when the program has yet to ask dlerror() for its own error.
 */
static __attribute__((constructor)) void find_at_start(void)
{
	if (!(__atomic_load_n(&arena_used, __ATOMIC_ACQUIRE) & ARENA_CLOSED))
		begin(true);
}

/* ---- what the pointers begin with ------------------------------------------- */

static void *early_malloc(size_t size)
{
	void *ptr;

	return early(BLOCK, size, &ptr) ? ptr : found.malloc(size);
}

/*
 * Events do not begin here: dlsym() itself frees the description of an error before it forgets it,
 * and what begins with the events asks dlsym(), which would free it again.
 */
static void early_free(void *ptr)
{
	int saved_errno = errno;

	if (!finding && !__atomic_load_n(&is_found, __ATOMIC_ACQUIRE))
		find();
	errno = saved_errno;
	/*
	 * Inside of dlsym() there is nothing to free a block with that is not
	 * of the arena: it leaks, once. (The arena's own do by design.)
	 */
	if (!finding)
		guarded_free(ptr);
}

static void *early_calloc(size_t nmemb, size_t size)
{
	size_t total;
	void *ptr;

	if (__builtin_mul_overflow(nmemb, size, &total))
		return no_memory();
	return early(BLOCK, total, &ptr) ? ptr : found.calloc(nmemb, size);
}

static void *early_realloc(void *ptr, size_t size)
{
	size_t old_size;
	void *new_ptr;

	if (!early(BLOCK, size, &new_ptr))
		return guarded_realloc(ptr, size);
	if (ptr && !in_arena(ptr))
		return no_memory(); /* not ours, and its size is unknown */
	if (ptr && new_ptr) {
		old_size = arena_block_size(ptr);
		memcpy(new_ptr, ptr, old_size < size ? old_size : size);
	}
	return new_ptr;
}

static void *early_memalign(size_t alignment, size_t size)
{
	void *ptr;

	return early(alignment, size, &ptr) ? ptr : found.memalign(alignment, size);
}

static void *early_aligned_alloc(size_t alignment, size_t size)
{
	void *ptr;

	return early(alignment, size, &ptr) ? ptr : found.aligned_alloc(alignment, size);
}

static int early_posix_memalign(void **memptr, size_t alignment, size_t size)
{
	int saved_errno = errno;
	void *ptr;

	if (!early(alignment, size, &ptr))
		return found.posix_memalign(memptr, alignment, size);
	errno = saved_errno;
	if (!ptr)
		return ENOMEM;
	*memptr = ptr;
	return 0;
}

static void *early_valloc(size_t size)
{
	void *ptr;

	return early(PAGE, size, &ptr) ? ptr : found.valloc(size);
}

static void *early_pvalloc(size_t size)
{
	void *ptr;

	return early(PAGE, size, &ptr) ? ptr : found.pvalloc(size);
}

struct libc_next libc_next = {
#define EARLY(name) .name = early_##name,
	LIBC_NEXT_FUNCTIONS(EARLY)
#undef EARLY
};
