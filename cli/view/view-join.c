/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/view/view-join.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/base/regular-open.h"
#include "cli/view/view.h"
#include "common/protocol/ctf.h"

/* Each stream is mapped, and a process can have 65530 maps. */
#define STREAMS_MOST 16384
/*
 * Babeltrace looks at each stream for each event: with more streams than this, a copy into fewer is
 * faster.
 */
#define STREAMS_SLOW 512
#define WORTH_A_COPY 4

/* A stream, which may be in several files. */
struct item {
	size_t first, count; /* of the files */
	uint64_t begin, end;
	uint32_t stream_id;
};

/* A joined stream, made of streams that follow one another. */
struct lane {
	size_t number;
	uint64_t end;       /* of the last stream */
	uint64_t sequence;  /* of the next packet */
	uint64_t discarded; /* events, up to the last packet */
};

struct join {
	const char *from, *to; /* NULL: only counts the lanes, copies nothing */
	const struct stream_file *files;
	struct item *items;
	size_t nr_items;
	struct lane *lanes; /* of one stream id: a heap, with the lane that ends first on top */
	size_t nr_lanes;
	size_t made; /* lanes of all stream ids */
};

/* ---- packets ------------------------------------------------------------------------- */

/* Copies a packet as the lane's next one. */
static int copy_packet(struct lane *lane, int in, int out, uint64_t *at, uint64_t first_sequence,
		       const struct lane *before)
{
	struct ctf_packet_header header;
	int error = packet_read(in, &header, sizeof(header), *at);
	uint64_t size;

	if (error)
		return error;
	size = header.packet_size / 8;
	header.stream_instance_id = lane->number + 1;
	header.packet_seq_num += before->sequence - first_sequence;
	header.events_discarded += before->discarded;
	lane->sequence = header.packet_seq_num + 1;
	lane->discarded = header.events_discarded;
	if (write(out, &header, sizeof(header)) != (ssize_t)sizeof(header))
		return -ENOSPC;
	error = view_sound_copy_bytes(out, in, *at + sizeof(header), size - sizeof(header));
	*at += size;
	return error;
}

static int open_file(const struct join *join, const struct stream_file *file)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", join->from, file->name) >= sizeof(path))
		return -ENAMETOOLONG;
	return regular_open(path, 0);
}

static int copy_file(struct lane *lane, const struct join *join, const struct stream_file *file,
		     int out, uint64_t first_sequence, const struct lane *before)
{
	int in = open_file(join, file), error = 0;

	if (in < 0)
		return in;
	for (size_t i = 0; !error && i < file->check.nr_extents; i++) {
		uint64_t at = file->check.extents[i].begin;
		uint64_t end = at + file->check.extents[i].size;

		while (!error && at < end)
			error = copy_packet(lane, in, out, &at, first_sequence, before);
	}
	close(in);
	return error;
}

/*
 * Events that a stream lost before its first packet belong to its own process, not to the stream
 * before. An empty packet with the process's name comes first, so that readers see that.
 */
static int begin_stream(struct lane *lane, const struct join *join, const struct item *item,
			int out)
{
	const struct stream_file *file = &join->files[item->first];
	struct ctf_packet_header header;
	int in = open_file(join, file), error;

	if (in < 0)
		return in;
	error = packet_read(in, &header, sizeof(header), file->check.extents[0].begin);
	close(in);
	if (error || header.events_discarded == 0)
		return error;
	header.stream_instance_id = lane->number + 1;
	header.timestamp_end = header.timestamp_begin;
	header.content_size = header.packet_size = sizeof(header) * 8;
	header.packet_seq_num = lane->sequence++;
	header.events_discarded = lane->discarded;
	return write(out, &header, sizeof(header)) == (ssize_t)sizeof(header) ? 0 : -ENOSPC;
}

static int append(struct lane *lane, const struct join *join, const struct item *item)
{
	struct lane before;
	char path[PATH_MAX];
	int out, error;

	lane->end = item->end;
	if (!join->to)
		return 0;
	if ((size_t)snprintf(path, sizeof(path), "%s/joined-%zu", join->to, lane->number) >=
	    sizeof(path))
		return -ENAMETOOLONG;
	out = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (out < 0)
		return -errno;
	/* sendfile() refuses O_APPEND. */
	error = lseek(out, 0, SEEK_END) < 0 ? -errno : begin_stream(lane, join, item, out);
	before = *lane;
	for (size_t i = 0; !error && i < item->count; i++) {
		const struct stream_file *file = &join->files[item->first + i];

		error = file->check.packets
				? copy_file(lane, join, file, out,
					    join->files[item->first].check.sequence, &before)
				: 0;
	}
	if (close(out) < 0 && !error)
		error = -errno;
	return error;
}

/* ---- lanes --------------------------------------------------------------------------- */

static void sift_down(struct join *join)
{
	struct lane lane = join->lanes[0];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < join->nr_lanes; at = child) {
		if (child + 1 < join->nr_lanes &&
		    join->lanes[child + 1].end < join->lanes[child].end)
			child++;
		if (lane.end <= join->lanes[child].end)
			break;
		join->lanes[at] = join->lanes[child];
	}
	join->lanes[at] = lane;
}

static void sift_up(struct join *join)
{
	size_t at = join->nr_lanes - 1;
	struct lane lane = join->lanes[at];

	for (; at > 0 && lane.end < join->lanes[(at - 1) / 2].end; at = (at - 1) / 2)
		join->lanes[at] = join->lanes[(at - 1) / 2];
	join->lanes[at] = lane;
}

/* Appends the stream to the lane that ended first, or to a new lane. */
static int place(struct join *join, const struct item *item)
{
	struct lane *lane = &join->lanes[0];
	int error;

	if (join->nr_lanes > 0 && lane->end <= item->begin) {
		error = append(lane, join, item);
		sift_down(join);
		return error;
	}
	lane = &join->lanes[join->nr_lanes++];
	*lane = (struct lane){ .number = join->made++ };
	error = append(lane, join, item);
	sift_up(join);
	return error;
}

static int compare(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->stream_id != y->stream_id)
		return x->stream_id < y->stream_id ? -1 : 1;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Files of one instance are one stream. */
static void find_items(struct join *join, size_t count)
{
	struct item *item = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct stream_check *check = &join->files[i].check;
		const struct stream_check *first = item ? &join->files[item->first].check : NULL;

		if (check->packets == 0)
			continue;
		if (!first || first->stream_id != check->stream_id ||
		    first->instance != check->instance) {
			item = &join->items[join->nr_items++];
			*item = (struct item){ .first = i,
					       .begin = check->begin,
					       .stream_id = check->stream_id };
		}
		item->count = i + 1 - item->first;
		item->end = check->end;
	}
	qsort(join->items, join->nr_items, sizeof(*join->items), compare);
}

static int place_all(struct join *join, size_t count)
{
	int error;

	join->items = calloc(count, sizeof(*join->items));
	join->lanes = calloc(count, sizeof(*join->lanes));
	error = join->items && join->lanes ? 0 : -ENOMEM;
	if (!error)
		find_items(join, count);
	for (size_t i = 0; !error && i < join->nr_items; i++) {
		if (i > 0 && join->items[i].stream_id != join->items[i - 1].stream_id)
			join->nr_lanes = 0;
		error = view_sound_is_interrupted() ? -EINTR : place(join, &join->items[i]);
	}
	free(join->items);
	free(join->lanes);
	return error;
}

bool view_join_is_needed(const struct stream_file *files, size_t count)
{
	struct join join = { .files = files };
	size_t most = STREAMS_MOST;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 2 < most)
		most = limit.rlim_cur / 2;
	if (count <= STREAMS_SLOW && count <= most)
		return false;
	return place_all(&join, count) == 0 &&
	       (join.nr_items > most ||
		(join.nr_items > STREAMS_SLOW && join.made * WORTH_A_COPY <= join.nr_items));
}

int view_join(const char *from, const char *to, const struct stream_file *files, size_t count)
{
	struct join join = { .from = from, .to = to, .files = files };

	return place_all(&join, count);
}
