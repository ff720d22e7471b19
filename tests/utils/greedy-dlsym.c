/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * greedy-dlsym.c - libgreedy-dlsym.so: a dlsym() that allocates in all ways
 * there are before it answers, as glibc's hardly ever does. To be preloaded
 * behind the library whose dlsym() calls it shall serve.
 *
 * What the first call got stays in greedy_blocks for the test preload-early.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/utils/greedy-dlsym.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT struct greedy_blocks greedy_blocks;

typedef void *dlsym_function(void *handle, const char *name);

static void allocate(struct greedy_blocks *blocks)
{
	volatile size_t huge = SIZE_MAX / 2 + 1;

	errno = 0;
	blocks->calloced = calloc(3, 40);
	blocks->malloced = malloc(100);
	memset(blocks->malloced, 'm', 100);
	blocks->grown = realloc(blocks->malloced, 200);
	blocks->from_null = realloc(NULL, 24);
	blocks->array = reallocarray(NULL, 5, 24);
	memset(blocks->array, 'a', 120);
	blocks->memaligned = memalign(256, 10);
	blocks->aligned = aligned_alloc(1024, 10);
	blocks->page = valloc(10);
	blocks->whole_page = pvalloc(10);
	blocks->posix_result = posix_memalign(&blocks->posix, 512, 10);
	free(NULL);
	free(malloc(10));
	blocks->first_errno = errno;

	blocks->too_large = malloc(1 << 20);
	blocks->too_large_errno = errno;
	errno = 0;
	blocks->overflow = calloc(huge, 2);
	blocks->overflow_errno = errno;
	errno = 0;
	blocks->posix_too_large = posix_memalign(&blocks->unchanged, 16, 1 << 20);
	blocks->posix_too_large_errno = errno;
	errno = 4711;
}

EXPORT void *dlsym(void *handle, const char *name)
{
	static dlsym_function *real;
	static int calls;

	if (calls++ == 0)
		allocate(&greedy_blocks);
	else
		free(malloc(1000));
	if (!real)
		real = (dlsym_function *)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
	if (!real)
		real = (dlsym_function *)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
	return real(handle, name);
}
