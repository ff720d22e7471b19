/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/stream.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "consumerd/file.h"
#include "consumerd/stream-repair.h"

/* Index entries that may be due: one write for so many packets. */
#define ENTRIES_DUE 32

struct stream {
	const struct trace *trace;
	struct stream_pool *pool;
	struct cds_list_head pool_node; /* in the pool while open */
	struct packet_stream same;      /* in all its packets */
	int stream_fd;                  /* -1 while closed, as is index_fd */
	int index_fd;
	enum direct_state direct;
	bool torn;               /* there may be bytes beyond the tail */
	struct stream_tail tail; /* valid while open */
	uint64_t packet_size; /* of the last one written, bytes on disk */
	unsigned due; /* of entries */
	struct ctf_index_entry entries[ENTRIES_DUE];
	char name[];
};

void stream_pool_init(struct stream_pool *pool, unsigned max_open)
{
	CDS_INIT_LIST_HEAD(&pool->open);
	pool->nr_open = 0;
	pool->max_open = max_open;
	pool->direct = (struct direct){ .block = NULL };
}

void stream_pool_destroy(struct stream_pool *pool)
{
	direct_destroy(&pool->direct);
}

/*
 * The same for the same file name, in every life of the consumer: FNV-1a
 * over it, 63 bits, since Java readers have no unsigned long.
 */
static uint64_t instance_of(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return hash >> 1;
}

struct stream *stream_create(const struct trace *trace, struct stream_pool *pool,
			     const char *name, const char *procname, uint32_t stream_id)
{
	size_t length = strlen(name);
	struct stream *stream;

	if (length + sizeof(CTF_INDEX_SUFFIX) - 1 > NAME_MAX)
		return NULL;
	stream = calloc(1, sizeof(*stream) + length + 1);
	if (!stream)
		return NULL;
	stream->trace = trace;
	stream->pool = pool;
	stream->stream_fd = -1;
	stream->index_fd = -1;
	memcpy(stream->name, name, length + 1);
	memcpy(stream->same.uuid, trace->uuid, sizeof(stream->same.uuid));
	stream->same.stream_id = stream_id;
	stream->same.instance = instance_of(name);
	strncpy(stream->same.procname, procname, sizeof(stream->same.procname) - 1);
	return stream;
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

/* After a failed write: nothing beyond the whole packets may stay. */
static int cut_tail(struct stream *stream)
{
	if (ftruncate(stream->stream_fd, (off_t)stream->tail.size) < 0)
		return -errno;
	stream->torn = false;
	return 0;
}

/* Of the pool's descriptors, those used longest ago go where there are too many. */
static int open_files(struct stream *stream)
{
	struct stream_pool *pool = stream->pool;
	int error;

	if (pool->nr_open >= pool->max_open && pool->nr_open)
		close_oldest(pool);
	for (;;) {
		error = trace_open_stream(stream->trace, stream->name, &stream->stream_fd,
					  &stream->index_fd);
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

/*
 * The files open, the most recently used of the pool, and nothing in them but
 * whole packets. What is on disk is looked at on each opening: that finds the
 * place to go on, and makes up for entries that were due.
 */
static int prepare(struct stream *stream)
{
	int error;

	if (stream->stream_fd >= 0) {
		cds_list_del(&stream->pool_node);
		cds_list_add_tail(&stream->pool_node, &stream->pool->open);
		return stream->torn ? cut_tail(stream) : 0;
	}
	error = open_files(stream);
	if (error)
		return error;
	error = stream_repair(stream->stream_fd, stream->index_fd, stream->same.uuid,
			      &stream->tail);
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
	uint64_t first;
	int error;

	if (!stream->due)
		return 0;
	error = prepare(stream);
	if (error || !stream->due)
		return error;
	first = stream->tail.packets - stream->due;
	if (first == 0) {
		packet_make_index_header(&header);
		error = file_write_pair(stream->index_fd, &header, sizeof(header), stream->entries,
					stream->due * sizeof(stream->entries[0]), 0);
	} else {
		error = file_write(stream->index_fd, stream->entries,
				   stream->due * sizeof(stream->entries[0]),
				   sizeof(header) + first * sizeof(stream->entries[0]));
	}
	if (!error)
		stream->due = 0;
	return error;
}

/*
 * Header and body at the tail. A packet in whole pages is padded up to a
 * block, so that the next one may go the direct way.
 */
static int write_packet(struct stream *stream, struct ctf_packet_header *header,
			const struct lttngmap_packet *packet, const void *body, uint64_t *size)
{
	static const char zeros[DIRECT_BLOCK];
	uint64_t offset = stream->tail.size, content = *size;
	int error = -EAGAIN;

	if (direct_is_paged(packet, body)) {
		*size += -(offset + content) % DIRECT_BLOCK;
		packet_pad(header, *size);
		if (offset % DIRECT_BLOCK == 0)
			error = direct_write(&stream->pool->direct, &stream->direct,
					     stream->stream_fd, header, body, content, offset);
	}
	if (error != -EAGAIN)
		return error;
	direct_leave(&stream->direct, stream->stream_fd);
	error = file_write_pair(stream->stream_fd, header, sizeof(*header), body, packet->length,
				offset);
	if (!error && *size > content)
		error = file_write(stream->stream_fd, zeros, *size - content, offset + content);
	return error;
}

int stream_write(struct stream *stream, const struct lttngmap_packet *packet, const void *body)
{
	struct ctf_packet_header header;
	struct stream_tail *tail = &stream->tail;
	uint64_t size;
	int error;

	error = prepare(stream);
	if (!error && stream->due == ENTRIES_DUE)
		error = stream_flush(stream);
	if (error)
		return error;
	if (packet->sequence < tail->next_sequence)
		return -EALREADY;
	size = packet_make_header(&stream->same, packet, &header);
	error = write_packet(stream, &header, packet, body, &size);
	if (error) {
		stream->torn = true;
		(void)cut_tail(stream);
		return error;
	}
	packet_make_index_entry(&header, tail->size, &stream->entries[stream->due++]);
	stream->packet_size = size;
	tail->size += size;
	tail->packets++;
	tail->next_sequence = packet->sequence + 1;
	return 0;
}

uint64_t stream_packet_size(const struct stream *stream)
{
	return stream->packet_size;
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
	free(stream);
}
