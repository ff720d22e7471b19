/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/base/locate.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The directory of the running command; "": /proc does not tell. */
static void own_directory(char *path, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);
	char *slash;

	if (length < 0)
		length = 0;
	path[length] = '\0';
	slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	/* libtool puts the programs behind its wrapper scripts one level down. */
	slash = strrchr(path, '/');
	if (slash && strcmp(slash, "/.libs") == 0)
		*slash = '\0';
}

static bool usable(char *path, size_t size, int mode, const char *directory, const char *below,
		   const char *name)
{
	if (directory[0] == '\0')
		return false;
	return (size_t)snprintf(path, size, "%s%s/%s", directory, below, name) < size &&
	       access(path, mode) == 0;
}

void locate_program(const char *name, const char *environment, char *path, size_t size)
{
	const char *forced = getenv(environment);
	char own[PATH_MAX];

	own_directory(own, sizeof(own));
	if (forced && forced[0] != '\0')
		snprintf(path, size, "%s", forced);
	else if (!usable(path, size, X_OK, own, "", name))
		snprintf(path, size, "%s", name);
}

/* Follows LIBDIR_FROM_BINDIR from the command's directory, which has no links in it. */
static void to_libdir(char *directory, size_t size)
{
	const char *way = LIBDIR_FROM_BINDIR;
	size_t length;
	char *slash;

	for (; strncmp(way, "../", 3) == 0; way += 3) {
		slash = strrchr(directory, '/');
		if (slash)
			*slash = '\0';
	}
	length = strlen(directory);
	snprintf(directory + length, size - length, "/%s", way);
}

int locate_library(const char *name, char *path, size_t size)
{
	const char *forced = getenv("LTTNGMAP_LIBDIR");
	char own[PATH_MAX];

	if (strlen(name) + sizeof(own) >= size + NAME_MAX)
		return -ENAMETOOLONG;
	own_directory(own, sizeof(own));
	if (forced && forced[0] == '/')
		return usable(path, size, R_OK, forced, "", name) ? 0 : -ENOENT;
	if (usable(path, size, R_OK, own, "/.libs", name))
		return 0;
	to_libdir(own, sizeof(own));
	return usable(path, size, R_OK, own, "", name) ? 0 : -ENOENT;
}
