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
#include <link.h>
#include <malloc.h>
#include <setjmp.h>
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

/* ---- who called operator new ------------------------------------------------- */

/* The last one has no site. */
struct libc_new_frame libc_new_frames[LIBC_NEW_FRAMES_MAX + 1];

#ifdef __x86_64__
/*
 * The C++ library's operator new calls malloc(), whose caller it is for each block of a program.
 * Its frame has the same size at each call, so it is measured once: operator new is called, and
 * early_malloc() looks for the two return addresses on the stack, and jumps back over it. So
 * nothing is allocated, and there is no event. Another operator new than the C++ library's is not
 * called.
 */
typedef void *new_function(size_t size, size_t alignment_or_tag);

#define NEW_FUNCTIONS(X)                                                                           \
	X(_Znwm)                                                                                   \
	X(_Znam)                                                                                   \
	X(_ZnwmRKSt9nothrow_t)                                                                     \
	X(_ZnamRKSt9nothrow_t)                                                                     \
	X(_ZnwmSt11align_val_t)                                                                    \
	X(_ZnamSt11align_val_t)                                                                    \
	X(_ZnwmSt11align_val_tRKSt9nothrow_t)                                                      \
	X(_ZnamSt11align_val_tRKSt9nothrow_t)

/* NULL where no C++ library was there at the program's start. */
#define DECLARE(name) new_function name __attribute__((weak));
NEW_FUNCTIONS(DECLARE)
#undef DECLARE

static new_function *const new_functions[] = {
#define NEW_FUNCTION(name) name,
	NEW_FUNCTIONS(NEW_FUNCTION)
#undef NEW_FUNCTION
};
#define NEW_FUNCTIONS_NR (sizeof(new_functions) / sizeof(new_functions[0]))

#define FRAMES_WORDS 64u /* of the frames that are looked at */

/* The part of a function that may call another one is not longer. */
#define FUNCTION_SIZE 256u

struct measuring {
	jmp_buf back;
	uintptr_t begin, end; /* the C++ library */
	bool is_bound;        /* the call was made before */
	unsigned count;       /* of libc_new_frames */
};

static __thread struct measuring *volatile measuring __attribute__((tls_model("initial-exec")));

/* True: the address may be where a call in the function returns to. */
static bool is_inside(const void *address, const void *function)
{
	return (uintptr_t)address - (uintptr_t)function - 1 < FUNCTION_SIZE - 1;
}

/* True: it is the C++ library's. */
static bool is_known(const struct measuring *m, new_function *function)
{
	return (uintptr_t)function >= m->begin && (uintptr_t)function < m->end;
}

static __attribute__((noinline)) void *call_new(new_function *function)
{
	void *block = function(1, 16);

	__asm__ volatile("" : "+r"(block));
	return block;
}

static bool is_in_new(const struct measuring *m, const void *address)
{
	for (size_t i = 0; i < NEW_FUNCTIONS_NR; i++)
		if (is_known(m, new_functions[i]) &&
		    is_inside(address, (const void *)new_functions[i]))
			return true;
	return false;
}

/* Returns if this is no call of operator new by call_new(). */
static __attribute__((noinline)) void measure(struct measuring *m)
{
	const void *const *at = __builtin_frame_address(0), *const *end = at + FRAMES_WORDS;
	const struct libc_new_frame *frame = libc_new_frames;
	const void *const *slot;

	while (at < end && !is_in_new(m, *at))
		at++;
	if (at == end)
		return;
	for (slot = at; frame->site; frame++)
		if (frame->site == *slot)
			slot += frame->words;
	at = slot;
	while (at < end && !is_inside(*at, (const void *)call_new))
		at++;
	if (at == end)
		return;
	if (at > slot && m->is_bound && m->count < LIBC_NEW_FRAMES_MAX)
		libc_new_frames[m->count++] = (struct libc_new_frame){ *slot, (size_t)(at - slot) };
	_longjmp(m->back, 1);
}

/* No return address of earlier calls is on the stack of later ones. */
static __attribute__((noinline)) void wipe_stack(void)
{
	unsigned char used[FRAMES_WORDS * sizeof(void *) * 2];

	memset(used, 0, sizeof(used));
	__asm__ volatile("" : : "r"(used) : "memory");
}

/* Called for each module: fills in the C++ library that has operator new. */
static int find_library(struct dl_phdr_info *info, size_t size, void *data)
{
	static const char *const names[] = { "libstdc++.so.", "libc++.so.", "libc++abi.so." };
	const char *name = strrchr(info->dlpi_name, '/');
	struct measuring *m = data;
	bool is_named = false;

	(void)size;
	name = name ? name + 1 : info->dlpi_name;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		is_named = is_named || strncmp(name, names[i], strlen(names[i])) == 0;
	for (unsigned i = 0; is_named && i < info->dlpi_phnum; i++) {
		m->begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		m->end = m->begin + info->dlpi_phdr[i].p_memsz;
		if (info->dlpi_phdr[i].p_type == PT_LOAD && is_known(m, _Znwm))
			return 1;
	}
	m->begin = m->end = 0;
	return 0;
}

/* Before the functions behind are published. Where malloc() is not ours, neither are the calls. */
static void measure_new(void)
{
	static struct measuring m;
	static bool is_measured;
	void *(*volatile first)(size_t) = malloc;

	if (!_Znwm || first != own_malloc ||
	    __atomic_exchange_n(&is_measured, true, __ATOMIC_RELAXED) ||
	    !dl_iterate_phdr(find_library, &m))
		return;
	for (volatile size_t i = 0; i < NEW_FUNCTIONS_NR * 2; i++) {
		m.is_bound = i & 1;
		if (!is_known(&m, new_functions[i / 2]))
			continue;
		wipe_stack();
		measuring = &m;
		if (_setjmp(m.back) == 0)
			free(call_new(new_functions[i / 2]));
		measuring = NULL;
	}
}
#else
static void *const measuring;

static void measure(void *nothing)
{
	(void)nothing;
}

static void measure_new(void)
{
}
#endif

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
	if (environ)
		measure_new();
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

	if (measuring)
		measure(measuring);
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

	if (measuring)
		measure(measuring);
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
