/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/base/output-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char unfinished[PATH_MAX + 8];

static void forget_unfinished(void)
{
	if (unfinished[0])
		unlink(unfinished);
	unfinished[0] = '\0';
}

static void interrupted(int number)
{
	forget_unfinished();
	signal(number, SIG_DFL);
	raise(number);
}

static int open_unfinished(const char *name)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	if ((size_t)snprintf(unfinished, sizeof(unfinished), "%s.XXXXXX", name) >=
	    sizeof(unfinished)) {
		unfinished[0] = '\0';
		return -ENAMETOOLONG;
	}
	fd = mkostemp(unfinished, O_CLOEXEC);
	if (fd < 0) {
		unfinished[0] = '\0';
		return -errno;
	}
	signal(SIGINT, interrupted);
	signal(SIGTERM, interrupted);
	signal(SIGHUP, interrupted);
	/* Gives the file the mode that open() would give it. */
	fchmod(fd, 0666 & ~mask);
	return fd;
}

/*
 * A FIFO, a terminal or the like; -ENOENT: the name is to have a new file. Whoever owns the folder
 * may replace the name at any time, so that what was opened is looked at. Nothing is written to a
 * regular file that was there, nor to a disk.
 */
static int open_in_place(const char *name)
{
	struct stat status;
	int fd;

	if (stat(name, &status) < 0 || S_ISREG(status.st_mode))
		return -ENOENT;
	fd = open(name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode))
		return fd;
	close(fd);
	return S_ISBLK(status.st_mode) ? -EINVAL : -ENOENT;
}

int output_file_open(const char *name, bool in_place)
{
	int fd;

	if (strcmp(name, "-") == 0)
		return STDOUT_FILENO;
	fd = in_place ? open_in_place(name) : -ENOENT;
	return fd == -ENOENT ? open_unfinished(name) : fd;
}

int output_file_close(int fd, const char *name, int error)
{
	if (fd != STDOUT_FILENO && close(fd) < 0 && !error)
		error = -errno;
	if (!error && unfinished[0] && rename(unfinished, name) < 0)
		error = -errno;
	if (error)
		forget_unfinished();
	unfinished[0] = '\0';
	return error;
}
