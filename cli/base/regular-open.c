/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * regular-open.c - a file is found first, and opened by its number if it is regular.
 */
#include <config.h>

#include "cli/base/regular-open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int regular_open(const char *path, int flags)
{
	int found = open(path, O_PATH | O_CLOEXEC | flags), fd = -EINVAL;
	char name[sizeof("/proc/self/fd/") + 10];
	struct stat status;

	if (found < 0)
		return -errno;
	if (fstat(found, &status) == 0 && S_ISREG(status.st_mode)) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", found);
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (fd < 0)
			fd = -errno;
	}
	close(found);
	return fd;
}
