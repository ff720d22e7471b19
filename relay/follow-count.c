/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* follow-count.c - how large a trace is, and how much of it was sent. */
#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "relay/follow.h"

uint64_t follow_size(const struct follow *follow)
{
	const struct follow_stream *stream;
	struct stat status;
	uint64_t size = 0;

	cds_list_for_each_entry(stream, &follow->streams, node) {
		if (fstatat(follow->dir, stream->name, &status, AT_SYMLINK_NOFOLLOW) == 0)
			size += (uint64_t)status.st_size;
	}
	return size;
}

/* Where the last packet ends that its collector has. */
static uint64_t confirmed_of(const struct follow *follow, const struct follow_stream *stream)
{
	char name[NAME_MAX + sizeof(CTF_INDEX_SUFFIX)];
	struct ctf_index_entry entry;
	struct stat status;
	uint64_t end = 0;
	off_t at;
	int fd;

	if (!stream->confirmed)
		return 0;
	snprintf(name, sizeof(name), "%s" CTF_INDEX_SUFFIX, stream->name);
	fd = openat(follow->index, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return 0;
	at = (off_t)(sizeof(struct ctf_index_header) + (stream->confirmed - 1) * sizeof(entry));
	if (fstat(fd, &status) == 0 && status.st_ino == stream->inode &&
	    pread(fd, &entry, sizeof(entry), at) == sizeof(entry))
		end = be64toh(entry.offset) + be64toh(entry.packet_size) / 8;
	close(fd);
	return end;
}

uint64_t follow_confirmed(const struct follow *follow)
{
	const struct follow_stream *stream;
	uint64_t size = 0;

	cds_list_for_each_entry(stream, &follow->streams, node)
		size += confirmed_of(follow, stream);
	return size;
}
