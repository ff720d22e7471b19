/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * preload-libc.c - each wrapper of liblttngmap-libc.so does what the function
 * does, errno included, and says so in the right event at the right time.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>

#include "tests/utils/watched.h"

/* Volatile, for the compiler warns of sizes of which it sees that they must fail. */
static volatile size_t huge_size = SIZE_MAX / 2 + 1;
static volatile size_t nearly_all = SIZE_MAX - 10;

static bool aligned(const void *ptr, uintptr_t alignment)
{
	return ptr && (uintptr_t)ptr % alignment == 0;
}

/* ---- what there is ------------------------------------------------------------- */

static void test_classes(void)
{
	static const struct watched_class expected[] = {
		{ "malloc", " size:10 ptr:16" },
		{ "free", " ptr:16" },
		{ "calloc", " nmemb:10 size:10 ptr:16" },
		{ "realloc", " in_ptr:16 size:10 ptr:16" },
		{ "memalign", " alignment:10 size:10 ptr:16" },
		{ "posix_memalign", " out_ptr:16 alignment:10 size:10 result:10s" },
		{ "aligned_alloc", " alignment:10 size:10 ptr:16" },
		{ "valloc", " size:10 ptr:16" },
		{ "pvalloc", " size:10 ptr:16" },
	};

	test_watched_classes("lttng_ust_libc", expected, sizeof(expected) / sizeof(expected[0]),
			     LTTNGMAP_LOGLEVEL_DEBUG_LINE);
}

/* ---- calls that succeed --------------------------------------------------------- */

static void test_malloc_realloc_free(void)
{
	char *volatile old; /* only its value matters, after the block is gone */
	char *ptr;

	watch();
	ptr = malloc(100);
	happened("malloc", ERRNO_BEFORE, "malloc size=100 ptr=%p", (void *)ptr);

	strcpy(ptr, "kept");
	old = ptr;
	watch();
	ptr = realloc(ptr, 200000);
	happened("realloc", ERRNO_BEFORE, "realloc in_ptr=%p size=200000 ptr=%p", (void *)old,
		 (void *)ptr);
	is_string(ptr, "kept", "realloc keeps what is in the block");

	old = ptr;
	watch();
	free(ptr);
	happened("free", ERRNO_BEFORE, "free ptr=%p", (void *)old);

	watch();
	free(NULL);
	happened("free of NULL", ERRNO_BEFORE, "free ptr=0");

	watch();
	ptr = realloc(NULL, 10);
	happened("realloc of NULL", ERRNO_BEFORE, "realloc in_ptr=0 size=10 ptr=%p", (void *)ptr);
	is(nr_events, 1, "realloc is one event");
	free(ptr);
}

static void test_calloc(void)
{
	unsigned char *ptr;
	int i, sum = 0;

	ptr = malloc(1200);
	memset(ptr, 0xff, 1200);
	free(ptr);
	watch();
	ptr = calloc(3, 400);
	happened("calloc", ERRNO_BEFORE, "calloc nmemb=3 size=400 ptr=%p", (void *)ptr);
	for (i = 0; i < 1200; i++)
		sum += ptr[i];
	is(sum, 0, "calloc gives zeros");
	free(ptr);
}

static void test_reallocarray(void)
{
	void *volatile old = malloc(10);
	void *ptr;

	watch();
	ptr = reallocarray(old, 30, 40);
	happened("reallocarray", ERRNO_BEFORE, "realloc in_ptr=%p size=1200 ptr=%p", old, ptr);
	is(nr_events, 1, "reallocarray is one event");
	free(ptr);
}

static void test_aligned(void)
{
	void *ptr = NULL;
	int result;

	watch();
	ptr = memalign(256, 100);
	happened("memalign", ERRNO_BEFORE, "memalign alignment=256 size=100 ptr=%p", ptr);
	ok(aligned(ptr, 256), "memalign aligns");
	free(ptr);

	watch();
	ptr = aligned_alloc(512, 1024);
	happened("aligned_alloc", ERRNO_BEFORE, "aligned_alloc alignment=512 size=1024 ptr=%p",
		 ptr);
	ok(aligned(ptr, 512), "aligned_alloc aligns");
	free(ptr);

	watch();
	result = posix_memalign(&ptr, 1024, 100);
	happened("posix_memalign", ERRNO_BEFORE,
		 "posix_memalign out_ptr=%p alignment=1024 size=100 result=0", ptr);
	ok(result == 0 && aligned(ptr, 1024), "posix_memalign aligns");
	free(ptr);

	watch();
	ptr = valloc(100);
	happened("valloc", ERRNO_BEFORE, "valloc size=100 ptr=%p", ptr);
	ok(aligned(ptr, sysconf(_SC_PAGESIZE)), "valloc gives the start of a page");
	free(ptr);

	watch();
	ptr = pvalloc(100);
	happened("pvalloc", ERRNO_BEFORE, "pvalloc size=100 ptr=%p", ptr);
	ok(malloc_usable_size(ptr) >= (size_t)sysconf(_SC_PAGESIZE), "pvalloc gives a whole page");
	free(ptr);
}

/* ---- calls that fail ------------------------------------------------------------ */

/* What a failed call gave, and whether it is in the trace. */
#define fails(call, name, ...)                                                                     \
	do {                                                                                       \
		void *ptr_;                                                                        \
		watch();                                                                           \
		ptr_ = call;                                                                       \
		happened(name " that fails is written", ENOMEM, name __VA_ARGS__);                 \
		ok(!ptr_, "  ... and gives NULL");                                                 \
	} while (0)

static void test_failures(void)
{
	const long long huge = (long long)huge_size;
	void *volatile block = malloc(10);
	void *unchanged = block;
	int result;

	fails(malloc(huge_size), "malloc", " size=%lld ptr=0", huge);
	fails(calloc(huge_size, 2), "calloc", " nmemb=%lld size=2 ptr=0", huge);
	fails(realloc(block, huge_size), "realloc", " in_ptr=%p size=%lld ptr=0", block, huge);
	fails(reallocarray(block, huge_size, 2), "realloc", " in_ptr=%p size=-1 ptr=0", block);
	is(nr_events, 1, "  ... once, for nothing was reallocated");
	fails(aligned_alloc(64, nearly_all), "aligned_alloc", " alignment=64 size=-11 ptr=0");
	fails(memalign(64, nearly_all), "memalign", " alignment=64 size=-11 ptr=0");
	fails(valloc(nearly_all), "valloc", " size=-11 ptr=0");
	fails(pvalloc(nearly_all), "pvalloc", " size=-11 ptr=0");

	watch();
	result = posix_memalign(&unchanged, 3, 10);
	happened("posix_memalign that fails is written", ERRNO_BEFORE,
		 "posix_memalign out_ptr=0 alignment=3 size=10 result=%d", EINVAL);
	ok(result == EINVAL && unchanged == block, "  ... and changes nothing");
	free(block);
}

/* ---- when the event is written --------------------------------------------------- */

/* glibc's free() writes over the first 16 bytes of a small block. */
static const char cookie[17] = "still the owner's";
static const void *cookie_block;
static bool cookie_found;

static void look_for_cookie(const struct lttngmap_event_class *event_class, const void *fields,
			    size_t size)
{
	const void *ptr;

	(void)size;
	memcpy(&ptr, fields, sizeof(ptr));
	if (!strcmp(event_class->name, "free") && ptr == cookie_block)
		cookie_found = memcmp(ptr, cookie, 16) == 0;
}

static void test_free_is_written_first(void)
{
	char *block = malloc(sizeof(cookie));

	memcpy(block, cookie, sizeof(cookie));
	cookie_block = block;
	set_hook(look_for_cookie);
	free(block);
	set_hook(NULL);
	ok(cookie_found, "free is written while the block is still its owner's");
}

/* ---- many threads, and forks among them ------------------------------------------- */

#define THREADS 4
#define ROUNDS 20000
#define FORKS 50
#define MARKED_SIZE 4712 /* nobody else's */

static unsigned long marked;
static unsigned long nested;
static __thread int depth;

static void count_marked(const struct lttngmap_event_class *event_class, const void *fields,
			 size_t size)
{
	uint64_t first;

	(void)size;
	if (depth++)
		__atomic_fetch_add(&nested, 1, __ATOMIC_RELAXED);
	memcpy(&first, fields, sizeof(first));
	if (!strcmp(event_class->name, "malloc") && first == MARKED_SIZE)
		__atomic_fetch_add(&marked, 1, __ATOMIC_RELAXED);
	depth--;
}

static void *allocate_much(void *unused)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		free(realloc(malloc(MARKED_SIZE), 10 + i % 3000));
	return unused;
}

static void test_threads_and_forks(void)
{
	pthread_t threads[THREADS];
	int i, status, failed = 0;
	pid_t child;

	set_hook(count_marked);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, allocate_much, NULL);
	for (i = 0; i < FORKS; i++) {
		child = fork();
		if (child == 0) {
			unsigned long before = marked;

			free(malloc(MARKED_SIZE));
			_exit(marked == before + 1 ? 0 : 1);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
			failed++;
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	set_hook(NULL);
	is(failed, 0, "children forked among threads that allocate allocate too");
	is(marked, THREADS * ROUNDS, "each call of each thread is one event");
	is(nested, 0, "no event is written within another");
}

int main(int argc, char **argv)
{
	(void)argc;
	watch_preloaded(argv, ".libs/liblttngmap-libc.so");
	test_classes();
	test_malloc_realloc_free();
	test_calloc();
	test_reallocarray();
	test_aligned();
	test_failures();
	test_free_is_written_first();
	test_threads_and_forks();
	return done_testing();
}
