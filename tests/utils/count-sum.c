/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * count-sum.c - add up what libcount-libc.so counted in all processes.
 *
 *   count-sum DIR
 *
 * Prints a line "FUNCTION CALLS" for each function that was called, sorted
 * by name as `LC_ALL=C sort` does. Fails if there is not a single file: then
 * nothing was counted, which is not the same as nothing called.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/utils/count-libc.h"

static const char *const names[] = {
#define COUNT_NAME(name) #name,
	COUNT_FUNCTIONS(COUNT_NAME)
#undef COUNT_NAME
};

static int by_name(const void *a, const void *b)
{
	return strcmp(names[*(const int *)a], names[*(const int *)b]);
}

static int add(int dirfd, const char *name, uint64_t *sums)
{
	struct count_file file = { 0 };
	int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
	ssize_t got;
	int i;

	if (fd < 0)
		return -errno;
	got = read(fd, &file, sizeof(file));
	close(fd);
	if (got == 0 || file.magic == 0)
		return 0; /* killed before it counted anything */
	if (got != sizeof(file) || file.magic != COUNT_MAGIC)
		return -EINVAL;
	for (i = 0; i < COUNT_FUNCTIONS_NR; i++)
		sums[i] += file.calls[i];
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t sums[COUNT_FUNCTIONS_NR] = { 0 };
	int order[COUNT_FUNCTIONS_NR];
	struct dirent *entry;
	int files = 0, i, ret;
	DIR *dir;

	if (argc != 2) {
		fprintf(stderr, "usage: count-sum DIR\n");
		return 2;
	}
	dir = opendir(argv[1]);
	if (!dir) {
		fprintf(stderr, "count-sum: cannot open %s: %m\n", argv[1]);
		return 1;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		ret = add(dirfd(dir), entry->d_name, sums);
		if (ret) {
			fprintf(stderr, "count-sum: %s/%s is no file of count-libc: %s\n", argv[1],
				entry->d_name, strerror(-ret));
			closedir(dir);
			return 1;
		}
		files++;
	}
	closedir(dir);
	if (!files) {
		fprintf(stderr, "count-sum: no counts in %s: was libcount-libc.so preloaded?\n",
			argv[1]);
		return 1;
	}
	for (i = 0; i < COUNT_FUNCTIONS_NR; i++)
		order[i] = i;
	qsort(order, COUNT_FUNCTIONS_NR, sizeof(order[0]), by_name);
	for (i = 0; i < COUNT_FUNCTIONS_NR; i++)
		if (sums[order[i]])
			printf("%s %" PRIu64 "\n", names[order[i]], sums[order[i]]);
	return 0;
}
