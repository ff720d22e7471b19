/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */

#include "cli/base/program-search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0 if the file can be executed, else the errno of execve(). */
static int check_executable(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return errno;
	if (S_ISDIR(status.st_mode))
		return EISDIR;
	if (!S_ISREG(status.st_mode) || access(path, X_OK) < 0)
		return EACCES;
	return 0;
}

int program_search(const char *name, char *path, size_t size)
{
	const char *directory = getenv("PATH");
	int result = ENOENT;

	if (strchr(name, '/')) {
		if ((size_t)snprintf(path, size, "%s", name) >= size)
			return ENAMETOOLONG;
		return check_executable(path);
	}
	if (!directory)
		directory = "/usr/local/bin:/usr/bin:/bin";
	for (;;) {
		int length = strcspn(directory, ":");
		int error;

		/* An empty entry of PATH is the current directory. */
		if ((size_t)snprintf(path, size, "%.*s%s%s", length, directory, length ? "/" : "./",
				     name) < size) {
			error = check_executable(path);
			if (error == 0)
				return 0;
			/* Skips a directory of PATH that cannot be searched, as shells do. */
			if (error == EACCES && access(path, F_OK) == 0)
				result = EACCES;
		}
		if (directory[length] == '\0')
			return result;
		directory += length + 1;
	}
}
