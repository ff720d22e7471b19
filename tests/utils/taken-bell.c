/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * taken-bell FILE: a traced program that puts FILE, which is empty, at the number of
 * the library's eventfd, and goes on with its events. Prints the size of FILE at the end.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(taken, event, LTTNGMAP_LOGLEVEL_INFO, (integer, int, number));

static int find_eventfd(void)
{
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;
	int found = -1;

	while (folder && (entry = readdir(folder))) {
		char target[64] = "";

		if (readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1) > 0 &&
		    strstr(target, "[eventfd]"))
			found = atoi(entry->d_name);
	}
	if (folder)
		closedir(folder);
	return found;
}

int main(int argc, char **argv)
{
	struct stat status;
	int bell, file;

	lttngmap_tracepoint(taken, event, 0);
	bell = find_eventfd();
	file = argc > 1 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	/* Not dup2(), which cannot get beyond the limit. */
	if (bell < 0 || file < 0 || close(bell) != 0)
		return 1;
	while (file >= 0 && file < bell)
		file = fcntl(file, F_DUPFD_CLOEXEC, 0);
	if (file != bell)
		return 2;
	for (int i = 1; i < 10000; i++)
		lttngmap_tracepoint(taken, event, i);
	if (fstat(bell, &status) != 0)
		return 3;
	printf("%lld\n", (long long)status.st_size);
	return 0;
}
