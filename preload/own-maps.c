/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * own-maps.c - munmap(), mprotect() and madvise() leave the library's own maps alone: see
 * liblttngmap/attach/own-maps.h. In each family.
 *
 * The functions behind are called, not the system calls: some libraries patch these functions,
 * to know which memory is gone.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "liblttngmap/attach/own-maps.h"

#define NEXT_WITHOUT_EVENTS
#define NEXT_FUNCTIONS(X) X(munmap) X(mprotect) X(madvise)
#include "preload/next.h"

/* An allocator may call them while dlsym() looks for the functions behind. */
static int behind_munmap(void *at, size_t size, int unused)
{
	(void)unused;
	return next_finding ? (int)syscall(SYS_munmap, at, size) : NEXT(munmap)(at, size);
}

static int behind_mprotect(void *at, size_t size, int rights)
{
	return next_finding ? (int)syscall(SYS_mprotect, at, size, rights)
			    : NEXT(mprotect)(at, size, rights);
}

static int behind_madvise(void *at, size_t size, int advice)
{
	return next_finding ? (int)syscall(SYS_madvise, at, size, advice)
			    : NEXT(madvise)(at, size, advice);
}

int munmap(void *at, size_t size)
{
	return lttngmap_maps_leave(behind_munmap, at, size, 0, 0);
}

int mprotect(void *at, size_t size, int rights)
{
	return lttngmap_maps_leave(behind_mprotect, at, size, rights, 0);
}

int madvise(void *at, size_t size, int advice)
{
	return lttngmap_maps_leave(behind_madvise, at, size, advice, 1);
}
