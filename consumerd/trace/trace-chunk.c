/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * trace-chunk.c - a trace moves from OUTPUT/ust to OUTPUT/archives/NAME/ust,
 * by one rename: whenever we are killed, it is whole in one of the two places.
 */
#include "consumerd/trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/beneath.h"

#define DIRECTORY_MODE 0770
/* The folder to go on in. That it could be made shows that OUTPUT is writable. */
#define NEXT_DIRECTORY ".ust.next"

void trace_take_next(int output)
{
	struct stat status;

	if (beneath_stat(output, TRACE_DIRECTORY, &status) == -ENOENT)
		(void)renameat(output, NEXT_DIRECTORY, output, TRACE_DIRECTORY);
}

static void abandon(const struct trace *trace, const char *name)
{
	int archives = beneath_open_directory(trace->output, TRACE_ARCHIVES, trace->made_as);

	/* A folder that is not empty is a chunk, and stays. */
	if (archives >= 0) {
		(void)unlinkat(archives, name, AT_REMOVEDIR);
		close(archives);
	}
	(void)unlinkat(trace->output, TRACE_ARCHIVES, AT_REMOVEDIR);
	(void)unlinkat(trace->output, NEXT_DIRECTORY, AT_REMOVEDIR);
}

void trace_abandon_chunk(const struct trace *trace, const char *name)
{
	trace_become_owner(trace);
	abandon(trace, name);
	trace_become_self();
}

static int make_directory(const struct trace *trace, int parent, const char *name)
{
	return beneath_make_directory(parent, name, DIRECTORY_MODE, trace->made_as);
}

/* The chunk's folder, open. */
static int make_chunk(const struct trace *trace, const char *name)
{
	int chunk, archives = make_directory(trace, trace->output, TRACE_ARCHIVES);

	if (archives < 0)
		return archives;
	chunk = make_directory(trace, archives, name);
	close(archives);
	return chunk;
}

/* The chunk's folder, and that of the next one; *next: open. Or -errno. */
static int prepare(const struct trace *trace, const char *name, int *next)
{
	int chunk = make_chunk(trace, name);

	if (chunk < 0)
		return chunk;
	*next = make_directory(trace, trace->output, NEXT_DIRECTORY);
	if (*next >= 0)
		return chunk;
	close(chunk);
	return *next;
}

int trace_prepare_chunk(const struct trace *trace, const char *name)
{
	int chunk, next;

	trace_become_owner(trace);
	chunk = prepare(trace, name, &next);
	if (chunk < 0) {
		abandon(trace, name);
	} else {
		close(chunk);
		close(next);
	}
	trace_become_self();
	return chunk < 0 ? chunk : 0;
}

/*
 * The name leads to our folder before, and so it does after: what came into its place meanwhile
 * goes back there. A rename takes a name, and no descriptor.
 */
static int rename_ours(const struct trace *trace, int chunk)
{
	int error = beneath_check_same(trace->output, TRACE_DIRECTORY, trace->dir);

	if (error)
		return error;
	if (renameat(trace->output, TRACE_DIRECTORY, chunk, TRACE_DIRECTORY) < 0)
		return -errno;
	error = beneath_check_same(chunk, TRACE_DIRECTORY, trace->dir);
	if (error)
		(void)renameat(chunk, TRACE_DIRECTORY, trace->output, TRACE_DIRECTORY);
	return error;
}

static int move_to(const struct trace *trace, int chunk, int next)
{
	int error = trace->overwritten ? trace_carry_overwritten(trace, next) : 0;

	if (!error)
		error = rename_ours(trace, chunk);
	return error;
}

/* A consumer before may have done it; or made room, ended, and abandoned that. */
static int move(const struct trace *trace, const char *name)
{
	struct stat status;
	int error, next, chunk = make_chunk(trace, name);

	if (chunk < 0)
		return chunk;
	error = beneath_stat(chunk, TRACE_DIRECTORY, &status);
	if (error == -ENOENT) {
		next = make_directory(trace, trace->output, NEXT_DIRECTORY);
		error = next < 0 ? next : move_to(trace, chunk, next);
		if (next >= 0)
			close(next);
	}
	if (!error)
		trace_take_next(trace->output);
	close(chunk);
	return error;
}

int trace_move_chunk(const struct trace *trace, const char *name)
{
	int error;

	trace_become_owner(trace);
	error = move(trace, name);
	trace_become_self();
	return error;
}
