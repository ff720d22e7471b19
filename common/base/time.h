/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* time.h - the time of CLOCK_MONOTONIC: for deadlines and durations. Any thread, signal-safe. */
#ifndef COMMON_BASE_TIME_H
#define COMMON_BASE_TIME_H

#include <stdint.h>
#include <time.h>

static inline uint64_t time_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t time_now_usec(void)
{
	return time_now_ns() / 1000;
}

static inline int64_t time_now_ms(void)
{
	return (int64_t)(time_now_ns() / 1000000);
}

#endif /* COMMON_BASE_TIME_H */
