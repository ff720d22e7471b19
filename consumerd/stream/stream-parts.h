/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * stream-parts.h - the bytes of packets as a stream file has them, and one system call that writes
 * several packets.
 *
 *   offset                                                     offset + size
 *   | header | body: the ring's own bytes | padding | tail |   the next packet
 *   '------------- content --------------'
 */
#ifndef CONSUMERD_STREAM_STREAM_PARTS_H
#define CONSUMERD_STREAM_STREAM_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/ring-file.h>

#include "common/protocol/ctf.h"
#include "consumerd/packet/packet.h"
#include "consumerd/stream/stream-direct.h"
#include "consumerd/trace/trace.h"

/* Packets in one system call: as many as the daemon gives at a time. */
#define STREAM_RUN_MAX LTTNGMAP_PACKETS_MAX

struct stream_parts {
	struct ctf_packet_header header;
	const struct lttngmap_packet *packet;
	const void *body;
	uint64_t offset;
	uint64_t content; /* bytes of header and body */
	uint64_t size;    /* bytes of all */
	struct trace_tail tail;
	bool has_tail; /* the stream has limits */
	/* Body and file share their page boundaries: padded up to a block, so that O_DIRECT can
	 * write this packet and the next one. */
	bool is_paged;
};

/* Makes all but the place. `may_be_paged`: nobody needs the packet in the page cache at once. */
void stream_parts_make(struct stream_parts *parts, const struct packet_stream *same,
		       const struct lttngmap_packet *packet, const void *body, bool has_tail,
		       bool may_be_paged);
void stream_parts_place(struct stream_parts *parts, uint64_t offset);
/*
 * True if a reader may find `next` right behind `parts` in one stream: then they can be written
 * together. `parts` has its place.
 */
bool stream_parts_precede(const struct stream_parts *parts, const struct stream_parts *next);
/*
 * Writes `count` packets that lie behind each other, past the page cache if they are paged and the
 * disk is quick. 0 or -errno: anything may be there then.
 */
int stream_parts_write(const struct stream_parts *parts, unsigned count, struct direct *direct,
		       enum direct_state *state, int fd);

#endif /* CONSUMERD_STREAM_STREAM_PARTS_H */
