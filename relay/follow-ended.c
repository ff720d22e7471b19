/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* follow-ended.c - streams of which their writer says that nothing more comes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/protocol/ended-streams.h"
#include "relay/follow.h"

/* Less is not worth a hole. */
#define HOLE_MIN (UINT64_C(64) << 10)

static void name_index(const char *name, char index_name[NAME_MAX + sizeof(CTF_INDEX_SUFFIX)])
{
	snprintf(index_name, NAME_MAX + sizeof(CTF_INDEX_SUFFIX), "%.*s" CTF_INDEX_SUFFIX, NAME_MAX,
		 name);
}

/* One that we have not heard of yet, or have forgotten, if it was sent and is gone. */
static int take_name(struct follow *follow, const char *name)
{
	char index_name[NAME_MAX + sizeof(CTF_INDEX_SUFFIX)];
	struct follow_stream *stream = follow_find(follow, name);
	int error;

	if (!stream && strlen(name) <= NAME_MAX - sizeof(CTF_INDEX_SUFFIX) && !strchr(name, '/')) {
		name_index(name, index_name);
		if (faccessat(follow->index, index_name, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
			return 0;
		error = follow_touch(follow, index_name);
		if (error)
			return error;
		stream = follow_find(follow, name);
	}
	if (!stream || stream->is_ended)
		return 0;
	stream->is_ended = true;
	cds_list_add_tail(&stream->ended, &follow->ended);
	return 0;
}

/* The names that are whole among `size` bytes. How far these go, or -errno. */
static ssize_t take_names(struct follow *follow, const char *text, size_t size)
{
	size_t at = 0;

	while (at < size) {
		const char *end = memchr(text + at, '\0', size - at);
		int error = 0;

		if (!end)
			break;
		if (end != text + at)
			error = take_name(follow, text + at);
		if (error)
			return error;
		at = (size_t)(end - text) + 1;
	}
	return (ssize_t)at;
}

int follow_read_ended(struct follow *follow)
{
	char text[16384];
	ssize_t got, taken;

	if (follow->ended_file < 0)
		follow->ended_file = openat(follow->dir, ENDED_STREAMS_NAME,
					    (follow->is_spool ? O_RDWR : O_RDONLY) | O_NOFOLLOW |
						    O_NONBLOCK | O_CLOEXEC);
	if (follow->ended_file < 0)
		return errno == ENOENT ? 0 : -errno;
	while ((got = pread(follow->ended_file, text, sizeof(text), (off_t)follow->ended_at)) > 0) {
		taken = take_names(follow, text, (size_t)got);
		if (taken < 0)
			return (int)taken;
		/* No name is so long: what is there is none. */
		if (taken == 0 && got == sizeof(text))
			taken = got;
		follow->ended_at += (uint64_t)taken;
		/* The rest comes. */
		if (taken == 0)
			return 0;
	}
	return got < 0 ? -errno : 0;
}

bool follow_is_whole(const struct follow *follow, const struct follow_stream *stream)
{
	char index_name[NAME_MAX + sizeof(CTF_INDEX_SUFFIX)];
	struct stat status;
	uint64_t size;

	if (stream->is_due || stream->is_open || stream->sent != stream->confirmed)
		return false;
	name_index(stream->name, index_name);
	if (fstatat(follow->index, index_name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT;
	size = sizeof(struct ctf_index_header) +
	       (stream->sent + 1) * sizeof(struct ctf_index_entry);
	return (uint64_t)status.st_size < size;
}

void follow_remove(struct follow *follow, struct follow_stream *stream, uint64_t *bytes)
{
	char index_name[NAME_MAX + sizeof(CTF_INDEX_SUFFIX)];

	*bytes = 0;
	name_index(stream->name, index_name);
	/* Where only one of both goes, what is left is an index of nothing. */
	if (unlinkat(follow->dir, stream->name, 0) < 0 && errno != ENOENT)
		return;
	*bytes = stream->had;
	(void)unlinkat(follow->index, index_name, 0);
	follow_forget(follow, stream);
}

void follow_forget_ended(struct follow *follow)
{
	/* Others may have ended that are not gone yet. */
	if (!follow->is_spool || !cds_list_empty(&follow->ended) ||
	    follow->ended_at < follow->ended_hole + HOLE_MIN)
		return;
	(void)fallocate(follow->ended_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			(off_t)follow->ended_at);
	follow->ended_hole = follow->ended_at;
}
