/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * siege.h - what tests of a daemon under attack measure: its CPU time, the time
 * that a registration takes, how long the long form may take.
 *
 * Whatever goes wrong here ends the test.
 */
#ifndef SIEGE_H
#define SIEGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/utils/sessiond-run.h"

/* CLOCK_MONOTONIC. */
int64_t siege_now_us(void);
/* User and system time of a process so far. It is the daemon with --no-supervise. */
int64_t siege_cpu_us(pid_t pid);
/* Connect, register, and go again. Its time in microseconds; -1: it was refused. */
int64_t siege_register(const struct sessiond *sessiond);
/* The value of which `percent` of all are smaller. Sorts them. */
int64_t siege_percentile(int64_t *values, size_t count, unsigned int percent);
/* LTTNGMAP_SOAK_SECONDS, or `otherwise` where there is no long form asked for. */
unsigned int siege_seconds(unsigned int otherwise);
bool siege_is_long(void);
/* Is the daemon slowed down by a sanitizer, so that its CPU time says little? */
bool siege_is_sanitized(void);

/* What a promised time is multiplied by: tests/run.sh says how many tests share a CPU. */
int siege_patience(void);

#endif /* SIEGE_H */
