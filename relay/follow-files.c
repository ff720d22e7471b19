/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* follow-files.c - what stands in the files of a trace. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/protocol/live-time.h"
#include "common/protocol/metadata-room.h"
#include "relay/follow.h"

#define METADATA "metadata"
#define METADATA_MAX (UINT64_C(256) << 20)

/* Packets that were sent, and that the machine lost when it died: others have their numbers now. */
static void forget_lost(struct follow_stream *stream, uint64_t index_size)
{
	uint64_t header = sizeof(struct ctf_index_header), packets = 0;

	if (index_size > header)
		packets = (index_size - header) / sizeof(struct ctf_index_entry);
	if (stream->confirmed > packets)
		stream->confirmed = stream->sent = packets;
}

/* Is the index the one that was read before? Else nothing of it was sent yet. */
static int check_index(struct follow_stream *stream, int index_fd)
{
	struct stat status;
	bool is_other;

	if (fstat(index_fd, &status) < 0)
		return -errno;
	is_other = stream->inode && stream->inode != status.st_ino;
	stream->inode = status.st_ino;
	if (!is_other) {
		forget_lost(stream, (uint64_t)status.st_size);
		return 0;
	}
	stream->sent = stream->confirmed = stream->had = 0;
	stream->hole = stream->last = stream->mark.last = 0;
	return -ESTALE;
}

int follow_open_stream(const struct follow *follow, struct follow_stream *stream, int *stream_fd,
		       int *index_fd)
{
	char name[NAME_MAX + sizeof(CTF_INDEX_SUFFIX)];
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int error;

	snprintf(name, sizeof(name), "%s" CTF_INDEX_SUFFIX, stream->name);
	*index_fd = openat(follow->index, name, flags);
	if (*index_fd < 0)
		return -errno;
	error = check_index(stream, *index_fd);
	*stream_fd = error ? -1 : openat(follow->dir, stream->name, flags);
	if (*stream_fd >= 0)
		return 0;
	error = error ? error : -errno;
	close(*index_fd);
	return error;
}

int follow_read(const struct follow *follow, struct follow_stream *stream, int index_fd,
		struct ctf_index_entry entries[FOLLOW_ENTRIES])
{
	ssize_t got =
		pread(index_fd, entries, FOLLOW_ENTRIES * sizeof(entries[0]),
		      (off_t)(sizeof(struct ctf_index_header) + stream->sent * sizeof(entries[0])));
	int nr_entries;

	if (got < 0)
		return -errno;
	nr_entries = (int)((size_t)got / sizeof(entries[0]));
	stream->held = UINT64_MAX;
	for (int i = 0; i < nr_entries && !follow->is_final && !follow->is_pressed; i++) {
		if (be64toh(entries[i].timestamp_end) <= follow->horizon)
			continue;
		stream->held = be64toh(entries[i].timestamp_begin);
		return i;
	}
	return nr_entries;
}

void follow_read_live(struct follow *follow)
{
	struct live_time live;
	int fd =
		openat(follow->dir, LIVE_TIME_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	if (pread(fd, &live, sizeof(live), 0) == sizeof(live) && live.magic == LIVE_TIME_MAGIC) {
		follow->told = live.time;
		follow->is_pressed = live.is_full != 0;
	}
	close(fd);
}

static int read_all(int fd, char *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, bytes + done, size - done, (off_t)done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		done += (size_t)got;
	}
	return 0;
}

static bool is_same(const struct stat *one, const struct stat *other)
{
	return one->st_ino == other->st_ino && one->st_size == other->st_size &&
	       one->st_mtim.tv_sec == other->st_mtim.tv_sec &&
	       one->st_mtim.tv_nsec == other->st_mtim.tv_nsec;
}

int follow_read_metadata(struct follow *follow, char **text, size_t *size)
{
	struct stat status;
	int error, fd;

	if (fstatat(follow->dir, METADATA, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (is_same(&status, &follow->metadata))
		return -EALREADY;
	fd = openat(follow->dir, METADATA, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	error = fstat(fd, &status) < 0 ? -errno : 0;
	if (!error && (!S_ISREG(status.st_mode) || status.st_size > (off_t)METADATA_MAX))
		error = -EBADMSG;
	*size = (size_t)status.st_size;
	*text = error ? NULL : malloc(*size + 1);
	if (!error)
		error = *text ? read_all(fd, *text, *size) : -ENOMEM;
	close(fd);
	if (error) {
		free(*text);
		return error;
	}
	*size = metadata_room_remove(*text, *size);
	follow->metadata = status;
	return error;
}

bool follow_is_abandoned(const struct follow *follow)
{
	/* Its writer holds it shared, for as long as it has it open. */
	if (flock(follow->dir, LOCK_EX | LOCK_NB) < 0)
		return false;
	(void)flock(follow->dir, LOCK_UN);
	return true;
}
