/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * other-malloc.c - an allocator that is not the C library's: libother-malloc.so
 * for programs that bring one as a library, and a part of the program
 * own-malloc, which defines one itself.
 *
 * It hands out a fixed pool and takes nothing back, but dies of any block
 * that is not its own, which is what two allocators mixed up would do. It
 * defines no valloc, pvalloc and reallocarray, as many do not.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define HEAD 16u
#define POOL_SIZE (256u << 20)

static __attribute__((aligned(4096))) unsigned char pool[POOL_SIZE];
static size_t pool_used;

/* How many blocks it gave: shows that it is in use. */
EXPORT unsigned long other_malloc_blocks;

static void check_own(const void *ptr)
{
	static const char message[] = "other-malloc: a block of somebody else\n";

	if ((uintptr_t)ptr - (uintptr_t)pool < POOL_SIZE)
		return;
	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		_exit(98);
	abort();
}

static void *take(size_t alignment, size_t size)
{
	size_t used = __atomic_load_n(&pool_used, __ATOMIC_RELAXED);
	size_t begin;

	do {
		begin = (used + HEAD + alignment - 1) & ~(alignment - 1);
		if (begin > POOL_SIZE || size > POOL_SIZE - begin) {
			errno = ENOMEM;
			return NULL;
		}
	} while (!__atomic_compare_exchange_n(&pool_used, &used, begin + size, 0, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	memcpy(&pool[begin - HEAD], &size, sizeof(size));
	__atomic_fetch_add(&other_malloc_blocks, 1, __ATOMIC_RELAXED);
	return &pool[begin];
}

EXPORT void *malloc(size_t size)
{
	return take(HEAD, size);
}

EXPORT void free(void *ptr)
{
	if (ptr)
		check_own(ptr);
}

EXPORT void *calloc(size_t nmemb, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(nmemb, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	return take(HEAD, total);
}

EXPORT void *realloc(void *ptr, size_t size)
{
	void *new_ptr = take(HEAD, size);
	size_t old_size;

	if (!ptr || !new_ptr)
		return new_ptr;
	check_own(ptr);
	memcpy(&old_size, (unsigned char *)ptr - HEAD, sizeof(old_size));
	return memcpy(new_ptr, ptr, old_size < size ? old_size : size);
}

EXPORT void *memalign(size_t alignment, size_t size)
{
	return take(alignment < HEAD ? HEAD : alignment, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	return take(alignment < HEAD ? HEAD : alignment, size);
}

EXPORT int posix_memalign(void **memptr, size_t alignment, size_t size)
{
	void *ptr = take(alignment < HEAD ? HEAD : alignment, size);

	if (!ptr)
		return ENOMEM;
	*memptr = ptr;
	return 0;
}

EXPORT size_t malloc_usable_size(void *ptr)
{
	size_t size;

	memcpy(&size, (unsigned char *)ptr - HEAD, sizeof(size));
	return size;
}
