/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * count-libc.h - the files that libcount-libc.so and libcount-calls.so leave,
 * one a process image (an exec makes a new one), and that count-sum adds up.
 */
#ifndef COUNT_LIBC_H
#define COUNT_LIBC_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/utils/count-calls.h"

#define COUNT_MAGIC UINT64_C(0x31746e756f636d6c) /* "lmcount1" */

/* In the order of the file. */
#define COUNT_FUNCTIONS(X)                                                                         \
	X(malloc)                                                                                  \
	X(free)                                                                                    \
	X(calloc)                                                                                  \
	X(realloc)                                                                                 \
	X(memalign)                                                                                \
	X(posix_memalign)                                                                          \
	X(aligned_alloc) X(valloc) X(pvalloc) COUNT_CALLS_FUNCTIONS(X)

enum {
#define COUNT_ENUM(name) COUNT_##name,
	COUNT_FUNCTIONS(COUNT_ENUM)
#undef COUNT_ENUM
		COUNT_FUNCTIONS_NR,
};

struct count_file {
	uint64_t magic;
	uint64_t calls[COUNT_FUNCTIONS_NR];
};

#define COUNT_PROCESS_IMAGES_MAX 100000

/* No answer but the end: a count that is wrong unnoticed is worth nothing. */
static inline __attribute__((noreturn)) void count_die(const char *what)
{
	dprintf(STDERR_FILENO, "count: cannot %s\n", what);
	syscall(SYS_exit_group, 99);
	__builtin_unreachable();
}

/*
 * Make and map a file PID-N in the directory that the variable names, shared
 * so that children of fork and vfork count in it too, and that no count is
 * lost however the process ends. NULL if the variable is not set. No malloc, and
 * no function that somebody counts or traces.
 */
static inline struct count_file *count_file_make(const char *variable)
{
	const char *dir = getenv(variable);
	struct count_file *file;
	char path[4096];
	int fd, i;

	if (!dir)
		return NULL;
	for (i = 0, fd = -1; fd < 0 && i < COUNT_PROCESS_IMAGES_MAX; i++) {
		snprintf(path, sizeof(path), "%s/%d-%d", dir, (int)getpid(), i);
		fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
				  0666);
	}
	if (fd < 0)
		count_die("make a file to count in");
	if (ftruncate(fd, sizeof(*file)))
		count_die("size its file");
	file = (struct count_file *)mmap(NULL, sizeof(*file), PROT_READ | PROT_WRITE, MAP_SHARED,
					 fd, 0);
	if (file == MAP_FAILED)
		count_die("map its file");
	syscall(SYS_close, fd);
	file->magic = COUNT_MAGIC;
	return file;
}

/* Locked, for several processes may count in a file. */
static inline void count_file_add(struct count_file *file, int function)
{
	__atomic_fetch_add(&file->calls[function], 1, __ATOMIC_RELAXED);
}

#endif /* COUNT_LIBC_H */
