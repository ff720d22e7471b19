/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/trace/trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/beneath.h"
#include "common/base/log.h"
#include "consumerd/trace/stream-repair.h"

#define DIRECTORY_MODE 0770
#define FILE_MODE 0660
/* A millisecond each. */
#define LOCK_TRIES 20

/* Group first: it is root's right that the user's file rights end. */
static void become(uid_t user, gid_t group)
{
	if (geteuid() != 0)
		return;
	setfsgid(group);
	setfsuid(user);
}

void trace_become_owner(const struct trace *trace)
{
	become(trace->owner, trace->group);
}

void trace_become_self(void)
{
	if (geteuid() != 0)
		return;
	setfsuid(geteuid());
	setfsgid(getegid());
}

const char *trace_directory(const struct trace *trace)
{
	return trace->is_kernel ? trace->folder : TRACE_DIRECTORY;
}

static int open_file(const struct trace *trace, int dir, const char *name)
{
	int flags = O_RDWR | O_CREAT | (trace->is_durable ? O_DSYNC : 0);

	return beneath_open(dir, name, flags, FILE_MODE, trace->made_as);
}

static int open_stream(const struct trace *trace, const char *name, int *stream_fd, int *index_fd)
{
	char index_name[NAME_MAX + 1];
	int length;

	length = snprintf(index_name, sizeof(index_name), "%s" CTF_INDEX_SUFFIX, name);
	if (length >= (int)sizeof(index_name))
		return -ENAMETOOLONG;
	*index_fd = open_file(trace, trace->index, index_name);
	if (*index_fd < 0)
		return *index_fd;
	*stream_fd = open_file(trace, trace->dir, name);
	if (*stream_fd < 0) {
		close(*index_fd);
		return *stream_fd;
	}
	/* Their names; a disk that fails says so at the first packet, too. */
	if (trace->is_durable) {
		(void)fsync(trace->index);
		(void)fsync(trace->dir);
	}
	return 0;
}

int trace_open_stream(const struct trace *trace, const char *name, int *stream_fd, int *index_fd)
{
	int error;

	trace_become_owner(trace);
	error = open_stream(trace, name, stream_fd, index_fd);
	trace_become_self();
	return error;
}

static int repair_stream(const struct trace *trace, const char *name)
{
	struct stream_tail tail;
	int error, stream_fd, index_fd;

	error = open_stream(trace, name, &stream_fd, &index_fd);
	if (error)
		return error;
	error = stream_repair(stream_fd, index_fd, trace->uuid,
			      trace->is_spool && trace_is_reused(trace) ? STREAM_REPAIR_REUSED
									: STREAM_REPAIR_END,
			      NULL, &tail);
	if (!error && tail.cut)
		log_warning("stream %s: %llu bytes of an unfinished packet were cut off", name,
			    (unsigned long long)tail.cut);
	close(stream_fd);
	close(index_fd);
	return error;
}

bool trace_is_stream(const struct trace *trace, const char *name)
{
	struct stat status;

	return name[0] != '.' && strcmp(name, TRACE_METADATA) != 0 &&
	       beneath_stat(trace->dir, name, &status) == 0 && S_ISREG(status.st_mode);
}

int trace_for_each(int folder, int (*call)(void *data, const char *name), void *data)
{
	int result = 0, fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct dirent *entry;
	DIR *directory;

	if (fd < 0)
		return -errno;
	directory = fdopendir(fd);
	if (!directory) {
		result = -errno;
		close(fd);
		return result;
	}
	while (!result && (entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			result = call(data, entry->d_name);
	closedir(directory);
	return result;
}

static int repair_if_stream(void *data, const char *name)
{
	struct trace *trace = data;

	if (!trace_is_stream(trace, name))
		return 0;
	trace->had_streams = true;
	return repair_stream(trace, name);
}

static int stop_at_stream(void *data, const char *name)
{
	return trace_is_stream(data, name);
}

bool trace_is_empty(const struct trace *trace)
{
	return trace_for_each(trace->dir, stop_at_stream, (void *)trace) == 0;
}

/*
 * A relay that checks whether the trace has a writer (relay/follow.h) holds the lock for an
 * instant.
 */
static void lock_shared(int dir)
{
	struct timespec pause = { .tv_nsec = 1000000 };

	for (int i = 0; i < LOCK_TRIES && flock(dir, LOCK_SH | LOCK_NB) < 0; i++)
		nanosleep(&pause, NULL);
}

static int make_directory(const struct trace *trace, int parent, const char *name)
{
	return beneath_make_directory(parent, name, DIRECTORY_MODE, trace->made_as);
}

/* Ours, or whom the file system names for us. */
static int open_own(struct trace *trace)
{
	uid_t user;

	trace->dir = make_directory(trace, trace->output, trace_directory(trace));
	if (trace->dir != -BENEATH_REFUSED)
		return trace->dir;
	user = beneath_owner(trace->output);
	if (user == trace->made_as)
		return trace->dir;
	trace->made_as = user;
	trace->dir = make_directory(trace, trace->output, trace_directory(trace));
	return trace->dir;
}

static bool has_trace(const struct trace *trace)
{
	struct stat status;

	return fstatat(trace->output, trace_directory(trace), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void trace_leave(struct trace *trace)
{
	trace_close_metadata(trace);
	close_fd(&trace->index);
	close_fd(&trace->dir);
	close_fd(&trace->journal);
	close_fd(&trace->progress);
}

void trace_close(struct trace *trace)
{
	trace_leave(trace);
	close_fd(&trace->output);
}

static int open_folders(struct trace *trace)
{
	int error;

	trace->dir = trace->index = -1;
	trace->journal = trace->progress = trace->metadata = -1;
	trace->had_streams = false;
	if (!trace->is_kernel)
		trace_take_next(trace->output);
	error = trace->is_new && has_trace(trace) ? -EEXIST : open_own(trace);
	if (error >= 0) {
		trace->index = make_directory(trace, trace->dir, CTF_INDEX_DIRECTORY);
		error = trace->index < 0 ? trace->index : 0;
	}
	/* Nobody mends it while we write to it (trace-repair.h). */
	if (!error)
		lock_shared(trace->dir);
	if (!error)
		error = trace_resume_discard(trace);
	if (!error)
		error = trace_for_each(trace->dir, repair_if_stream, trace);
	if (error)
		trace_leave(trace);
	return error;
}

int trace_open_next(struct trace *trace)
{
	int error;

	trace_become_owner(trace);
	error = open_folders(trace);
	trace_become_self();
	return error;
}

int trace_open_as(struct trace *trace, const char *output, const uint8_t uuid[CTF_UUID_SIZE],
		  uid_t owner, gid_t group)
{
	int error;

	snprintf(trace->folder, sizeof(trace->folder),
		 trace->chunk ? TRACE_DIRECTORY_KERNEL "-%u" : TRACE_DIRECTORY_KERNEL,
		 trace->chunk + 1);
	memcpy(trace->uuid, uuid, sizeof(trace->uuid));
	trace->owner = owner;
	trace->group = group;
	trace_become_owner(trace);
	trace->made_as = beneath_user();
	trace->output = beneath_open_path(output, DIRECTORY_MODE);
	error = trace->output < 0 ? trace->output : open_folders(trace);
	if (error)
		close_fd(&trace->output);
	trace_become_self();
	return error;
}

int trace_open(struct trace *trace, const char *output, const uint8_t uuid[CTF_UUID_SIZE])
{
	trace->is_kernel = false;
	trace->is_new = false;
	trace->is_spool = false;
	return trace_open_as(trace, output, uuid, geteuid(), getegid());
}

/* Every regular file, but for the metadata. A folder, as index is one, stays. */
static int remove_file(void *folder, const char *name)
{
	if (strcmp(name, TRACE_METADATA) != 0 && unlinkat(*(int *)folder, name, 0) < 0 &&
	    errno != EISDIR && errno != ENOENT)
		return -errno;
	return 0;
}

int trace_clear(struct trace *trace)
{
	int error;

	trace_become_owner(trace);
	error = trace_for_each(trace->dir, remove_file, &trace->dir);
	if (!error)
		error = trace_for_each(trace->index, remove_file, &trace->index);
	trace->had_streams = error != 0;
	trace->overwritten = 0;
	if (unlinkat(trace->dir, TRACE_OVERWRITTEN, 0) < 0 && errno != ENOENT && !error)
		error = -errno;
	trace_become_self();
	return error;
}
