/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/log.h"
#include "consumerd/stream-repair.h"

#define NEW_METADATA ".metadata.new"
#define DIRECTORY_MODE 0770
#define FILE_MODE 0660

/* Group first: it is root's right that the user's file rights end. */
static void become(uid_t user, gid_t group)
{
	if (geteuid() != 0)
		return;
	setfsgid(group);
	setfsuid(user);
}

static void become_owner(const struct trace *trace)
{
	become(trace->owner, trace->group);
}

static void become_self(void)
{
	if (geteuid() != 0)
		return;
	setfsuid(geteuid());
	setfsgid(getegid());
}

static int open_directory(int parent, const char *name)
{
	int fd;

	if (mkdirat(parent, name, DIRECTORY_MODE) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* The parents of `path`; whether they are there shows when it is opened. */
static void make_parents(const char *path)
{
	char *copy = strdup(path), *slash;

	for (slash = copy ? strchr(copy + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(copy, DIRECTORY_MODE);
		*slash = '/';
	}
	free(copy);
}

static int open_file(int dir, const char *name)
{
	struct stat status;
	int fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			FILE_MODE);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		close(fd);
		return -EEXIST;
	}
	return fd;
}

static int open_stream(const struct trace *trace, const char *name, int *stream_fd, int *index_fd)
{
	char index_name[NAME_MAX + 1];
	int length;

	length = snprintf(index_name, sizeof(index_name), "%s" CTF_INDEX_SUFFIX, name);
	if (length >= (int)sizeof(index_name))
		return -ENAMETOOLONG;
	*index_fd = open_file(trace->index, index_name);
	if (*index_fd < 0)
		return *index_fd;
	*stream_fd = open_file(trace->dir, name);
	if (*stream_fd < 0) {
		close(*index_fd);
		return *stream_fd;
	}
	return 0;
}

int trace_open_stream(const struct trace *trace, const char *name, int *stream_fd, int *index_fd)
{
	int error;

	become_owner(trace);
	error = open_stream(trace, name, stream_fd, index_fd);
	become_self();
	return error;
}

static int repair_stream(const struct trace *trace, const char *name)
{
	struct stream_tail tail;
	int error, stream_fd, index_fd;

	error = open_stream(trace, name, &stream_fd, &index_fd);
	if (error)
		return error;
	error = stream_repair(stream_fd, index_fd, trace->uuid, &tail);
	if (!error && tail.cut)
		log_warning("stream %s: %llu bytes of an unfinished packet were cut off", name,
			    (unsigned long long)tail.cut);
	close(stream_fd);
	close(index_fd);
	return error;
}

static bool is_stream(const struct trace *trace, const char *name)
{
	struct stat status;

	return name[0] != '.' && strcmp(name, TRACE_METADATA) != 0 &&
	       fstatat(trace->dir, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(status.st_mode);
}

static int repair_streams(const struct trace *trace)
{
	const struct dirent *entry;
	int error = 0, fd = openat(trace->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory;

	if (fd < 0)
		return -errno;
	directory = fdopendir(fd);
	if (!directory) {
		error = -errno;
		close(fd);
		return error;
	}
	while (!error && (entry = readdir(directory)))
		if (is_stream(trace, entry->d_name))
			error = repair_stream(trace, entry->d_name);
	closedir(directory);
	return error;
}

static int open_folders(struct trace *trace, const char *output)
{
	int error, dir;

	make_parents(output);
	dir = open_directory(AT_FDCWD, output);
	if (dir < 0)
		return dir;
	trace->dir = open_directory(dir, TRACE_DIRECTORY);
	close(dir);
	if (trace->dir < 0)
		return trace->dir;
	trace->index = open_directory(trace->dir, CTF_INDEX_DIRECTORY);
	error = trace->index < 0 ? trace->index : repair_streams(trace);
	if (error)
		trace_close(trace);
	return error;
}

int trace_open_as(struct trace *trace, const char *output, const uint8_t uuid[CTF_UUID_SIZE],
		  uid_t owner, gid_t group)
{
	int error;

	memcpy(trace->uuid, uuid, sizeof(trace->uuid));
	trace->owner = owner;
	trace->group = group;
	become_owner(trace);
	error = open_folders(trace, output);
	become_self();
	return error;
}

int trace_open(struct trace *trace, const char *output, const uint8_t uuid[CTF_UUID_SIZE])
{
	return trace_open_as(trace, output, uuid, geteuid(), getegid());
}

void trace_close(struct trace *trace)
{
	if (trace->index >= 0)
		close(trace->index);
	if (trace->dir >= 0)
		close(trace->dir);
	trace->dir = -1;
	trace->index = -1;
}

static int copy_all(int to, int from)
{
	struct stat status;
	off_t offset = 0;

	if (fstat(from, &status) < 0)
		return -errno;
	while (offset < status.st_size) {
		ssize_t copied = sendfile(to, from, &offset, (size_t)(status.st_size - offset));

		if (copied < 0 && errno == EINTR)
			continue;
		if (copied < 0)
			return -errno;
		if (copied == 0)
			return -ENOSPC;
	}
	return 0;
}

/*
 * No fsync: what is renamed survives the death of every process of ours, and
 * waiting for the disk here would hold up all rings.
 */
static int replace_metadata(const struct trace *trace, int memory)
{
	int error, fd;

	fd = openat(trace->dir, NEW_METADATA, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		    FILE_MODE);
	if (fd < 0)
		return -errno;
	error = copy_all(fd, memory);
	/* Some file systems say only here that the disk is full. */
	if (close(fd) < 0 && !error)
		error = -errno;
	if (!error && renameat(trace->dir, NEW_METADATA, trace->dir, TRACE_METADATA) < 0)
		error = -errno;
	if (error)
		(void)unlinkat(trace->dir, NEW_METADATA, 0);
	return error;
}

int trace_write_metadata(const struct trace *trace, int memory)
{
	int error;

	become_owner(trace);
	error = replace_metadata(trace, memory);
	become_self();
	return error;
}

/* Every regular file in the folder, but for the metadata. */
static int remove_files(int folder)
{
	int error = 0, fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct dirent *entry;
	DIR *directory;

	if (fd < 0)
		return -errno;
	directory = fdopendir(fd);
	if (!directory) {
		error = -errno;
		close(fd);
		return error;
	}
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] == '.' || strcmp(entry->d_name, TRACE_METADATA) == 0)
			continue;
		/* A folder, as index is one: that is emptied, not removed. */
		if (unlinkat(folder, entry->d_name, 0) < 0 && errno != EISDIR && errno != EPERM &&
		    errno != ENOENT)
			error = -errno;
	}
	closedir(directory);
	return error;
}

int trace_clear(const struct trace *trace)
{
	int error, index_error;

	become_owner(trace);
	error = remove_files(trace->dir);
	index_error = remove_files(trace->index);
	become_self();
	return error ? error : index_error;
}
