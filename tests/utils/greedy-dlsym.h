/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* greedy-dlsym.h - what libgreedy-dlsym.so was given while it looked up. */
#ifndef GREEDY_DLSYM_H
#define GREEDY_DLSYM_H

struct greedy_blocks {
	unsigned char *calloced;  /* 120 bytes */
	unsigned char *malloced;  /* 100 bytes 'm', no longer valid */
	unsigned char *grown;     /* 200 bytes, 100 of them 'm' */
	unsigned char *from_null; /* 24 bytes */
	unsigned char *array;     /* 120 bytes 'a' */
	void *memaligned;         /* to 256 */
	void *aligned;            /* to 1024 */
	void *page;
	void *whole_page;
	void *posix; /* to 512 */
	int posix_result;
	int first_errno; /* 0 before, then all of the above */
	void *too_large; /* 1 MiB is more than such an arena has */
	int too_large_errno;
	void *overflow;
	int overflow_errno;
	int posix_too_large;
	int posix_too_large_errno;
	void *unchanged; /* NULL before a posix_memalign() that fails */
};

#endif /* GREEDY_DLSYM_H */
