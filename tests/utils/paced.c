/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * paced RATE LOG: RATE events a second, a few every 5 ms, until standard input ends; what
 * was late is made up for. To LOG goes a line each time: CLOCK_MONOTONIC in microseconds,
 * and how many events there were by then, which is what a watcher should have seen.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <lttngmap/tracepoint.h>

#define EVERY_MS 5

LTTNGMAP_TRACEPOINT(paced, event, LTTNGMAP_LOGLEVEL_INFO, (integer, uint64_t, number));

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	uint64_t rate = argc > 2 ? strtoull(argv[1], NULL, 10) : 0, begin = now_us(), count = 0;
	FILE *log = argc > 2 ? fopen(argv[2], "w") : NULL;

	if (!rate || !log)
		return 2;
	setvbuf(log, NULL, _IOLBF, 0);
	while (poll(&input, 1, EVERY_MS) == 0) {
		uint64_t due = (now_us() - begin) * rate / 1000000;

		/* What is off evaluates no argument. */
		for (; count < due; count++)
			lttngmap_tracepoint(paced, event, count);
		fprintf(log, "%" PRIu64 " %" PRIu64 "\n", now_us(), count);
	}
	fclose(log);
	return 0;
}
