/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * short.h - a test that takes long has a short form: a part of what it could try, another part
 * each day. As tests/utils/short.sh. One source file a program, one thread.
 *
 *   LTTNGMAP_TEST_FULL=1     everything, as `./dev check-all` does; so does LTTNGMAP_SOAK_SECONDS
 *
 *   LTTNGMAP_TEST_SEED       a number instead of the day's
 */
#ifndef TESTS_UTILS_SHORT_H
#define TESTS_UTILS_SHORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/utils/tap.h"

/* Is everything to be tried? */
static inline bool is_full(void)
{
	const char *full = getenv("LTTNGMAP_TEST_FULL");

	return (full && strcmp(full, "1") == 0) || getenv("LTTNGMAP_SOAK_SECONDS");
}

/* The day's number, or the one that was asked for. Said at the first call. */
static inline uint64_t short_seed(void)
{
	static uint64_t seed;
	const char *asked = getenv("LTTNGMAP_TEST_SEED");
	time_t now = time(NULL);
	struct tm day;

	if (seed)
		return seed;
	if (asked)
		seed = strtoull(asked, NULL, 10);
	else if (localtime_r(&now, &day))
		seed = (uint64_t)((day.tm_year + 1900) * 10000 + (day.tm_mon + 1) * 100 +
				  day.tm_mday);
	diag("again with the same choice: LTTNGMAP_TEST_SEED=%llu", (unsigned long long)seed);
	return seed;
}

/* Of `every` numbers in a row one is true, another one each day; where it is full, all. */
static inline bool short_takes(uint64_t number, unsigned int every)
{
	return is_full() || (number + short_seed()) % every == 0;
}

#endif /* TESTS_UTILS_SHORT_H */
