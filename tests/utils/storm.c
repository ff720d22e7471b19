/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * storm PROCESSES AT-ONCE PROGRAM [ARGUMENT...]: runs the program that often, so many
 * at a time, each begun when another one ends. Prints how many microseconds that took
 * on the wall, and of the CPUs' time in all of them. 1: one of them failed.
 */
#include <err.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static double to_us(const struct timeval *time)
{
	return (double)time->tv_sec * 1e6 + (double)time->tv_usec;
}

/* One that ended. False: it failed. */
static int reap(void)
{
	int status;

	if (wait(&status) < 0)
		err(1, "wait");
	return status == 0;
}

int main(int argc, char **argv)
{
	long processes = argc > 3 ? atol(argv[1]) : 0, at_once = argc > 3 ? atol(argv[2]) : 0;
	double begin = now_us();
	struct rusage used;
	int good = 1, error;
	long live = 0;
	pid_t pid;

	if (processes < 1 || at_once < 1) {
		fprintf(stderr, "usage: storm PROCESSES AT-ONCE PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	for (; processes > 0; processes--, live++) {
		if (live == at_once) {
			good &= reap();
			live--;
		}
		error = posix_spawnp(&pid, argv[3], NULL, NULL, argv + 3, environ);
		if (error)
			errx(1, "cannot start %s: %s", argv[3], strerror(error));
	}
	for (; live > 0; live--)
		good &= reap();
	getrusage(RUSAGE_CHILDREN, &used);
	printf("wall %.0f cpu %.0f\n", now_us() - begin,
	       to_us(&used.ru_utime) + to_us(&used.ru_stime));
	return good ? 0 : 1;
}
