/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * trace-files.c - the files of a stream that has limits: which there are, and
 * the end of the oldest.
 *
 * Removed events are counted. Before a file goes, the new count is written
 * down with the file's name: after a kill in between, the next consumer finds the name, and
 * removes the file without counting it again.
 */
#include "consumerd/trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/beneath.h"
#include "common/protocol/ended-streams.h"
#include "common/base/log.h"
#include "consumerd/packet/file.h"
#include "consumerd/packet/packet.h"

/* In TRACE_OVERWRITTEN. */
struct overwritten {
	uint64_t events;
	char discarding[NAME_MAX + 1]; /* file that is counted, and may still be there */
};

/* ---- what there is ------------------------------------------------------------- */

struct find {
	const char *name;
	size_t length;
	uint64_t oldest;
	uint64_t newest;
};

static int find_number(void *data, const char *name)
{
	struct find *find = data;
	const char *digits = name + find->length + 1;
	uint64_t number;
	char *end;

	if (strncmp(name, find->name, find->length) != 0 || name[find->length] != '_' ||
	    *digits < '0' || *digits > '9')
		return 0;
	number = strtoull(digits, &end, 10);
	if (*end != '\0')
		return 0;
	if (number < find->oldest)
		find->oldest = number;
	if (number > find->newest)
		find->newest = number;
	return 0;
}

int trace_find_files(const struct trace *trace, const char *name, uint64_t *oldest,
		     uint64_t *newest)
{
	struct find find = { .name = name, .length = strlen(name), .oldest = UINT64_MAX };
	int error = trace_for_each(trace->dir, find_number, &find);

	if (error)
		return error;
	if (find.oldest == UINT64_MAX)
		return -ENOENT;
	*oldest = find.oldest;
	*newest = find.newest;
	return 0;
}

/* ---- the end of one ------------------------------------------------------------ */

static int count_events(const struct trace *trace, int fd, uint64_t *events)
{
	struct ctf_packet_header header;
	struct trace_tail tail;
	uint64_t offset = 0, size;
	struct stat status;

	if (fstat(fd, &status) < 0)
		return -errno;
	*events = 0;
	while (file_read(fd, &header, sizeof(header), offset) == sizeof(header) &&
	       packet_check_header(&header, trace->uuid, (uint64_t)status.st_size - offset,
				   &size) == 0) {
		offset += size;
		if (header.packet_size - header.content_size >= sizeof(tail) * 8 &&
		    file_read(fd, &tail, sizeof(tail), offset - sizeof(tail)) == sizeof(tail))
			*events += tail.events;
	}
	return 0;
}

static int write_overwritten(int dir, uid_t owner, const struct overwritten *overwritten)
{
	int error, fd = beneath_open(dir, TRACE_OVERWRITTEN, O_WRONLY | O_CREAT, 0660, owner);

	if (fd < 0)
		return fd;
	error = file_write(fd, overwritten, sizeof(*overwritten), 0);
	close(fd);
	return error;
}

static int remove_pair(const struct trace *trace, const char *name)
{
	char index_name[NAME_MAX + 1];

	snprintf(index_name, sizeof(index_name), "%.*s" CTF_INDEX_SUFFIX,
		 (int)(sizeof(index_name) - sizeof(CTF_INDEX_SUFFIX)), name);
	if ((unlinkat(trace->index, index_name, 0) < 0 && errno != ENOENT) ||
	    (unlinkat(trace->dir, name, 0) < 0 && errno != ENOENT))
		return -errno;
	return 0;
}

static int discard(struct trace *trace, const char *name)
{
	struct overwritten overwritten = { .events = trace->overwritten };
	int error, fd = beneath_open(trace->dir, name, O_RDONLY, 0, BENEATH_ANYBODY);
	uint64_t events = 0;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	error = count_events(trace, fd, &events);
	close(fd);
	if (error)
		return error;
	overwritten.events += events;
	snprintf(overwritten.discarding, sizeof(overwritten.discarding), "%s", name);
	error = write_overwritten(trace->dir, trace->made_as, &overwritten);
	if (error)
		return error;
	/* Tried again, it is not counted again: it has the same name. */
	error = remove_pair(trace, name);
	if (!error)
		trace->overwritten = overwritten.events;
	return error;
}

int trace_discard(struct trace *trace, const char *name)
{
	int error;

	trace_become_owner(trace);
	error = discard(trace, name);
	trace_become_self();
	return error;
}

int trace_resume_discard(struct trace *trace)
{
	struct overwritten overwritten;
	int fd = beneath_open(trace->dir, TRACE_OVERWRITTEN, O_RDONLY, 0, BENEATH_ANYBODY);
	ssize_t got;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	got = file_read(fd, &overwritten, sizeof(overwritten), 0);
	close(fd);
	if (got < 0)
		return (int)got;
	if ((size_t)got < sizeof(overwritten))
		return 0;
	if (overwritten.events > trace->overwritten)
		trace->overwritten = overwritten.events;
	overwritten.discarding[NAME_MAX] = '\0';
	/* The file may have been written by others: no name leads out of the folder. */
	if (overwritten.discarding[0] == '\0' || strchr(overwritten.discarding, '/'))
		return 0;
	return remove_pair(trace, overwritten.discarding);
}

void trace_note_ended(const struct trace *trace, const char *name)
{
	int fd;

	if (!trace->is_sent)
		return;
	trace_become_owner(trace);
	fd = beneath_open(trace->dir, ENDED_STREAMS_NAME, O_WRONLY | O_CREAT | O_APPEND, 0660,
			  trace->made_as);
	/* All at once, or not: else it stays open at the collector, and in the spool. */
	if (fd < 0 || write(fd, name, strlen(name) + 1) < 0)
		log_debug("stream %s: it is not noted that it has ended: %s", name,
			  beneath_why(fd < 0 ? fd : -errno));
	if (fd >= 0)
		close(fd);
	trace_become_self();
}

int trace_carry_overwritten(const struct trace *trace, int next)
{
	struct overwritten overwritten = { .events = trace->overwritten };

	return write_overwritten(next, trace->made_as, &overwritten);
}
