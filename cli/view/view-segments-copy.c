/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view-segments-copy.c - copies the new packets of a growing trace into a segment of small whole
 * traces.
 */
#include <config.h>

#include "cli/view/view-segments.h"

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

/* Bytes of all streams in a segment; each stream gets one packet at least. */
#define SEGMENT_BYTES (UINT64_C(64) << 20)

static void give_up(struct view_followed *followed, const char *why)
{
	followed->damaged = true;
	message_note("%s: %s: %s: this stream is followed no further", view_verb, followed->index,
		     why);
}

static int read_entry(int fd, uint64_t number, struct ctf_index_entry *entry)
{
	off_t at = (off_t)(sizeof(struct ctf_index_header) + number * sizeof(*entry));

	return pread(fd, entry, sizeof(*entry), at) == (ssize_t)sizeof(*entry) ? 0 : -EIO;
}

/* False if the index is not ours, or another file now. */
static bool check_index(struct view_followed *followed, int fd)
{
	struct ctf_index_header header;
	struct ctf_index_entry first;

	if (pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    be32toh(header.magic) != CTF_INDEX_MAGIC ||
	    be32toh(header.entry_length) != sizeof(struct ctf_index_entry)) {
		give_up(followed, "it is no index that is known");
		return false;
	}
	if (read_entry(fd, 0, &first) != 0)
		return false;
	if (followed->next > followed->entries ||
	    (followed->first.packet_size && memcmp(&first, &followed->first, sizeof(first)) != 0))
		followed->next = followed->shown = followed->told = 0;
	followed->first = first;
	return true;
}

/* Copies bytes from `begin` on, or as many as there are. 0 or -errno. */
static int copy(int from, off_t begin, uint64_t size, int to)
{
	int error = view_sound_copy_bytes(to, from, (uint64_t)begin, size);

	return error == -ENODATA ? 0 : error;
}

/*
 * Finds the bytes of packets `base` to `end` - 1; `end` is chosen by the limit, but at least one
 * new packet is taken. False: the index is damaged.
 */
static bool measure(struct view_followed *followed, int fd, uint64_t limit, off_t *begin,
		    uint64_t *size)
{
	struct ctf_index_entry entry;
	uint64_t at = 0;

	*size = 0;
	for (followed->end = followed->base; followed->end < followed->entries; followed->end++) {
		uint64_t offset, bytes;

		if (read_entry(fd, followed->end, &entry) != 0)
			return false;
		offset = be64toh(entry.offset);
		bytes = be64toh(entry.packet_size) / 8;
		if (followed->end == followed->base)
			at = offset;
		if (offset != at + *size || bytes == 0 || bytes > INT64_MAX / 4 ||
		    offset > INT64_MAX / 4)
			return false;
		if (followed->end > followed->next && *size + bytes > limit)
			break;
		*size += bytes;
	}
	*begin = (off_t)at;
	return true;
}

/* Opens regular files only: opening anything else could take for ever. */
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

/* The segment's trace for the stream, made if necessary. */
static int need_trace(struct view_segments *segments, const char *folder, unsigned twin,
		      struct segment_trace **result)
{
	struct segment_trace *traces = segments->traces, *trace;
	char from[PATH_MAX], to[sizeof(trace->path) + 16];
	int error;

	for (size_t i = 0; i < segments->nr_traces; i++) {
		*result = &traces[i];
		if (traces[i].twin == twin && strcmp(traces[i].folder, folder) == 0)
			return 0;
	}
	traces = reallocarray(traces, segments->nr_traces + 1, sizeof(*traces));
	if (!traces)
		return -ENOMEM;
	segments->traces = traces;
	trace = &traces[segments->nr_traces];
	trace->folder = strdup(folder);
	if (!trace->folder)
		return -ENOMEM;
	trace->twin = twin;
	trace->format.layout = NULL;
	snprintf(trace->path, sizeof(trace->path), "%s/%zu", segments->folder, segments->nr_traces);
	segments->nr_traces++;
	if (mkdir(trace->path, 0700) < 0)
		return -errno;
	if ((size_t)snprintf(from, sizeof(from), "%s/metadata", folder) >= sizeof(from))
		return -ENAMETOOLONG;
	snprintf(to, sizeof(to), "%s/metadata", trace->path);
	*result = trace;
	error = copy_file(from, to);
	if (!error)
		error = stream_format_read(&trace->format, view_verb, trace->path);
	if (error != -ENOTSUP)
		return error;
	view_sound_note_metadata(view_verb, folder, &trace->format.trace);
	return 0;
}

/*
 * Counts the segment's streams with the same id in the same folder. A collision of keys only makes
 * a folder that was not needed.
 */
static unsigned count_twins(struct view_segments *segments, const struct view_followed *followed,
			    const char *folder)
{
	uint64_t key = followed->first.stream_instance_id * UINT64_C(0x9e3779b97f4a7c15) ^
		       followed->first.stream_id;
	size_t place;

	for (; *folder; folder++)
		key = (key ^ (unsigned char)*folder) * UINT64_C(0x100000001b3);
	key |= 1; /* 0: free */
	for (place = (key >> 32) & (segments->places - 1);
	     segments->twins[place].key && segments->twins[place].key != key;)
		place = (place + 1) & (segments->places - 1);
	segments->twins[place].key = key;
	return segments->twins[place].count++;
}

/* Cuts the copy before the first packet that babeltrace could not read. 0 or -errno. */
static int cut_wrong(struct view_followed *followed, const struct segment_trace *trace,
		     int index_fd, int copy, off_t begin)
{
	struct ctf_index_entry entry;
	struct stream_check check;
	uint64_t sound = 0;
	char why[512];
	int error;

	if (!trace->format.layout)
		return 0;
	error = stream_check(&check, &trace->format, copy, -1);
	if (!error && check.fault.why[0]) {
		if (check.nr_extents > 0 && check.extents[0].begin == 0)
			sound = check.extents[0].size;
		if (ftruncate(copy, (off_t)sound) < 0)
			error = -errno;
		for (followed->end = followed->base;
		     read_entry(index_fd, followed->end, &entry) == 0 &&
		     be64toh(entry.offset) < (uint64_t)begin + sound;)
			followed->end++;
		if (check.fault.program[0])
			snprintf(why, sizeof(why), "%s (process %u) wrote what cannot be read: %s",
				 check.fault.program, check.fault.pid, check.fault.why);
		else
			snprintf(why, sizeof(why), "it cannot be read: %s", check.fault.why);
		give_up(followed, why);
	}
	stream_check_free(&check);
	return error;
}

/*
 * Copies the new packets of the stream into a trace of the segment. 0; -ENOENT: the stream was
 * moved; other -errno.
 */
static int add_stream(struct view_segments *segments, struct view_followed *followed, int index_fd,
		      uint64_t limit)
{
	char folder[PATH_MAX], stream[PATH_MAX], path[PATH_MAX];
	const char *name = strrchr(followed->index, '/') + 1;
	size_t length = (size_t)(name - followed->index) - strlen(CTF_INDEX_DIRECTORY "//");
	struct segment_trace *trace = NULL;
	struct stat status;
	int in, out, error;
	uint64_t size;
	off_t begin;

	followed->base = followed->next > 0 ? followed->next - 1 : 0;
	if (!measure(followed, index_fd, limit, &begin, &size)) {
		give_up(followed, "it is damaged");
		return 0;
	}
	if ((size_t)snprintf(folder, sizeof(folder), "%.*s", (int)length, followed->index) >=
		    sizeof(folder) ||
	    (size_t)snprintf(stream, sizeof(stream), "%s/%.*s", folder,
			     (int)(strlen(name) - strlen(CTF_INDEX_SUFFIX)),
			     name) >= sizeof(stream))
		return -ENAMETOOLONG;
	error = need_trace(segments, folder, count_twins(segments, followed, folder), &trace);
	if (error)
		return error;
	in = open_file(stream, &status);
	if (in == -EINVAL)
		give_up(followed, "its stream is no file");
	if (in < 0)
		return in == -EINVAL ? 0 : in;
	/* The number in the name identifies the stream later. */
	snprintf(path, sizeof(path), "%s/%zu:%s", trace->path, followed->number,
		 strrchr(stream, '/') + 1);
	out = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	error = out < 0 ? -errno : copy(in, begin, size, out);
	close(in);
	if (!error)
		error = cut_wrong(followed, trace, index_fd, out, begin);
	if (followed->end == followed->base)
		unlink(path);
	if (out >= 0)
		close(out);
	followed->is_in = !error && followed->end > followed->base;
	followed->at = followed->base - 1;
	followed->event = 0;
	followed->is_blocked = false;
	return error;
}

int view_segments_copy(struct view_segments *segments, bool *more)
{
	size_t news = 0;
	uint64_t limit;
	int error = 0;

	for (size_t i = 0; i < segments->count; i++)
		news += view_followed_has_news(segments->all[i]);
	limit = SEGMENT_BYTES / (news ? news : 1);
	for (segments->places = 16; segments->places < 2 * news;)
		segments->places *= 2;
	segments->twins = calloc(segments->places, sizeof(*segments->twins));
	if (!segments->twins)
		return -ENOMEM;
	for (size_t i = 0; !error && i < segments->count; i++) {
		struct view_followed *followed = segments->all[i];
		struct stat status;
		int fd;

		if (!view_followed_has_news(followed))
			continue;
		fd = open_file(followed->index, &status);
		if (fd >= 0 && check_index(followed, fd))
			error = add_stream(segments, followed, fd, limit);
		if (fd >= 0)
			close(fd);
		*more |= followed->is_in && !followed->damaged && followed->end < followed->entries;
		/* The stream was moved or removed since it was found. */
		if (error == -ENOENT)
			error = 0;
	}
	return error;
}

int view_segments_make_folder(struct view_segments *segments)
{
	const char *base = getenv("TMPDIR");

	if (!base || base[0] != '/' ||
	    strlen(base) + sizeof("/lttngmap-follow-XXXXXX") > sizeof(segments->folder))
		base = "/tmp";
	snprintf(segments->folder, sizeof(segments->folder), "%s/lttngmap-follow-XXXXXX", base);
	if (mkdtemp(segments->folder))
		return 0;
	segments->folder[0] = '\0';
	return -errno;
}
