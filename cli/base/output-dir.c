/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/base/output-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "common/base/beneath.h"
#include "common/base/remove-tree.h"

#define NAMES_TRIED 1000 /* for recordings of one program that begin in one second */
#define SPACE_LEAST (UINT64_C(256) << 10) /* metadata and indexes need more than this */

static bool is_empty(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	bool empty = true;

	if (!directory)
		return false;
	while ((entry = readdir(directory))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			empty = false;
	}
	closedir(directory);
	return empty;
}

bool output_dir_is_taken(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && !is_empty(path);
}

static int create_named(const char *verb, const char *path, struct output_dir *dir)
{
	struct stat status;

	if (mkdir(path, 0777) == 0) {
		dir->made = true;
		return 0;
	}
	if (errno != EEXIST) {
		int error = errno;

		message_error("%s: cannot make the directory '%s': %s", verb, path,
			      strerror(error));
		message_hint("-o DIR writes the trace elsewhere");
		return -error;
	}
	if (stat(path, &status) < 0 || !S_ISDIR(status.st_mode)) {
		message_error("%s: '%s' is there and is no directory", verb, path);
		message_hint("name a new directory");
		return -ENOTDIR;
	}
	if (!is_empty(path)) {
		message_error("%s: the directory '%s' is not empty", verb, path);
		message_hint("name a new one: traces are never overwritten or mixed");
		return -ENOTEMPTY;
	}
	if (access(path, W_OK | X_OK) < 0) {
		int error = errno;

		message_error("%s: cannot write in '%s': %s", verb, path, strerror(error));
		message_hint("-o DIR writes the trace elsewhere");
		return -error;
	}
	return 0;
}

void output_dir_date(char *date)
{
	time_t now = time(NULL);
	struct tm local;

	if (!localtime_r(&now, &local) ||
	    strftime(date, OUTPUT_DIR_DATE_SIZE, "%Y%m%d-%H%M%S", &local) == 0)
		strcpy(date, "00000000-000000");
}

/* Creates PREFIX-YYYYMMDD-HHMMSS; appends -2, -3, … if the name is taken. */
static int create_default(const char *verb, const char *prefix, char *path, size_t size,
			  struct output_dir *dir)
{
	char date[OUTPUT_DIR_DATE_SIZE];

	output_dir_date(date);
	for (int i = 1; i <= NAMES_TRIED; i++) {
		int error;

		if (i == 1)
			snprintf(path, size, "%s-%s", prefix, date);
		else
			snprintf(path, size, "%s-%s-%d", prefix, date, i);
		if (mkdir(path, 0777) == 0) {
			dir->made = true;
			return 0;
		}
		error = errno;
		if (error == EEXIST)
			continue;
		message_error("%s: cannot make the directory '%s' here: %s", verb, path,
			      strerror(error));
		message_hint("-o DIR writes the trace elsewhere");
		return -error;
	}
	message_error("%s: '%s' and %d more names are taken", verb, path, NAMES_TRIED - 1);
	message_hint("-o DIR writes the trace elsewhere");
	return -EEXIST;
}

static int check_space(const char *verb, const char *path)
{
	char left[16], least[16];
	struct statvfs status;

	if (statvfs(path, &status) < 0)
		return 0;
	/* Some file systems, such as overlays, report a size of zero blocks. */
	if (status.f_blocks == 0 || (uint64_t)status.f_bavail * status.f_frsize >= SPACE_LEAST)
		return 0;
	message_error("%s: the file system of '%s' is full: %s are free, and a trace takes %s at "
		      "least",
		      verb, path,
		      options_format_size((uint64_t)status.f_bavail * status.f_frsize, left),
		      options_format_size(SPACE_LEAST, least));
	message_hint("make room there, or write the trace elsewhere by -o DIR");
	return -ENOSPC;
}

int output_dir_create(const char *verb, const char *chosen, const char *prefix,
		      struct output_dir *dir)
{
	char path[PATH_MAX];
	int error;

	*dir = (struct output_dir){ .made = false };
	if (chosen) {
		if ((size_t)snprintf(path, sizeof(path), "%s", chosen) >= sizeof(path) ||
		    path[0] == '\0') {
			message_error("%s: -o: that is not the name of a directory", verb);
			return -EINVAL;
		}
		error = create_named(verb, path, dir);
	} else {
		error = create_default(verb, prefix, path, sizeof(path), dir);
	}
	if (error)
		return error;
	if (!realpath(path, dir->path)) {
		error = -errno;
		message_error("%s: '%s': %s", verb, path, strerror(-error));
		if (dir->made)
			rmdir(path);
		dir->path[0] = '\0';
		return error;
	}
	error = check_space(verb, dir->path);
	if (error)
		output_dir_remove(dir);
	return error;
}

void output_dir_remove(struct output_dir *dir)
{
	int folder;

	if (dir->path[0] == '\0')
		return;
	/* Another user may own a parent directory. */
	folder = beneath_open_real(dir->path);
	if (folder >= 0)
		remove_tree_in(folder, 0);
	if (folder >= 0 && dir->made)
		rmdir(dir->path);
	dir->path[0] = '\0';
}
