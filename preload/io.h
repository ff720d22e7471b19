/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* io.h - what all files of the family io use. */
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
	case EBUSY:
	case EEXIST:
	case EISDIR:
	case ELOOP:
	case EMFILE:
	case ENFILE:
	case ENOENT:
	case ENOTDIR:
	case ENOTEMPTY:
	case ENXIO:
	case EPERM:
	case EROFS:
	case ETXTBSY:
	case EXDEV:
		return path;
	default:
		return NULL;
	}
}

/* ---- events of calls whose result is a number ------------------------------------------ */

#define IO_EVENT(name, ...)                                                                        \
	LTTNGMAP_TRACEPOINT(lttngmap_io, name, IO_LEVEL, __VA_ARGS__, (integer, int64_t, result),     \
			    (integer, int, error), (integer, uint64_t, duration))

/*
 * IO_CALL(event, type, call, arguments...): make the call, write the event with
 * these arguments, which are looked at after it, and return its result.
 */
#define IO_CALL(name, type, call, ...)                                                             \
	uint64_t begin = lttngmap_tracepoint_enabled(lttngmap_io, name) ? io_now() : 0;            \
	type result = (call);                                                                      \
	int error = result < 0 ? errno : 0;                                                        \
                                                                                                   \
	(void)error;                                                                               \
	if (begin)                                                                                 \
		lttngmap_tracepoint_at(__builtin_return_address(0), lttngmap_io, name,             \
				       __VA_ARGS__, result, error, io_now() - begin);              \
	return result

#endif /* PRELOAD_IO_H */
