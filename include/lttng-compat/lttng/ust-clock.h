/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * lttng/ust-clock.h - clock plugins of LTTng-UST. lttngmap has one clock, CLOCK_MONOTONIC, for all
 * programs of a trace: a plugin compiles, and each of its calls is refused by -ENOSYS. The last
 * one, which would put it in force, says so on standard error.
 */
#ifndef LTTNGMAP_LTTNG_UST_CLOCK_H
#define LTTNGMAP_LTTNG_UST_CLOCK_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define LTTNG_UST_UUID_STR_LEN 37

typedef uint64_t (*lttng_ust_clock_read64_function)(void);
typedef uint64_t (*lttng_ust_clock_freq_function)(void);
typedef int (*lttng_ust_clock_uuid_function)(char *uuid);
typedef const char *(*lttng_ust_clock_name_function)(void);
typedef const char *(*lttng_ust_clock_description_function)(void);

static inline __attribute__((unused)) int
lttng_ust_trace_clock_set_read64_cb(lttng_ust_clock_read64_function callback)
{
	(void)callback;
	return -ENOSYS;
}

static inline __attribute__((unused)) int
lttng_ust_trace_clock_get_read64_cb(lttng_ust_clock_read64_function *callback)
{
	(void)callback;
	return -ENOSYS;
}

static inline __attribute__((unused)) int
lttng_ust_trace_clock_set_freq_cb(lttng_ust_clock_freq_function callback)
{
	(void)callback;
	return -ENOSYS;
}

static inline __attribute__((unused)) int
lttng_ust_trace_clock_get_freq_cb(lttng_ust_clock_freq_function *callback)
{
	(void)callback;
	return -ENOSYS;
}

static inline __attribute__((unused)) int
lttng_ust_trace_clock_set_uuid_cb(lttng_ust_clock_uuid_function callback)
{
	(void)callback;
	return -ENOSYS;
}

static inline __attribute__((unused)) int
lttng_ust_trace_clock_get_uuid_cb(lttng_ust_clock_uuid_function *callback)
{
	(void)callback;
	return -ENOSYS;
}

static inline __attribute__((unused)) int
lttng_ust_trace_clock_set_name_cb(lttng_ust_clock_name_function callback)
{
	(void)callback;
	return -ENOSYS;
}

static inline __attribute__((unused)) int
lttng_ust_trace_clock_get_name_cb(lttng_ust_clock_name_function *callback)
{
	(void)callback;
	return -ENOSYS;
}

static inline __attribute__((unused)) int
lttng_ust_trace_clock_set_description_cb(lttng_ust_clock_description_function callback)
{
	(void)callback;
	return -ENOSYS;
}

static inline __attribute__((unused)) int
lttng_ust_trace_clock_get_description_cb(lttng_ust_clock_description_function *callback)
{
	(void)callback;
	return -ENOSYS;
}

static inline __attribute__((unused)) int lttng_ust_enable_trace_clock_override(void)
{
	fputs("lttngmap: a clock plugin is not used: the clock of all events is CLOCK_MONOTONIC\n",
	      stderr);
	return -ENOSYS;
}

#endif /* LTTNGMAP_LTTNG_UST_CLOCK_H */
