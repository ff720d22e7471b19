/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * trace-metadata.c - the metadata file: common/protocol/metadata-room.h has its layout.
 *
 * A new file takes the place of the old one by rename. A segment goes into the
 * room at the file's end, in two steps: the segment, behind a comment's
 * beginning; then one byte that ends the comment before it. Killed between the
 * two, the segment is still a comment.
 */
#include "consumerd/trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/beneath.h"
#include "common/protocol/metadata-room.h"
#include "consumerd/packet/file.h"

#define NEW_METADATA ".metadata.new"
#define FILE_MODE 0660
/* Maximum size of a text that describes event classes. */
#define METADATA_MAX (256u << 20)

/*
 * Content must be on disk before its name can be: otherwise, after a crash, a trace could have
 * empty metadata that was complete at the last sync. fsync() would wait for the journal and
 * everything in it, while all rings wait here; a durable trace wants that.
 */
static int push_out(const struct trace *trace, int fd)
{
	if (trace->is_durable)
		return fsync(fd) < 0 ? -errno : 0;
	if (sync_file_range(fd, 0, 0,
			    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
				    SYNC_FILE_RANGE_WAIT_AFTER) < 0 &&
	    (errno == EIO || errno == ENOSPC || errno == EDQUOT))
		return -errno;
	return 0;
}

/* The open comment that ends the file; NULL: no memory. */
static char *make_room(size_t room, size_t *size)
{
	const size_t begin = sizeof(METADATA_ROOM_OPEN) - 1, end = sizeof(METADATA_ROOM_END) - 1;
	char *bytes = malloc(begin + room + end);

	if (!bytes)
		return NULL;
	memcpy(bytes, METADATA_ROOM_OPEN, begin);
	memset(bytes + begin, ' ', room);
	memcpy(bytes + begin + room, METADATA_ROOM_END, end);
	*size = begin + room + end;
	return bytes;
}

static int write_room(int fd, size_t at, size_t room)
{
	size_t size;
	char *bytes = make_room(room, &size);
	int error = bytes ? file_write(fd, bytes, size, at) : -ENOMEM;

	free(bytes);
	return error;
}

static int write_new(const struct trace *trace, int fd, const char *text, size_t size, size_t room)
{
	int error = file_write(fd, text, size, 0);

	if (!error && room > 0)
		error = write_room(fd, size, room);
	if (!error)
		error = push_out(trace, fd);
	if (!error && renameat(trace->dir, NEW_METADATA, trace->dir, TRACE_METADATA) < 0)
		error = -errno;
	if (!error && trace->is_durable && fsync(trace->dir) < 0)
		error = -errno;
	return error;
}

static int replace(struct trace *trace, const char *text, size_t size, size_t room)
{
	int error, fd;

	fd = beneath_create(trace->dir, NEW_METADATA, FILE_MODE);
	if (fd < 0)
		return fd;
	error = write_new(trace, fd, text, size, room);
	if (error)
		(void)unlinkat(trace->dir, NEW_METADATA, 0);
	if (error || room == 0) {
		/* Some file systems say only here that the disk is full. */
		if (close(fd) < 0 && !error)
			error = -errno;
		return error;
	}
	trace->metadata = fd;
	trace->metadata_size = size;
	trace->metadata_end = size + sizeof(METADATA_ROOM_OPEN) - 1 + room;
	return 0;
}

void trace_close_metadata(struct trace *trace)
{
	if (trace->metadata >= 0)
		close(trace->metadata);
	trace->metadata = -1;
}

int trace_write_metadata(struct trace *trace, const char *text, size_t size, size_t room)
{
	int error;

	trace_close_metadata(trace);
	trace_become_owner(trace);
	error = replace(trace, text, size, room);
	trace_become_self();
	return error;
}

/* The segment, with a comment's beginning behind it; then it is one no more. */
static int put_piece(struct trace *trace, const char *bytes, size_t size)
{
	const size_t marker = sizeof(METADATA_ROOM_OPEN) - 1;
	int error = file_write(trace->metadata, bytes, size, trace->metadata_size + marker);

	if (!error)
		error = push_out(trace, trace->metadata);
	if (!error)
		error = file_write(trace->metadata, METADATA_ROOM_CLOSE, 1,
				   trace->metadata_size + METADATA_ROOM_CLOSE_AT);
	if (!error && trace->is_durable)
		error = push_out(trace, trace->metadata);
	if (!error)
		trace->metadata_size += size;
	return error;
}

int trace_add_metadata(struct trace *trace, const char *segment, size_t size)
{
	const size_t marker = sizeof(METADATA_ROOM_OPEN) - 1;
	char *bytes;
	int error;

	if (trace->metadata < 0 ||
	    size + marker > trace->metadata_end - trace->metadata_size - marker)
		return -ENOBUFS;
	bytes = malloc(size + marker);
	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, segment, size);
	memcpy(bytes + size, METADATA_ROOM_OPEN, marker);
	error = put_piece(trace, bytes, size + marker);
	free(bytes);
	return error;
}

int trace_read_metadata(const struct trace *trace, char **text, size_t *size)
{
	int fd = beneath_open(trace->dir, TRACE_METADATA, O_RDONLY, 0, trace->made_as);
	struct stat status;
	ssize_t got;

	*text = NULL;
	*size = 0;
	if (fd < 0)
		return fd;
	if (fstat(fd, &status) < 0 || status.st_size > METADATA_MAX) {
		close(fd);
		return -EFBIG;
	}
	*text = malloc((size_t)status.st_size + 1);
	got = *text ? file_read(fd, *text, (size_t)status.st_size, 0) : -ENOMEM;
	close(fd);
	if (got < 0) {
		free(*text);
		return (int)got;
	}
	*size = (size_t)got;
	return 0;
}
