/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * stream.h - one CTF stream file, of one process, channel and CPU, and the
 * index beside it.
 *
 * Packets are written whole or not at all: a write that fails is undone.
 * Index entries are written in batches, in a spool one by one, always after their packets; what a
 * crash takes of them is found again in the packets (stream-repair.h).
 *
 * With limits, the files are NAME_0, NAME_1, …, one stream to readers.
 *
 * Streams outnumber descriptors: a pool keeps the most recently used open.
 */
#ifndef CONSUMERD_STREAM_STREAM_H
#define CONSUMERD_STREAM_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include <urcu/list.h>

#include <lttngmap/ring-file.h>

#include "consumerd/packet/packet.h"
#include "consumerd/stream/stream-direct.h"
#include "consumerd/trace/stream-repair.h"
#include "consumerd/trace/trace.h"

struct stream_pool {
	struct cds_list_head open; /* the one used longest ago first */
	unsigned nr_open;
	unsigned max_open;
	struct direct direct;
};

void stream_pool_init(struct stream_pool *pool, unsigned max_open);
/* Its streams are gone. */
void stream_pool_destroy(struct stream_pool *pool);

/* How a stream is cut into files; zeros: into one. */
struct stream_limits {
	uint64_t file_size;  /* bytes at most; no packet is larger */
	uint64_t file_count; /* then the oldest goes; 0: none does */
};

struct stream;

/*
 * A stream of `trace`, which must outlive it, as must the pool. No file is
 * touched before the first packet. `name` is the file's, and `procname` what
 * its packets shall say. NULL: no memory, or a name that is too long.
 */
struct stream *stream_create(struct trace *trace, struct stream_pool *pool, const char *name,
			     const char *procname, uint32_t stream_id);
/* Before the first packet. */
void stream_limit(struct stream *stream, const struct stream_limits *limits);
/* Closes the files; entries that were not flushed are lost, and found by repair. */
void stream_destroy(struct stream *stream);

/* 0: no packet of that sequence number, or a later one, is on disk. -EALREADY; -errno. */
int stream_check_new(struct stream *stream, uint64_t sequence);
/* Where its (last) file ends; valid until the stream is used again. 0 or -errno. */
int stream_find_end(struct stream *stream, const struct stream_tail **tail);
/*
 * Write a packet. 0: it is on disk now. -EALREADY: it was, by its sequence number. -ESTALE: it
 * begins before the last one ended, and nothing is written. -EEXIST: the file is not of this
 * trace. Another -errno: nothing of the packet is in the file, and it may be tried again.
 */
int stream_write(struct stream *stream, const struct lttngmap_packet *packet, const void *body);
/* A packet to be written, and its bytes. */
struct stream_packet {
	const struct lttngmap_packet *packet;
	const void *body;
};
/*
 * The same of up to LTTNGMAP_PACKETS_MAX packets, by one system call. 0: the first `*written` of
 * them are on disk, at least one; otherwise the result is the first packet's.
 */
int stream_write_run(struct stream *stream, const struct stream_packet *packets, unsigned count,
		     unsigned *written);
/* Write the index entries that are due. 0 or -errno: they stay due. */
int stream_flush(struct stream *stream);

/* No packet comes any more, and all entries are written: that is noted. */
void stream_end(const struct stream *stream);

/* Bytes on disk of what the last call wrote. */
uint64_t stream_written_size(const struct stream *stream);
bool stream_is_dirty(const struct stream *stream);
const char *stream_name(const struct stream *stream);

#endif /* CONSUMERD_STREAM_STREAM_H */
