/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * query-scan.c - all streams' events in the order of time: a heap of the streams that have begun.
 * A stream begins when the scan comes to the time of its first packet, so that those before have
 * given their memory back.
 *
 * Events of one time come in the order of doc/design/trace.md, which is babeltrace2's.
 */
#include <config.h>

#include "cli/query/query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The order of two streams' events of the same time. */
static bool is_stream_before(const struct query_reader *a, const struct query_reader *b)
{
	const struct ctf_packet_header *x = &a->header, *y = &b->header;
	int order = memcmp(x->uuid, y->uuid, sizeof(x->uuid));

	if (order != 0)
		return order < 0;
	if (x->stream_id != y->stream_id)
		return x->stream_id < y->stream_id;
	if (x->stream_instance_id != y->stream_instance_id)
		return x->stream_instance_id < y->stream_instance_id;
	/* Files of one stream. */
	if (x->packet_seq_num != y->packet_seq_num)
		return x->packet_seq_num < y->packet_seq_num;
	return a->stream < b->stream;
}

static bool is_before(const struct query_reader *a, const struct query_reader *b)
{
	return a->ns != b->ns ? a->ns < b->ns : is_stream_before(a, b);
}

static void swap(struct query_scan *scan, size_t a, size_t b)
{
	struct query_reader *reader = scan->heap[a];

	scan->heap[a] = scan->heap[b];
	scan->heap[b] = reader;
}

static void sink(struct query_scan *scan)
{
	for (size_t at = 0, child; (child = 2 * at + 1) < scan->count; at = child) {
		if (child + 1 < scan->count && is_before(scan->heap[child + 1], scan->heap[child]))
			child++;
		if (!is_before(scan->heap[child], scan->heap[at]))
			return;
		swap(scan, at, child);
	}
}

static void rise(struct query_scan *scan)
{
	for (size_t at = scan->count - 1; at > 0; at = (at - 1) / 2) {
		if (!is_before(scan->heap[at], scan->heap[(at - 1) / 2]))
			return;
		swap(scan, at, (at - 1) / 2);
	}
}

/* Adds the stream, if it has a wanted event. 0 or -errno. */
static int add(struct query_scan *scan, struct query_stream *stream)
{
	struct query_reader *reader = malloc(sizeof(*reader));
	int got;

	if (!reader)
		return -ENOMEM;
	query_reader_begin(reader, scan->query, stream, &scan->wanted);
	got = query_reader_next(reader);
	if (got <= 0) {
		query_reader_end(reader);
		free(reader);
		return got;
	}
	scan->heap[scan->count++] = reader;
	rise(scan);
	return 0;
}

/* Streams that begin before the current event may have an earlier one. 1, 0 or -errno. */
static int begin_streams(struct query_scan *scan)
{
	int error = 0;

	while (!error && scan->next < scan->query->nr_streams) {
		struct query_stream *stream = &scan->query->streams[scan->next];

		if (stream->first > scan->wanted.to ||
		    (scan->count > 0 && stream->first > scan->heap[0]->ns))
			break;
		scan->next++;
		error = query_interrupted ? -EINTR : add(scan, stream);
	}
	return error ? error : scan->count > 0;
}

int query_scan_begin(struct query_scan *scan, struct query *query,
		     const struct query_wanted *wanted)
{
	*scan = (struct query_scan){ .wanted = *wanted, .query = query };
	scan->heap = calloc(query->nr_streams + 1, sizeof(struct query_reader *));
	return scan->heap ? begin_streams(scan) : -ENOMEM;
}

int query_scan_next(struct query_scan *scan)
{
	struct query_reader *reader = scan->heap[0];
	int got = query_reader_next(reader);

	if (got < 0)
		return got;
	if (got == 0) {
		swap(scan, 0, --scan->count);
		query_reader_end(reader);
		free(reader);
	}
	sink(scan);
	if (scan->next < scan->query->nr_streams)
		return begin_streams(scan);
	return scan->count > 0;
}

void query_scan_end(struct query_scan *scan)
{
	for (size_t i = 0; i < scan->count; i++) {
		query_reader_end(scan->heap[i]);
		free(scan->heap[i]);
	}
	free(scan->heap);
	free(scan->wanted.classes);
	*scan = (struct query_scan){ .heap = NULL };
}
