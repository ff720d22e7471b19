/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* view-pieces-copy.c - what is new of a trace that grows, as small whole traces. */
#include <config.h>

#include "cli/view/view-pieces.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/message.h"

/* Of all streams in one piece, bytes; but a packet of each. */
#define PIECE_BYTES (UINT64_C(64) << 20)

static void give_up(struct view_piece *piece, const char *why)
{
	piece->damaged = true;
	message_note("%s: %s: %s: this stream is followed no further", view_verb, piece->index,
		     why);
}

static int read_entry(int fd, uint64_t number, struct ctf_index_entry *entry)
{
	off_t at = (off_t)(sizeof(struct ctf_index_header) + number * sizeof(*entry));

	return pread(fd, entry, sizeof(*entry), at) == (ssize_t)sizeof(*entry) ? 0 : -EIO;
}

/* Is it one of ours, and still the same? */
static bool check_index(struct view_piece *piece, int fd)
{
	struct ctf_index_header header;
	struct ctf_index_entry first;

	if (pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    be32toh(header.magic) != CTF_INDEX_MAGIC ||
	    be32toh(header.entry_length) != sizeof(struct ctf_index_entry)) {
		give_up(piece, "it is no index that is known");
		return false;
	}
	if (read_entry(fd, 0, &first) != 0)
		return false;
	if (piece->next > piece->entries ||
	    (piece->first.packet_size && memcmp(&first, &piece->first, sizeof(first)) != 0))
		piece->next = piece->shown = piece->told = 0;
	piece->first = first;
	return true;
}

/* Bytes of the file from `begin` on, or as many as there are. 0 or -errno. */
static int copy(int from, off_t begin, uint64_t size, int to)
{
	int error = view_copy_bytes(to, from, (uint64_t)begin, size);

	return error == -ENODATA ? 0 : error;
}

/*
 * Which bytes are packets `base` to `end` - 1, of which the last is as far as the limit
 * goes; but one that is new. False: the index is no good.
 */
static bool measure(struct view_piece *piece, int fd, uint64_t limit, off_t *begin, uint64_t *size)
{
	struct ctf_index_entry entry;
	uint64_t at = 0;

	*size = 0;
	for (piece->end = piece->base; piece->end < piece->entries; piece->end++) {
		uint64_t offset, bytes;

		if (read_entry(fd, piece->end, &entry) != 0)
			return false;
		offset = be64toh(entry.offset);
		bytes = be64toh(entry.packet_size) / 8;
		if (piece->end == piece->base)
			at = offset;
		if (offset != at + *size || bytes == 0 || bytes > INT64_MAX / 4 ||
		    offset > INT64_MAX / 4)
			return false;
		if (piece->end > piece->next && *size + bytes > limit)
			break;
		*size += bytes;
	}
	*begin = (off_t)at;
	return true;
}

/* Only what is a file: to open anything else could take for ever. */
static int open_file(const char *path, struct stat *status)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	if (fstat(fd, status) == 0 && S_ISREG(status->st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

static int copy_file(const char *from, const char *to)
{
	struct stat status;
	int in = open_file(from, &status), out = -1, error = in < 0 ? in : 0;

	if (!error)
		out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (!error && out < 0)
		error = -errno;
	if (!error)
		error = copy(in, 0, (uint64_t)status.st_size, out);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return error;
}

/* The folder of the trace in which the stream is to be, made where it is not there. */
static int need_window(struct view_pieces *pieces, const char *folder, unsigned twin,
		       struct window **result)
{
	struct window *windows = pieces->windows, *window;
	char from[PATH_MAX], to[sizeof(window->path) + 16];
	int error;

	for (size_t i = 0; i < pieces->nr_windows; i++) {
		*result = &windows[i];
		if (windows[i].twin == twin && strcmp(windows[i].folder, folder) == 0)
			return 0;
	}
	windows = reallocarray(windows, pieces->nr_windows + 1, sizeof(*windows));
	if (!windows)
		return -ENOMEM;
	pieces->windows = windows;
	window = &windows[pieces->nr_windows];
	window->folder = strdup(folder);
	if (!window->folder)
		return -ENOMEM;
	window->twin = twin;
	window->format.layout = NULL;
	snprintf(window->path, sizeof(window->path), "%s/%zu", pieces->folder, pieces->nr_windows);
	pieces->nr_windows++;
	if (mkdir(window->path, 0700) < 0)
		return -errno;
	if ((size_t)snprintf(from, sizeof(from), "%s/metadata", folder) >= sizeof(from))
		return -ENAMETOOLONG;
	snprintf(to, sizeof(to), "%s/metadata", window->path);
	*result = window;
	error = copy_file(from, to);
	if (!error)
		error = stream_format_read(&window->format, window->path);
	if (error != -ENOTSUP)
		return error;
	view_note_metadata(view_verb, folder, &window->format.trace);
	return 0;
}

/*
 * How many of this piece are of the same stream, in the same folder. Two that are not, but
 * come to the same number, only go to different folders without need.
 */
static unsigned count_twins(struct view_pieces *pieces, const struct view_piece *piece,
			    const char *folder)
{
	uint64_t key = piece->first.stream_instance_id * UINT64_C(0x9e3779b97f4a7c15) ^
		       piece->first.stream_id;
	size_t place;

	for (; *folder; folder++)
		key = (key ^ (unsigned char)*folder) * UINT64_C(0x100000001b3);
	key |= 1; /* 0: free */
	for (place = (key >> 32) & (pieces->places - 1);
	     pieces->twins[place].key && pieces->twins[place].key != key;)
		place = (place + 1) & (pieces->places - 1);
	pieces->twins[place].key = key;
	return pieces->twins[place].count++;
}

/*
 * Of the copy, which nobody changes: cut before the first packet that babeltrace would stumble
 * over. 0 or -errno.
 */
static int cut_wrong(struct view_piece *piece, const struct window *window, int index_fd, int copy,
		     off_t begin)
{
	struct ctf_index_entry entry;
	struct stream_check check;
	uint64_t sound = 0;
	char why[512];
	int error;

	if (!window->format.layout)
		return 0;
	error = stream_check(&check, &window->format, copy, -1);
	if (!error && check.fault.why[0]) {
		if (check.nr_extents > 0 && check.extents[0].begin == 0)
			sound = check.extents[0].size;
		if (ftruncate(copy, (off_t)sound) < 0)
			error = -errno;
		for (piece->end = piece->base; read_entry(index_fd, piece->end, &entry) == 0 &&
					       be64toh(entry.offset) < (uint64_t)begin + sound;)
			piece->end++;
		if (check.fault.program[0])
			snprintf(why, sizeof(why), "%s (process %u) wrote what cannot be read: %s",
				 check.fault.program, check.fault.pid, check.fault.why);
		else
			snprintf(why, sizeof(why), "it cannot be read: %s", check.fault.why);
		give_up(piece, why);
	}
	stream_check_free(&check);
	return error;
}

/* What is new of it, into the trace where it belongs. 0; -ENOENT: it was moved; -errno. */
static int add_stream(struct view_pieces *pieces, struct view_piece *piece, int index_fd,
		      uint64_t limit)
{
	char folder[PATH_MAX], stream[PATH_MAX], path[PATH_MAX];
	const char *name = strrchr(piece->index, '/') + 1;
	size_t length = (size_t)(name - piece->index) - strlen(CTF_INDEX_DIRECTORY "//");
	struct window *window = NULL;
	struct stat status;
	int in, out, error;
	uint64_t size;
	off_t begin;

	piece->base = piece->next > 0 ? piece->next - 1 : 0;
	if (!measure(piece, index_fd, limit, &begin, &size)) {
		give_up(piece, "it is damaged");
		return 0;
	}
	if ((size_t)snprintf(folder, sizeof(folder), "%.*s", (int)length, piece->index) >=
		    sizeof(folder) ||
	    (size_t)snprintf(stream, sizeof(stream), "%s/%.*s", folder,
			     (int)(strlen(name) - strlen(CTF_INDEX_SUFFIX)),
			     name) >= sizeof(stream))
		return -ENAMETOOLONG;
	error = need_window(pieces, folder, count_twins(pieces, piece, folder), &window);
	if (error)
		return error;
	in = open_file(stream, &status);
	if (in == -EINVAL)
		give_up(piece, "its stream is no file");
	if (in < 0)
		return in == -EINVAL ? 0 : in;
	/* By its number it is known again. */
	snprintf(path, sizeof(path), "%s/%zu:%s", window->path, piece->number,
		 strrchr(stream, '/') + 1);
	out = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	error = out < 0 ? -errno : copy(in, begin, size, out);
	close(in);
	if (!error)
		error = cut_wrong(piece, window, index_fd, out, begin);
	if (piece->end == piece->base)
		unlink(path);
	if (out >= 0)
		close(out);
	piece->is_in = !error && piece->end > piece->base;
	piece->at = piece->base - 1;
	piece->event = 0;
	piece->is_blocked = false;
	return error;
}

int view_pieces_copy(struct view_pieces *pieces, bool *more)
{
	size_t news = 0;
	uint64_t limit;
	int error = 0;

	for (size_t i = 0; i < pieces->count; i++)
		news += view_piece_has_news(pieces->all[i]);
	limit = PIECE_BYTES / (news ? news : 1);
	for (pieces->places = 16; pieces->places < 2 * news;)
		pieces->places *= 2;
	pieces->twins = calloc(pieces->places, sizeof(*pieces->twins));
	if (!pieces->twins)
		return -ENOMEM;
	for (size_t i = 0; !error && i < pieces->count; i++) {
		struct view_piece *piece = pieces->all[i];
		struct stat status;
		int fd;

		if (!view_piece_has_news(piece))
			continue;
		fd = open_file(piece->index, &status);
		if (fd >= 0 && check_index(piece, fd))
			error = add_stream(pieces, piece, fd, limit);
		if (fd >= 0)
			close(fd);
		*more |= piece->is_in && !piece->damaged && piece->end < piece->entries;
		/* It was moved, or is gone, since it was found. */
		if (error == -ENOENT)
			error = 0;
	}
	return error;
}

int view_pieces_make_folder(struct view_pieces *pieces)
{
	const char *base = getenv("TMPDIR");

	if (!base || base[0] != '/' ||
	    strlen(base) + sizeof("/lttngmap-follow-XXXXXX") > sizeof(pieces->folder))
		base = "/tmp";
	snprintf(pieces->folder, sizeof(pieces->folder), "%s/lttngmap-follow-XXXXXX", base);
	if (mkdtemp(pieces->folder))
		return 0;
	pieces->folder[0] = '\0';
	return -errno;
}
