/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * own-limits - a program that limits its own memory. By argument:
 *
 *   space [PROGRAM...]  sets RLIMIT_AS, reads it back, allocates what fits and what does not;
 *                       then executes PROGRAM
 *   lock                locks all that it has, and will have, within RLIMIT_MEMLOCK
 *
 * It prints what it finds, a word for each.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)
#define SPACE (200 * MIB)
#define LOCKED (32 * MIB)

/* Its library may write an event for each. */
static void allocate(void)
{
	for (int i = 0; i < 1000; i++) {
		char *volatile text = malloc(16);

		free(text);
	}
}

/* Of /proc/self/status, KiB. */
static unsigned long status_of(const char *key)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long value = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0)
			value = strtoul(line + strlen(key), NULL, 10);
	if (file)
		fclose(file);
	return value;
}

static void limit_space(char **program)
{
	struct rlimit limit = { SPACE, SPACE }, found, before;
	void *fits, *too_large;

	if (prlimit(0, RLIMIT_AS, &limit, &before) != 0)
		puts("refused");
	if (prlimit(0, RLIMIT_AS, NULL, &found) != 0 || found.rlim_cur != SPACE ||
	    found.rlim_max != SPACE)
		puts("otherwise");
	fits = malloc(SPACE / 2);
	too_large = malloc(SPACE);
	allocate();
	printf("space %d %d\n", fits != NULL, too_large != NULL);
	fflush(stdout);
	if (*program)
		execvp(*program, program);
}

static void lock_all(void)
{
	struct rlimit limit = { LOCKED, LOCKED };
	unsigned long locked;
	int result;

	setrlimit(RLIMIT_MEMLOCK, &limit);
	result = mlockall(MCL_CURRENT | MCL_FUTURE);
	allocate();
	locked = status_of("VmLck:");
	printf("lock %d %d\n", result, locked > 0 && locked <= LOCKED / 1024);
}

int main(int argc, char **argv)
{
	allocate();
	if (argc > 1 && strcmp(argv[1], "space") == 0)
		limit_space(argv + 2);
	if (argc > 1 && strcmp(argv[1], "lock") == 0)
		lock_all();
	return 0;
}
