/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/stream/stream.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/log.h"
#include "consumerd/packet/file.h"
#include "consumerd/trace/stream-repair.h"
#include "consumerd/stream/stream-parts.h"
#include "consumerd/stream/stream-reuse.h"

/* Index entries that may be due: one write for so many packets. */
#define ENTRIES_DUE 32
/* Behind the name of a stream that has several files: '_' and a number. */
#define FILE_NUMBER_SIZE 21

struct stream {
	struct trace *trace;
	struct stream_pool *pool;
	struct cds_list_head pool_node; /* in the pool while open */
	struct packet_stream same;      /* in all its packets */
	int stream_fd;                  /* -1 while closed, as is index_fd */
	int index_fd;
	enum direct_state direct;
	bool torn;               /* there may be bytes beyond the tail */
	struct stream_tail tail; /* valid while open */
	struct stream_limits limits;
	bool located;          /* with limits: these two are known */
	uint64_t oldest_file;  /* that there may be */
	uint64_t file;         /* that is written */
	uint64_t written_size; /* bytes on disk of the last call */
	struct reuse *reuse;   /* of a spool's stream in one file, while that may be; else NULL */
	unsigned due;          /* of entries */
	struct ctf_index_entry entries[ENTRIES_DUE];
	char name[];
};

void stream_pool_init(struct stream_pool *pool, unsigned max_open)
{
	CDS_INIT_LIST_HEAD(&pool->open);
	pool->nr_open = 0;
	pool->max_open = max_open;
	pool->direct = (struct direct){ .blocks = NULL };
}

void stream_pool_destroy(struct stream_pool *pool)
{
	direct_destroy(&pool->direct);
}

/*
 * The same for the same file name, in every life of the consumer: FNV-1a
 * over it, 63 bits, since Java readers have no unsigned long. Another in each
 * chunk, as packets count their losses anew.
 */
static uint64_t instance_of(const char *name, uint32_t chunk)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	for (; chunk; chunk >>= 8)
		hash = (hash ^ (chunk & 0xff)) * UINT64_C(0x100000001b3);
	return hash >> 1;
}

struct stream *stream_create(struct trace *trace, struct stream_pool *pool, const char *name,
			     const char *procname, uint32_t stream_id)
{
	size_t length = strlen(name);
	struct stream *stream;

	if (length + FILE_NUMBER_SIZE + sizeof(CTF_INDEX_SUFFIX) - 1 > NAME_MAX)
		return NULL;
	stream = calloc(1, sizeof(*stream) + length + 1);
	if (!stream)
		return NULL;
	if (trace->is_spool) {
		stream->reuse = calloc(1, sizeof(*stream->reuse));
		if (!stream->reuse) {
			free(stream);
			return NULL;
		}
	}
	stream->trace = trace;
	stream->pool = pool;
	stream->stream_fd = -1;
	stream->index_fd = -1;
	memcpy(stream->name, name, length + 1);
	memcpy(stream->same.uuid, trace->uuid, sizeof(stream->same.uuid));
	stream->same.stream_id = stream_id;
	stream->same.instance = instance_of(name, trace->chunk);
	strncpy(stream->same.procname, procname, sizeof(stream->same.procname) - 1);
	return stream;
}

static void end_reuse(struct stream *stream)
{
	free(stream->reuse);
	stream->reuse = NULL;
}

void stream_limit(struct stream *stream, const struct stream_limits *limits)
{
	stream->limits = *limits;
	/* Streams of several files are reused by whole files. */
	if (limits->file_size)
		end_reuse(stream);
}

static const char *file_name(const struct stream *stream, uint64_t number, char name[NAME_MAX + 1])
{
	if (stream->limits.file_size == 0)
		return stream->name;
	snprintf(name, NAME_MAX + 1, "%.*s_%llu", NAME_MAX - FILE_NUMBER_SIZE, stream->name,
		 (unsigned long long)number);
	return name;
}

static void close_files(struct stream *stream)
{
	if (stream->stream_fd < 0)
		return;
	close(stream->stream_fd);
	close(stream->index_fd);
	stream->stream_fd = -1;
	stream->index_fd = -1;
	stream->direct = DIRECT_OFF;
	cds_list_del(&stream->pool_node);
	stream->pool->nr_open--;
}

static void close_oldest(struct stream_pool *pool)
{
	close_files(cds_list_first_entry(&pool->open, struct stream, pool_node));
}

/* After a failed write: nothing behind all packets may stay. */
static int cut_tail(struct stream *stream)
{
	if (ftruncate(stream->stream_fd, (off_t)stream->tail.size) < 0)
		return -errno;
	stream->torn = false;
	return 0;
}

/* Closes the pool's least recently used descriptors if there are too many. */
static int open_files(struct stream *stream)
{
	struct stream_pool *pool = stream->pool;
	char name[NAME_MAX + 1];
	int error;

	if (pool->nr_open >= pool->max_open && pool->nr_open)
		close_oldest(pool);
	for (;;) {
		error = trace_open_stream(stream->trace, file_name(stream, stream->file, name),
					  &stream->stream_fd, &stream->index_fd);
		if ((error != -EMFILE && error != -ENFILE) || !pool->nr_open)
			break;
		close_oldest(pool);
	}
	if (error) {
		stream->stream_fd = -1;
		stream->index_fd = -1;
		return error;
	}
	cds_list_add_tail(&stream->pool_node, &pool->open);
	pool->nr_open++;
	return 0;
}

/* Where an earlier consumer ended. */
static int locate(struct stream *stream)
{
	int error = 0;

	if (stream->limits.file_size && !stream->located && stream->trace->had_streams)
		error = trace_find_files(stream->trace, stream->name, &stream->oldest_file,
					 &stream->file);
	if (error && error != -ENOENT)
		return error;
	stream->located = true;
	return 0;
}

static int begin_reuse(struct stream *stream)
{
	int error = reuse_begin(stream->reuse, stream->trace, stream->index_fd, &stream->tail);

	if (error != -ESTALE)
		return error;
	end_reuse(stream);
	return 0;
}

/* May room in its file have been used again, by an earlier consumer as well? */
static bool is_reused(const struct stream *stream)
{
	return stream->trace->is_spool && !stream->limits.file_size &&
	       trace_is_reused(stream->trace);
}

/*
 * The files open, the most recently used of the pool, and nothing in them but
 * whole packets, but where room is used again. Each opening inspects the files on disk: that
 * finds the place to go on, and writes index entries that were due.
 */
static int prepare(struct stream *stream)
{
	int error;

	if (stream->stream_fd >= 0) {
		cds_list_del(&stream->pool_node);
		cds_list_add_tail(&stream->pool_node, &stream->pool->open);
		return stream->torn ? cut_tail(stream) : 0;
	}
	error = locate(stream);
	if (!error)
		error = open_files(stream);
	if (error)
		return error;
	error = stream_repair(stream->stream_fd, stream->index_fd, stream->same.uuid,
			      is_reused(stream) ? STREAM_REPAIR_REUSED : STREAM_REPAIR_END, NULL,
			      &stream->tail);
	if (!error && stream->reuse && !stream->reuse->inode)
		error = begin_reuse(stream);
	if (error) {
		close_files(stream);
		return error;
	}
	if (stream->tail.cut)
		log_warning("stream %s: %llu bytes of an unfinished packet were cut off",
			    stream->name, (unsigned long long)stream->tail.cut);
	stream->due = 0;
	stream->torn = false;
	return 0;
}

int stream_flush(struct stream *stream)
{
	struct ctf_index_header header;
	struct iovec parts[2] = {
		{ .iov_base = &header, .iov_len = sizeof(header) },
		{ .iov_base = stream->entries,
		  .iov_len = stream->due * sizeof(stream->entries[0]) },
	};
	uint64_t first;
	int error;

	if (!stream->due && !stream->torn)
		return 0;
	error = prepare(stream);
	if (error || !stream->due)
		return error;
	first = stream->tail.packets - stream->due;
	if (first == 0) {
		packet_make_index_header(&header);
		error = file_write_parts(stream->index_fd, parts, 2, 0);
	} else {
		error = file_write(stream->index_fd, stream->entries,
				   stream->due * sizeof(stream->entries[0]),
				   sizeof(header) + first * sizeof(stream->entries[0]));
	}
	if (!error)
		stream->due = 0;
	return error;
}

/* The file is full: the oldest goes where there are too many, a new one begins. */
static int begin_file(struct stream *stream)
{
	uint64_t count = stream->limits.file_count;
	char name[NAME_MAX + 1];
	int error;

	error = stream_flush(stream);
	if (error)
		return error;
	close_files(stream);
	while (count && stream->file - stream->oldest_file + 1 >= count) {
		error = trace_discard(stream->trace, file_name(stream, stream->oldest_file, name));
		if (error)
			return error;
		stream->oldest_file++;
	}
	stream->file++;
	error = prepare(stream);
	/* By now its successor is there: the next consumer finds its number by that. */
	if (!error)
		trace_note_ended(stream->trace, file_name(stream, stream->file - 1, name));
	return error;
}

/*
 * Places the packets behind each other, the first where the stream ends, or where a spool has room.
 * Returns how many of them are written together.
 */
static unsigned place_run(struct stream *stream, struct stream_parts *parts, unsigned count,
			  struct circle_place *place)
{
	unsigned placed = 1;

	*place = (struct circle_place){ .offset = stream->tail.size };
	if (stream->reuse && reuse_find(stream->reuse, stream->trace, stream->name, parts->size,
					&stream->tail, place) < 0)
		end_reuse(stream);
	stream_parts_place(parts, place->offset);
	/* A spool's packets are in the index one by one. */
	while (placed < count && !stream->trace->is_spool) {
		struct stream_parts *last = &parts[placed - 1], *next = &parts[placed];

		if (!stream_parts_precede(last, next))
			break;
		stream_parts_place(next, last->offset + last->size);
		if (stream->limits.file_size &&
		    next->offset + next->size > stream->limits.file_size)
			break;
		placed++;
	}
	return placed;
}

/* The file that the first goes into open, with room for it and for `count` index entries. */
static int make_room(struct stream *stream, const struct stream_parts *parts, unsigned count)
{
	const struct lttngmap_packet *packet = parts->packet;
	uint64_t most = parts->size + (parts->is_paged ? DIRECT_BLOCK - 1 : 0);
	int error;

	error = prepare(stream);
	if (!error && stream->due + count > ENTRIES_DUE)
		error = stream_flush(stream);
	if (error)
		return error;
	if (packet->sequence < stream->tail.next_sequence)
		return -EALREADY;
	/* Readers stop at a stream whose time goes back. */
	if (packet->timestamp_begin < stream->tail.timestamp_end)
		return -ESTALE;
	if (stream->limits.file_size && stream->tail.size &&
	    stream->tail.size + most > stream->limits.file_size)
		return begin_file(stream);
	return 0;
}

int stream_check_new(struct stream *stream, uint64_t sequence)
{
	int error = prepare(stream);

	if (error)
		return error;
	return sequence < stream->tail.next_sequence ? -EALREADY : 0;
}

int stream_find_end(struct stream *stream, const struct stream_tail **tail)
{
	int error = prepare(stream);

	*tail = &stream->tail;
	return error;
}

/*
 * It is in the file, and is to be in the index: at once in a spool, where nobody would find it
 * otherwise.
 */
static int note_packet(struct stream *stream, const struct stream_parts *parts)
{
	const struct lttngmap_packet *packet = parts->packet;
	struct stream_tail *tail = &stream->tail, before = *tail;
	uint64_t end = parts->offset + parts->size;
	int error = 0;

	packet_make_index_entry(&parts->header, parts->offset, &stream->entries[stream->due++]);
	tail->size = end > tail->size ? end : tail->size;
	tail->packets++;
	tail->next_sequence = packet->sequence + 1;
	tail->timestamp_end = packet->timestamp_end;
	tail->discarded = packet->discarded;
	if (stream->trace->is_spool)
		error = stream_flush(stream);
	if (error) {
		*tail = before;
		stream->due--;
	}
	return error;
}

/* Writes packets that have their places, or nothing. */
static int write_run(struct stream *stream, const struct stream_parts *parts, unsigned count)
{
	int error = stream_parts_write(parts, count, &stream->pool->direct, &stream->direct,
				       stream->stream_fd);

	for (unsigned i = 0; !error && i < count; i++)
		error = note_packet(stream, &parts[i]);
	if (error) {
		stream->torn = true;
		(void)cut_tail(stream);
	}
	return error;
}

int stream_write_run(struct stream *stream, const struct stream_packet *packets, unsigned count,
		     unsigned *written)
{
	struct stream_parts parts[STREAM_RUN_MAX];
	struct circle_place place;
	uint64_t begin;
	int error;

	for (unsigned i = 0; i < count; i++)
		stream_parts_make(&parts[i], &stream->same, packets[i].packet, packets[i].body,
				  stream->limits.file_size != 0, !stream->trace->is_spool);
	error = make_room(stream, parts, count);
	if (error)
		return error;
	*written = place_run(stream, parts, count, &place);
	begin = parts[0].offset;
	error = write_run(stream, parts, *written);
	/* There may be room for some. */
	if (error && *written > 1)
		return stream_write_run(stream, packets, 1, written);
	if (error)
		return error;
	if (stream->reuse)
		circle_take(&stream->reuse->circle, place, parts[0].size, stream->tail.packets - 1);
	stream->written_size = parts[*written - 1].offset + parts[*written - 1].size - begin;
	return 0;
}

int stream_write(struct stream *stream, const struct lttngmap_packet *packet, const void *body)
{
	unsigned written;

	return stream_write_run(stream, &(struct stream_packet){ packet, body }, 1, &written);
}

void stream_end(const struct stream *stream)
{
	char name[NAME_MAX + 1];

	if (!stream->due && !stream->torn)
		trace_note_ended(stream->trace, file_name(stream, stream->file, name));
}

uint64_t stream_written_size(const struct stream *stream)
{
	return stream->written_size;
}

bool stream_is_dirty(const struct stream *stream)
{
	return stream->due;
}

const char *stream_name(const struct stream *stream)
{
	return stream->name;
}

void stream_destroy(struct stream *stream)
{
	if (!stream)
		return;
	if (stream->torn && prepare(stream) < 0)
		log_warning("stream %s: an unfinished packet could not be cut off", stream->name);
	close_files(stream);
	free(stream->reuse);
	free(stream);
}
