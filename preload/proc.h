/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * proc.h - what the files of liblttngmap-proc.so have in common.
 *
 * An event is written after the call, with its result, error and, where it may wait,
 * duration; or, where the call may not come back, as NAME_req before it and as NAME_ret
 * after it if it does.
 */
#ifndef PRELOAD_PROC_H
#define PRELOAD_PROC_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define LTTNGMAP_NEVER_UNLOADED
#include <lttngmap/tracepoint.h>

/* An error: for most of these calls, 0 would be the opposite of the truth. */
#define NEXT_WHILE_FINDING (-1)

#define LEVEL LTTNGMAP_LOGLEVEL_DEBUG_LINE
#define EVENT(name, ...) LTTNGMAP_TRACEPOINT(lttngmap_proc, name, LEVEL, __VA_ARGS__)
#define EMIT(...) lttngmap_tracepoint_at(__builtin_return_address(0), lttngmap_proc, __VA_ARGS__)
#define RESULT (integer, int, result), (integer, int, error)
#define WAITED RESULT, (integer, uint64_t, duration)

/* CALL(event, call, arguments..., ): make the call, tell it, and return its result. */
#define CALL(event, call, ...)                                                                     \
	int result = (call);                                                                       \
                                                                                                   \
	EMIT(event, __VA_ARGS__ result, result < 0 ? errno : 0);                                   \
	return result

/* The same, where it may wait. The arguments are looked at after the call. */
#define WAITING_CALL(event, type, call, ...)                                                       \
	uint64_t begin = lttngmap_tracepoint_enabled(lttngmap_proc, event) ? proc_now() : 0;       \
	type result = (call);                                                                      \
	int error = result < 0 ? errno : 0;                                                        \
                                                                                                   \
	if (begin)                                                                                 \
		EMIT(event, __VA_ARGS__ result, error, proc_now() - begin);                        \
	return result

/* Where it may not come back. */
#define PARTING_CALL(name, call, ...)                                                              \
	int result;                                                                                \
                                                                                                   \
	EMIT(name##_req, __VA_ARGS__);                                                             \
	result = (call);                                                                           \
	EMIT(name##_ret, __VA_ARGS__, result, result < 0 ? errno : 0);                             \
	return result

/* Nanoseconds, never 0. */
static inline uint64_t proc_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec + 1;
}

#define PROC_TEXT_MAX 1024u

/*
 * Copies a caller's text, which may not be readable; or, for an argv, all texts separated by
 * blanks, up to `size` bytes with the NUL. An unreadable pointer ends the copy, "" if it is the
 * first. Signal-safe, keeps errno.
 */
void proc_text(char *to, size_t size, const char *from);
void proc_arguments(char *to, size_t size, char *const *argv);

#endif /* PRELOAD_PROC_H */
