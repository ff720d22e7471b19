/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/base/output-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/beneath.h"

#define NAMES_TRIED 100

/* The folder, the file's final name in it, and its name until then: "" where there is no file. */
static int folder = -1;
static char final[NAME_MAX + 1], unfinished[NAME_MAX + 16];

static void forget_unfinished(void)
{
	if (unfinished[0])
		unlinkat(folder, unfinished, 0);
	unfinished[0] = '\0';
}

static void interrupted(int number)
{
	forget_unfinished();
	signal(number, SIG_DFL);
	raise(number);
}

static void leave_folder(void)
{
	if (folder >= 0)
		close(folder);
	folder = -1;
}

/* A new file of a name that nobody has. A descriptor or -errno. */
static int create_unfinished(void)
{
	int fd = -EEXIST;
	uint32_t number;

	for (int i = 0; fd == -EEXIST && i < NAMES_TRIED; i++) {
		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -EIO;
		snprintf(unfinished, sizeof(unfinished), "%s.%06x", final, number & 0xffffff);
		fd = beneath_open(folder, unfinished, O_WRONLY | O_CREAT | O_EXCL, 0600,
				  BENEATH_ANYBODY);
	}
	if (fd < 0)
		unfinished[0] = '\0';
	return fd;
}

static int open_unfinished(const char *name)
{
	mode_t mask = umask(0);
	int error, fd;

	umask(mask);
	folder = beneath_open_parent(name, final);
	if (folder < 0)
		return folder;
	fd = create_unfinished();
	error = fd < 0 ? fd : beneath_shed_acl(folder, fd);
	if (error) {
		if (fd >= 0)
			close(fd);
		forget_unfinished();
		leave_folder();
		return error;
	}
	signal(SIGINT, interrupted);
	signal(SIGTERM, interrupted);
	signal(SIGHUP, interrupted);
	/* Gives the file the mode that open() would give it. */
	fchmod(fd, 0666 & ~mask);
	return fd;
}

int output_file_open(const char *name, bool in_place)
{
	int fd;

	if (strcmp(name, "-") == 0)
		return STDOUT_FILENO;
	fd = in_place ? beneath_open_pipe(name) : -ENOENT;
	return fd == -ENOENT ? open_unfinished(name) : fd;
}

static int give_name(bool replace)
{
	if (replace)
		return renameat(folder, unfinished, folder, final) < 0 ? -errno : 0;
	if (linkat(folder, unfinished, folder, final, 0) < 0)
		return -errno;
	forget_unfinished();
	return 0;
}

int output_file_close(int fd, bool replace, int error)
{
	if (fd != STDOUT_FILENO && close(fd) < 0 && !error)
		error = -errno;
	if (!error && unfinished[0])
		error = give_name(replace);
	if (error)
		forget_unfinished();
	unfinished[0] = '\0';
	leave_folder();
	return error;
}
