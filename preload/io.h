/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* io.h - what both files of the family io use. */
#ifndef PRELOAD_IO_H
#define PRELOAD_IO_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define IO_LEVEL LTTNGMAP_LOGLEVEL_DEBUG_LINE

/* Nanoseconds; never 0. */
static inline uint64_t io_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec + 1;
}

/* A path that the kernel has read: these errors come after that. */
static inline const char *io_known_path(const char *path, int error)
{
	switch (error) {
	case 0:
	case EACCES:
	case EEXIST:
	case EISDIR:
	case ELOOP:
	case EMFILE:
	case ENFILE:
	case ENOENT:
	case ENOTDIR:
	case ENXIO:
	case EPERM:
	case EROFS:
	case ETXTBSY:
		return path;
	default:
		return NULL;
	}
}

#endif /* PRELOAD_IO_H */
