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
 * Each process image (an exec makes a new one) makes a file DIR/PID-N and
 * counts in a shared mapping of it; children of fork and vfork count in their
 * parent's. So no count is lost, however a process ends. Without
 * LTTNGMAP_COUNT_DIR nothing is counted.
 *
 * Since when, and until when
 * --------------------------
 * Counts and events must be of the same calls. Events are written from the
 * constructor of liblttngmap-libc.so on, so this library counts from the end
 * of its own constructor on, and must come FIRST in LD_PRELOAD: glibc keeps
 * libraries that do not need one another in the order in which they were
 * given, and initialises from the last to the first. Then its constructor is
 * the very next one after that of liblttngmap-libc.so, and between two
 * constructors the dynamic loader allocates nothing.
 * (The test preload-libc says so if that ever changes.)
 *
 * Neither stops before the process ends: there is no destructor here.
 *
 * A call is counted before it is passed on, an event written within the call
 * or after it: where another process's SIGKILL comes just between, they
 * differ by one a thread. Programs that kill themselves are exact.
 *
 * Being first also means that this library sees what is called in the order
 * of the program, and that calls of glibc to itself (reallocarray calls
 * realloc) pass here and there alike.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/utils/count-libc.h"

#define EXPORT __attribute__((visibility("default")))
#define PROCESS_IMAGES_MAX 100000

static struct count_file *counts;

/* Locked, for a forked child counts in the same file. */
static void count(enum count_function function)
{
	struct count_file *file = __atomic_load_n(&counts, __ATOMIC_ACQUIRE);

	if (file)
		__atomic_fetch_add(&file->calls[function], 1, __ATOMIC_RELAXED);
}

/* No answer but the end: a count that is wrong unnoticed is worth nothing. */
static __attribute__((noreturn)) void die(const char *what)
{
	dprintf(STDERR_FILENO, "count-libc: cannot %s\n", what);
	_exit(99);
}

/*
 * glibc's dlsym() allocates nothing when it finds what it looks for, which it
 * does: so there is no recursion to care for, other than in the library that
 * this one is to check.
 */
#define NEXT(name) \
	({ \
		static __typeof__(&name) next_; \
		if (!next_ && !(next_ = (__typeof__(&name))dlsym(RTLD_NEXT, #name))) \
			die("find " #name); \
		next_; \
	})

static __attribute__((constructor)) void start_counting(void)
{
	const char *dir = getenv("LTTNGMAP_COUNT_DIR");
	struct count_file *file;
	char path[4096];
	int fd, i;

	if (!dir)
		return;
	for (i = 0, fd = -1; fd < 0 && i < PROCESS_IMAGES_MAX; i++) {
		snprintf(path, sizeof(path), "%s/%d-%d", dir, (int)getpid(), i);
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	}
	if (fd < 0)
		die("make a file in LTTNGMAP_COUNT_DIR");
	if (ftruncate(fd, sizeof(*file)))
		die("size its file");
	file = mmap(NULL, sizeof(*file), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (file == MAP_FAILED)
		die("map its file");
	close(fd);
	file->magic = COUNT_MAGIC;
	__atomic_store_n(&counts, file, __ATOMIC_RELEASE);
}

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

EXPORT void *reallocarray(void *ptr, size_t nmemb, size_t size)
{
	count(COUNT_reallocarray);
	return NEXT(reallocarray)(ptr, nmemb, size);
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
