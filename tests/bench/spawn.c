/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * spawn.c - how long a program takes from start to exit, in several
 * environments by turns:
 *
 *   spawn TIMES PROGRAM [NAME [VARIABLE=VALUE]...]...
 *
 * Prints "NAME VALUE us" for each: the median of TIMES runs.
 */
#include <err.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define VARIANTS_MAX 8

struct variant {
	const char *name;
	char **environment; /* up to a NULL */
	double *us;
};

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static double run_once(char *program, char **environment)
{
	char *arguments[] = { program, NULL };
	double begin = now_us();
	int status, error;
	pid_t pid;

	error = posix_spawn(&pid, program, NULL, NULL, arguments, environment);
	if (error)
		errx(1, "cannot start %s: %s", program, strerror(error));
	if (waitpid(pid, &status, 0) != pid || status != 0)
		errx(1, "%s failed", program);
	return now_us() - begin;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Variants stand behind each other in the arguments, NAMEs having no '='. */
static size_t parse(char **arguments, int count, struct variant *variants, int times)
{
	struct variant *variant = NULL;
	size_t nr = 0, length = 0;

	for (int i = 0; i < count; i++) {
		if (strchr(arguments[i], '=')) {
			if (!variant)
				errx(2, "%s belongs to no name", arguments[i]);
			variant->environment[length++] = arguments[i];
			continue;
		}
		if (nr == VARIANTS_MAX)
			errx(2, "at most %d environments", VARIANTS_MAX);
		variant = &variants[nr++];
		variant->name = arguments[i];
		variant->environment = calloc((size_t)count + 1, sizeof(char *));
		variant->us = calloc((size_t)times, sizeof(double));
		if (!variant->environment || !variant->us)
			err(1, "no memory");
		length = 0;
	}
	return nr;
}

int main(int argc, char **argv)
{
	struct variant variants[VARIANTS_MAX];
	int times = argc > 1 ? atoi(argv[1]) : 0;
	size_t nr;

	if (argc < 4 || times <= 0)
		errx(2, "usage: spawn TIMES PROGRAM [NAME [VARIABLE=VALUE]...]...");
	nr = parse(argv + 3, argc - 3, variants, times);
	for (int i = 0; i < times; i++) {
		for (size_t j = 0; j < nr; j++)
			variants[j].us[i] = run_once(argv[2], variants[j].environment);
	}
	for (size_t j = 0; j < nr; j++) {
		qsort(variants[j].us, (size_t)times, sizeof(double), compare);
		printf("%s %.3f us\n", variants[j].name, variants[j].us[times / 2]);
		free(variants[j].environment);
		free(variants[j].us);
	}
	return 0;
}
