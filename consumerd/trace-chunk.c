/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * trace-chunk.c - a trace moves from OUTPUT/ust to OUTPUT/archives/NAME/ust,
 * by one rename: whenever we are killed, it is whole in one of the two places.
 */
#include "consumerd/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORY_MODE 0770
/* The folder to go on in. That it could be made shows that OUTPUT is writable. */
#define NEXT_DIRECTORY ".ust.next"
#define CHUNK_PATH_SIZE (sizeof(TRACE_ARCHIVES) + NAME_MAX + 1 + sizeof(TRACE_DIRECTORY))

void trace_take_next(int output)
{
	struct stat status;

	if (fstatat(output, TRACE_DIRECTORY, &status, AT_SYMLINK_NOFOLLOW) < 0)
		(void)renameat(output, NEXT_DIRECTORY, output, TRACE_DIRECTORY);
}

static int make_directory(int parent, const char *name)
{
	return mkdirat(parent, name, DIRECTORY_MODE) < 0 && errno != EEXIST ? -errno : 0;
}

static void chunk_path(char path[CHUNK_PATH_SIZE], const char *name, const char *below)
{
	snprintf(path, CHUNK_PATH_SIZE, TRACE_ARCHIVES "/%s%s", name, below);
}

static void abandon(const struct trace *trace, const char *name)
{
	char path[CHUNK_PATH_SIZE];

	chunk_path(path, name, "");
	/* What is not empty is a chunk, and stays. */
	(void)unlinkat(trace->output, path, AT_REMOVEDIR);
	(void)unlinkat(trace->output, TRACE_ARCHIVES, AT_REMOVEDIR);
	(void)unlinkat(trace->output, NEXT_DIRECTORY, AT_REMOVEDIR);
}

void trace_abandon_chunk(const struct trace *trace, const char *name)
{
	trace_become_owner(trace);
	abandon(trace, name);
	trace_become_self();
}

/* A rename between file systems would fail. */
static int check_device(const struct trace *trace, const char *path)
{
	struct stat chunk, dir;

	if (fstatat(trace->output, path, &chunk, AT_SYMLINK_NOFOLLOW) < 0 ||
	    fstat(trace->dir, &dir) < 0)
		return -errno;
	return chunk.st_dev == dir.st_dev ? 0 : -EXDEV;
}

static int prepare(const struct trace *trace, const char *name)
{
	char path[CHUNK_PATH_SIZE];
	int error;

	chunk_path(path, name, "");
	error = make_directory(trace->output, TRACE_ARCHIVES);
	if (!error)
		error = make_directory(trace->output, path);
	if (!error)
		error = make_directory(trace->output, NEXT_DIRECTORY);
	return error ? error : check_device(trace, path);
}

int trace_prepare_chunk(const struct trace *trace, const char *name)
{
	int error;

	trace_become_owner(trace);
	error = prepare(trace, name);
	if (error)
		abandon(trace, name);
	trace_become_self();
	return error;
}

static int carry(const struct trace *trace)
{
	int error, next;

	if (trace->overwritten == 0)
		return 0;
	next = openat(trace->output, NEXT_DIRECTORY, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (next < 0)
		return -errno;
	error = trace_carry_overwritten(trace, next);
	close(next);
	return error;
}

static int move(const struct trace *trace, const char *name)
{
	char path[CHUNK_PATH_SIZE];
	struct stat status;
	int error;

	chunk_path(path, name, "/" TRACE_DIRECTORY);
	if (fstatat(trace->output, path, &status, AT_SYMLINK_NOFOLLOW) < 0) {
		/* Again: the consumer that made room may have ended, and abandoned it. */
		error = prepare(trace, name);
		if (!error)
			error = carry(trace);
		if (!error && renameat(trace->output, TRACE_DIRECTORY, trace->output, path) < 0)
			error = -errno;
		if (error)
			return error;
	}
	trace_take_next(trace->output);
	return 0;
}

int trace_move_chunk(const struct trace *trace, const char *name)
{
	int error;

	trace_become_owner(trace);
	error = move(trace, name);
	trace_become_self();
	return error;
}
