/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * libc-next.h - the allocation functions behind the wrappers of libc.c.
 *
 * "Behind" is what dlsym(RTLD_NEXT) finds: the C library's functions, or
 * those of an allocator that the program links or preloads after us. Each
 * wrapper forwards to its own namesake and to no other (reallocarray to realloc, as the C
 * library's does), so a block is always freed by the allocator that made it, with us in front
 * or without.
 *
 * The pointers are valid from the moment on that this library is relocated:
 * they begin at functions that look the others up, and that serve what
 * dlsym() itself allocates meanwhile from a small static arena. The dynamic
 * loader makes the first call while the program has one thread, long before
 * main(); from then on a call is the one indirect jump, with no test.
 *
 * Threads and signals: any, at any time; nothing here waits or takes a lock
 * of ours. dlsym() takes the loader's own, and is over before main().
 * errno: only as the functions behind set it.
 */
#ifndef PRELOAD_LIBC_NEXT_H
#define PRELOAD_LIBC_NEXT_H

#include <stddef.h>
#include <stdlib.h>

#define LIBC_NEXT_FUNCTIONS(X)                                                                     \
	X(malloc)                                                                                  \
	X(free)                                                                                    \
	X(calloc)                                                                                  \
	X(realloc)                                                                                 \
	X(memalign) X(aligned_alloc) X(posix_memalign) X(valloc) X(pvalloc)

struct libc_next {
	void *(*malloc)(size_t size);
	void (*free)(void *ptr);
	void *(*calloc)(size_t nmemb, size_t size);
	void *(*realloc)(void *ptr, size_t size);
	void *(*memalign)(size_t alignment, size_t size);
	void *(*aligned_alloc)(size_t alignment, size_t size);
	int (*posix_memalign)(void **memptr, size_t alignment, size_t size);
	void *(*valloc)(size_t size);
	void *(*pvalloc)(size_t size);
};

extern __attribute__((visibility("hidden"))) struct libc_next libc_next;

/*
 * The function behind a wrapper, to be called at once: NEXT(malloc)(size).
 * Relaxed, because a pointer that is about to be replaced is as good as the
 * one that replaces it.
 */
#define NEXT(name) __atomic_load_n(&libc_next.name, __ATOMIC_RELAXED)

/* The wrapper itself: a program may have another malloc() in front of it. */
extern __typeof__(malloc) own_malloc __attribute__((visibility("hidden")));

/*
 * libc_caller() returns who called a wrapper that returns to `caller`, the word at `slot`; where
 * that is in the C++ library's operator new, who called this. It reads the stack, and no more.
 */
struct libc_new_frame {
	const void *site; /* where a call in operator new returns to */
	size_t words;     /* from that return address on the stack up to operator new's own */
};
#define LIBC_NEW_FRAMES_MAX 8u
extern __attribute__((visibility("hidden"))) struct libc_new_frame
	libc_new_frames[LIBC_NEW_FRAMES_MAX + 1]; /* the last one has no site */

static inline const void *libc_caller(const void *caller, const void *const *slot)
{
	const struct libc_new_frame *frame = libc_new_frames;

	while (frame->site) {
		if (frame->site != caller) {
			frame++;
			continue;
		}
		/* The frames of those that it may be called by stand behind it. */
		slot += frame->words;
		caller = *slot;
		frame++;
	}
	return caller;
}

#ifdef __x86_64__
#define LIBC_CALLER                                                                                \
	libc_caller(__builtin_return_address(0), (const void *const *)__builtin_dwarf_cfa() - 1)
#else
#define LIBC_CALLER __builtin_return_address(0)
#endif

#endif /* PRELOAD_LIBC_NEXT_H */
