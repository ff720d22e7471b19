/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * own-limits - a program that limits its own memory, or changes all that is shared. By argument:
 *
 *   space [PROGRAM...]  sets RLIMIT_AS, reads it back, allocates what fits and what does not;
 *                       then executes PROGRAM
 *   lock                locks all that it has, and will have, within RLIMIT_MEMLOCK; so does a
 *                       child, before it has rings of its own
 *   maps                does MADV_DONTFORK, mprotect() and munmap() to all shared maps of
 *                       /proc/self/maps, and to each with a page of its own below it
 *
 * It prints what it finds, a word for each.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
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
	int result, status = -1;
	pid_t child;

	setrlimit(RLIMIT_MEMLOCK, &limit);
	result = mlockall(MCL_CURRENT | MCL_FUTURE);
	allocate();
	locked = status_of("VmLck:");
	printf("lock %d %d", result, locked > 0 && locked <= LOCKED / 1024);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		result = mlockall(MCL_FUTURE);
		allocate();
		_exit(result == 0 && status_of("VmLck:") <= LOCKED / 1024 ? 0 : 1);
	}
	waitpid(child, &status, 0);
	printf(" %d\n", status);
}

/* ---- maps -------------------------------------------------------------------------- */

#define PAGE 4096u

typedef int change(void *at, size_t size);

static int keep_from_children(void *at, size_t size)
{
	return madvise(at, size, MADV_DONTFORK);
}

static int forbid(void *at, size_t size)
{
	return mprotect(at, size, PROT_NONE);
}

static bool is_mapped(void *page)
{
	return msync(page, PAGE, MS_ASYNC) == 0;
}

/* A page right below the map, where there is room. */
static char *page_below(char *map)
{
	char *page = mmap(map - PAGE, PAGE, PROT_READ,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	return page == MAP_FAILED ? NULL : page;
}

/* How many shared maps could not be changed. With `is_wide`, in one call with the page below. */
static int change_all(change *change, bool is_wide, int *gone)
{
	FILE *file = fopen("/proc/self/maps", "re");
	unsigned long begin, end;
	int failed = 0;
	char line[512], rights[8];

	while (file && fgets(line, sizeof(line), file)) {
		char *page = NULL;

		if (sscanf(line, "%lx-%lx %7s", &begin, &end, rights) != 3 || rights[3] != 's')
			continue;
		if (is_wide)
			page = page_below((char *)begin);
		begin -= page ? PAGE : 0;
		failed += change((char *)begin, end - begin) != 0;
		*gone += page && !is_mapped(page);
	}
	if (file)
		fclose(file);
	return failed;
}

/* It allocates, as does a child of it: 0. */
static int use(char *own, bool is_own_in_child)
{
	int status;
	pid_t child;

	allocate();
	fflush(stdout);
	child = fork();
	if (child == 0) {
		allocate();
		_exit(is_mapped(own) == is_own_in_child ? 0 : 1);
	}
	return waitpid(child, &status, 0) == child ? status : -1;
}

static void change_maps(void)
{
	char *own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int gone = 0, failed;

	failed = change_all(keep_from_children, false, &gone);
	printf("fork %d %d ", failed, use(own, false));
	failed = change_all(forbid, false, &gone);
	printf("protect %d %d ", failed, use(own, false));
	failed = change_all(munmap, true, &gone);
	printf("unmap %d %d %d %d\n", failed, use(own, false), is_mapped(own), gone > 0);
}

int main(int argc, char **argv)
{
	allocate();
	if (argc > 1 && strcmp(argv[1], "space") == 0)
		limit_space(argv + 2);
	if (argc > 1 && strcmp(argv[1], "lock") == 0)
		lock_all();
	if (argc > 1 && strcmp(argv[1], "maps") == 0)
		change_maps();
	return 0;
}
