/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/utils/siege.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int64_t siege_now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t siege_cpu_us(pid_t pid)
{
	struct timespec spent;
	clockid_t clock;

	/* Not /proc/PID/stat: it is a guess, by ticks of 10 ms. */
	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &spent) != 0) {
		printf("Bail out! process %d has no CPU time\n", (int)pid);
		exit(EXIT_FAILURE);
	}
	return (int64_t)spent.tv_sec * 1000000 + spent.tv_nsec / 1000;
}

int64_t siege_register(const struct sessiond *sessiond)
{
	static struct app_answer answer;
	int64_t begin = siege_now_us(), end;
	int fd = app_connect(sessiond);
	bool good;

	app_register(fd, 0, NULL, 0, 0, &answer);
	end = siege_now_us();
	good = answer.size > 0 && answer.header.type == PROTOCOL_APP_REGISTERED;
	app_close_fds(&answer);
	close(fd);
	return good ? end - begin : -1;
}

static int compare(const void *one, const void *two)
{
	int64_t a = *(const int64_t *)one, b = *(const int64_t *)two;

	return a < b ? -1 : a > b;
}

int64_t siege_percentile(int64_t *values, size_t count, unsigned int percent)
{
	size_t at = count * percent / 100;

	qsort(values, count, sizeof(*values), compare);
	return values[at < count ? at : count - 1];
}

bool siege_is_long(void)
{
	const char *seconds = getenv("LTTNGMAP_SOAK_SECONDS");

	return seconds && atoi(seconds) > 0;
}

unsigned int siege_seconds(unsigned int otherwise)
{
	return siege_is_long() ? (unsigned int)atoi(getenv("LTTNGMAP_SOAK_SECONDS")) : otherwise;
}

int siege_patience(void)
{
	const char *patience = getenv("LTTNGMAP_TEST_PATIENCE");

	return patience ? atoi(patience) : 1;
}

bool siege_is_sanitized(void)
{
	return getenv("LTTNGMAP_SANITIZED") != NULL;
}
