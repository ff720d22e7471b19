/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * count-libc.h - the files that libcount-libc.so leaves and count-sum adds up.
 */
#ifndef COUNT_LIBC_H
#define COUNT_LIBC_H

#include <stdint.h>

#define COUNT_MAGIC UINT64_C(0x31746e756f636d6c) /* "lmcount1" */

/* In the order of the file. */
#define COUNT_FUNCTIONS(X) \
	X(malloc) X(free) X(calloc) X(realloc) X(memalign) X(posix_memalign) \
	X(reallocarray) X(aligned_alloc) X(valloc) X(pvalloc)

enum count_function {
#define COUNT_ENUM(name) COUNT_##name,
	COUNT_FUNCTIONS(COUNT_ENUM)
#undef COUNT_ENUM
	COUNT_FUNCTIONS_NR,
};

struct count_file {
	uint64_t magic;
	uint64_t calls[COUNT_FUNCTIONS_NR];
};

#endif /* COUNT_LIBC_H */
