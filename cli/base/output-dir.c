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

#include "common/base/losses.h"
#include "common/base/rings-note.h"
#include "cli/base/message.h"
#include "common/base/amount.h"
#include "common/base/beneath.h"
#include "common/base/remove-tree.h"

#define NAMES_TRIED 1000 /* for recordings of one program that begin in one second */
#define SPACE_LEAST (UINT64_C(256) << 10) /* metadata and indexes need more than this */

/* Takes the descriptor. `has_rings`: a note of where rings are to be recovered is content. */
static bool is_empty(int folder, bool has_rings)
{
	DIR *directory = folder >= 0 ? fdopendir(folder) : NULL;
	struct dirent *entry;
	bool empty = true;

	if (!directory) {
		if (folder >= 0)
			close(folder);
		return false;
	}
	while ((entry = readdir(directory))) {
		/* A session that never wrote a trace left its sums. */
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    strcmp(entry->d_name, LOSSES_NAME) != 0 &&
		    (has_rings || strcmp(entry->d_name, RINGS_NOTE) != 0))
			empty = false;
	}
	closedir(directory);
	return empty;
}

static int open_again(int folder)
{
	return openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool output_dir_is_taken(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
	       !is_empty(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), false);
}

/* The path that leads to a descriptor's directory. */
static int read_path(int folder, char path[PATH_MAX])
{
	char link[32];
	struct stat status;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
	length = readlink(link, path, PATH_MAX);
	if (length < 0 || fstat(folder, &status) < 0)
		return -errno;
	if (length >= PATH_MAX)
		return -ENAMETOOLONG;
	path[length] = '\0';
	/* One that was removed, or cannot be reached from our root, has another text there. */
	return path[0] == '/' && status.st_nlink > 0 ? 0 : -ENOENT;
}

int output_dir_hold(struct output_dir *dir, int folder)
{
	int error = read_path(folder, dir->path);

	dir->folder = folder;
	if (error) {
		close(folder);
		dir->path[0] = '\0';
	}
	return error;
}

/* Makes the last directory of `path`, and opens that very one. A descriptor or -errno. */
static int make(const char *path)
{
	char name[NAME_MAX + 1];
	int error;
	int parent = beneath_open_parent(path, name), folder;

	if (parent < 0)
		return parent;
	folder = mkdirat(parent, name, 0777) < 0
			 ? -errno
			 : beneath_open_directory(parent, name, BENEATH_ANYBODY);
	error = folder >= 0 ? beneath_shed_acl(parent, folder) : 0;
	close(parent);
	if (error)
		close(folder);
	return error ? error : folder;
}

static int open_made(const char *verb, const char *path)
{
	int folder = beneath_open_path(path, 0);

	if (folder == -ENOTDIR) {
		message_error("%s: '%s' is there and is no directory", verb, path);
		message_hint("name a new directory");
		return folder;
	}
	if (folder < 0) {
		message_error("%s: cannot open the directory '%s': %s", verb, path,
			      beneath_why(folder));
		message_hint("name another directory by -o DIR");
		return folder;
	}
	if (!is_empty(open_again(folder), true)) {
		message_error("%s: the directory '%s' is not empty", verb, path);
		message_hint("name a new one: traces are never overwritten or mixed");
		close(folder);
		return -ENOTEMPTY;
	}
	if (faccessat(folder, ".", W_OK | X_OK, 0) < 0) {
		int error = errno;

		message_error("%s: cannot write in '%s': %s", verb, path, strerror(error));
		message_hint("name another directory by -o DIR");
		close(folder);
		return -error;
	}
	return folder;
}

/* Removes the directories above `path` that are empty, `count` at most. */
static void remove_parents(const char *path, unsigned int count)
{
	char above[PATH_MAX], name[NAME_MAX + 1];

	snprintf(above, sizeof(above), "%s", path);
	while (count-- > 0) {
		char *slash = strrchr(above, '/');
		int parent;

		if (!slash || slash == above)
			return;
		*slash = '\0';
		parent = beneath_open_parent(above, name);
		if (parent < 0)
			return;
		(void)unlinkat(parent, name, AT_REMOVEDIR);
		close(parent);
	}
}

/* Makes the directories above `path` that are missing. 0 or -errno. */
static int make_parents(const char *path, unsigned int *made)
{
	char above[PATH_MAX];
	int folder = 0;

	for (const char *slash = strchr(path + 1, '/'); slash && folder >= 0;
	     slash = strchr(slash + 1, '/')) {
		if (slash[1] == '\0' || slash[-1] == '/')
			continue;
		snprintf(above, sizeof(above), "%.*s", (int)(slash - path), path);
		folder = make(above);
		if (folder >= 0) {
			close(folder);
			(*made)++;
		} else if (folder == -EEXIST) {
			folder = 0;
		} else {
			remove_parents(above, *made);
		}
	}
	return folder < 0 ? folder : 0;
}

/* A descriptor or -errno. */
static int create_named(const char *verb, const char *path, struct output_dir *dir)
{
	int folder = make(path), error;

	if (folder == -ENOENT && path[0] != '\0') {
		error = make_parents(path, &dir->made_parents);
		folder = error ? error : make(path);
	}
	if (folder == -EEXIST)
		return open_made(verb, path);
	if (folder < 0) {
		message_error("%s: cannot make the directory '%s': %s", verb, path,
			      beneath_why(folder));
		message_hint("name another directory by -o DIR");
		return folder;
	}
	dir->made = true;
	return folder;
}

void output_dir_date(char *date)
{
	time_t now = time(NULL);
	struct tm local;

	if (!localtime_r(&now, &local) ||
	    strftime(date, OUTPUT_DIR_DATE_SIZE, "%Y%m%d-%H%M%S", &local) == 0)
		strcpy(date, "00000000-000000");
}

/*
 * Creates PREFIX-YYYYMMDD-HHMMSS; appends -2, -3, … if the name is taken. A descriptor or -errno.
 */
static int create_default(const char *verb, const char *prefix, char *path, size_t size,
			  struct output_dir *dir)
{
	char date[OUTPUT_DIR_DATE_SIZE];

	output_dir_date(date);
	for (int i = 1; i <= NAMES_TRIED; i++) {
		int folder;

		if (i == 1)
			snprintf(path, size, "%s-%s", prefix, date);
		else
			snprintf(path, size, "%s-%s-%d", prefix, date, i);
		folder = make(path);
		if (folder >= 0) {
			dir->made = true;
			return folder;
		}
		if (folder == -EEXIST)
			continue;
		message_error("%s: cannot make the directory '%s' here: %s", verb, path,
			      beneath_why(folder));
		message_hint("name another directory by -o DIR");
		return folder;
	}
	message_error("%s: '%s' and %d more names are taken", verb, path, NAMES_TRIED - 1);
	message_hint("name another directory by -o DIR");
	return -EEXIST;
}

static int check_space(const char *verb, const struct output_dir *dir)
{
	char left[16], least[16];
	struct statvfs status;

	if (fstatvfs(dir->folder, &status) < 0)
		return 0;
	/* Some file systems, such as overlays, report a size of zero blocks. */
	if (status.f_blocks == 0 || (uint64_t)status.f_bavail * status.f_frsize >= SPACE_LEAST)
		return 0;
	message_error("%s: the file system of '%s' is full: %s are free, and a trace takes %s at "
		      "least",
		      verb, dir->path,
		      amount_format_size((uint64_t)status.f_bavail * status.f_frsize, left),
		      amount_format_size(SPACE_LEAST, least));
	message_hint("make room there, or write the trace elsewhere by -o DIR");
	return -ENOSPC;
}

int output_dir_create(const char *verb, const char *chosen, const char *prefix,
		      struct output_dir *dir)
{
	char path[PATH_MAX];
	int error, folder;

	*dir = (struct output_dir){ .made = false };
	if (chosen) {
		if ((size_t)snprintf(path, sizeof(path), "%s", chosen) >= sizeof(path) ||
		    path[0] == '\0') {
			message_error("%s: -o: that is not the name of a directory", verb);
			return -EINVAL;
		}
		folder = create_named(verb, path, dir);
	} else {
		folder = create_default(verb, prefix, path, sizeof(path), dir);
	}
	if (folder < 0)
		return folder;
	error = output_dir_hold(dir, folder);
	if (error) {
		message_error("%s: '%s': %s", verb, path, strerror(-error));
		return error;
	}
	error = check_space(verb, dir);
	if (error)
		output_dir_remove(dir);
	return error;
}

/* Another directory may stand there by now. */
static void remove_itself(const struct output_dir *dir)
{
	char name[NAME_MAX + 1];
	int parent = beneath_open_parent(dir->path, name);

	if (parent < 0)
		return;
	if (beneath_check_same(parent, name, dir->folder) == 0)
		(void)unlinkat(parent, name, AT_REMOVEDIR);
	close(parent);
}

void output_dir_remove(struct output_dir *dir)
{
	int folder;

	if (dir->path[0] == '\0')
		return;
	folder = open_again(dir->folder);
	if (folder >= 0)
		remove_tree_in(folder, 0);
	if (dir->made)
		remove_itself(dir);
	remove_parents(dir->path, dir->made_parents);
	close(dir->folder);
	dir->path[0] = '\0';
}
