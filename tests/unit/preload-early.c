/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * preload-early.c - liblttngmap-libc.so serves a dlsym() that allocates while
 * it looks up the real functions, and what it gave may be freed and grown.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>

#include "tests/utils/greedy-dlsym.h"
#include "tests/utils/preloaded.h"

static bool all(const unsigned char *bytes, size_t size, unsigned char value)
{
	size_t i;

	for (i = 0; i < size && bytes[i] == value; i++)
		;
	return i == size;
}

static bool aligned(const void *ptr, uintptr_t alignment)
{
	return ptr && (uintptr_t)ptr % alignment == 0;
}

static void test_what_dlsym_got(const struct greedy_blocks *blocks)
{
	if (!blocks->malloced)
		bail_out("the greedy dlsym() was not called");
	ok(all(blocks->calloced, 120, 0), "calloc gave zeros");
	ok(all(blocks->grown, 100, 'm'), "realloc kept what was in the block");
	ok(blocks->from_null, "realloc of NULL gave a block");
	ok(all(blocks->array, 120, 'a'), "reallocarray gave a block that stays its owner's");
	ok(aligned(blocks->calloced, 16) && aligned(blocks->malloced, 16) &&
		   aligned(blocks->grown, 16) && aligned(blocks->from_null, 16),
	   "blocks are aligned");
	ok(aligned(blocks->memaligned, 256), "memalign aligned");
	ok(aligned(blocks->aligned, 1024), "aligned_alloc aligned");
	ok(aligned(blocks->page, 4096), "valloc aligned");
	ok(aligned(blocks->whole_page, 4096), "pvalloc aligned");
	ok(blocks->posix_result == 0 && aligned(blocks->posix, 512), "posix_memalign aligned");
	is(blocks->first_errno, 0, "errno was left alone");
	ok(!blocks->too_large, "malloc of too much failed");
	is(blocks->too_large_errno, ENOMEM, "  ... with ENOMEM");
	ok(!blocks->overflow, "calloc with an overflow failed");
	is(blocks->overflow_errno, ENOMEM, "  ... with ENOMEM");
	is(blocks->posix_too_large, ENOMEM, "posix_memalign of too much failed");
	ok(blocks->posix_too_large_errno == 0 && !blocks->unchanged, "  ... and changed nothing");
}

static void test_blocks_afterwards(struct greedy_blocks *blocks)
{
	volatile size_t huge = SIZE_MAX / 2 + 1;
	unsigned char *grown, *array;

	errno = 0;
	grown = realloc(blocks->grown, 100000);
	ok(grown && all(grown, 100, 'm'), "a block of then grows, and keeps what is in it");
	ok(!reallocarray(blocks->array, huge, 2) && errno == ENOMEM,
	   "reallocarray of one with an overflow fails");
	ok(all(blocks->array, 120, 'a'), "  ... and leaves it as it was");
	array = reallocarray(blocks->array, 1000, 100);
	ok(array && all(array, 120, 'a'), "reallocarray of one keeps what is in it");
	grown = realloc(grown, 200000);
	array = reallocarray(array, 1000, 200);
	ok(all(grown, 100, 'm') && all(array, 120, 'a'), "what they became is as any block");
	free(grown);
	free(array);
	errno = 4711;
	free(blocks->calloced);
	free(blocks->memaligned);
	free(blocks->aligned);
	free(blocks->page);
	free(blocks->whole_page);
	free(blocks->posix);
	free(blocks->from_null);
	free(NULL);
	is(errno, 4711, "blocks of then can be freed");
	ok(malloc_usable_size(grown = malloc(100000)) >= 100000, "now the C library allocates");
	free(grown);
}

int main(int argc, char **argv)
{
	static const char *const libraries[] = {
		".libs/liblttngmap-libc.so",
		"tests/utils/.libs/libgreedy-dlsym.so",
		NULL,
	};
	struct greedy_blocks *blocks;

	(void)argc;
	run_preloaded(argv, libraries);
	is(errno, 0, "looking up leaves errno alone");
	blocks = preloaded_symbol("greedy_blocks");
	test_what_dlsym_got(blocks);
	test_blocks_afterwards(blocks);
	return done_testing();
}
