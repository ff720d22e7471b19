/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * stream-direct.h - packets that go from the ring's pages to the disk without
 * a copy.
 *
 * A sub-buffer's records begin where a packet's header ends on disk
 * (LTTNGMAP_SUBBUF_HEAD), so that block n of the packet is page n of the
 * sub-buffer, but for the first, which has the header. Where a packet begins
 * at a block, O_DIRECT takes the pages as they are. Measured with sub-buffers
 * of 512 KiB on ext4: 0.09 s of CPU time per GB against 0.4 to 0.9 s through
 * the page cache.
 *
 * The page cache is the better place while the disk is slow: it takes what
 * comes in bursts. So a slow direct write makes all streams go through it for
 * a while.
 */
#ifndef CONSUMERD_STREAM_STREAM_DIRECT_H
#define CONSUMERD_STREAM_STREAM_DIRECT_H

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/ring-file.h>

#include "common/protocol/ctf.h"
#include "consumerd/trace/trace.h"

#define DIRECT_BLOCK 4096u

/* One for all streams of a consumer. */
struct direct {
	char *blocks;           /* the first and the last of a packet; made when first needed */
	uint64_t not_before_ns; /* CLOCK_MONOTONIC: until then, the page cache */
};

/* State of one open stream file. */
enum direct_state {
	DIRECT_OFF, /* written through the page cache now */
	DIRECT_ON,  /* O_DIRECT is set */
	DIRECT_NO,  /* the file system cannot */
};

void direct_destroy(struct direct *direct);

/* Is `body`, which the packet describes, in whole pages that are worth it? */
bool direct_is_paged(const struct lttngmap_packet *packet, const void *body);

/*
 * Write header and body, `content` bytes, at `offset`, and what is beyond up to
 * `size`, both multiples of DIRECT_BLOCK. `tail`, unless NULL, is to be the last
 * of that, beyond the content. 0: it is there; -EAGAIN: not this way, or not now: write
 * it through the page cache; O_DIRECT is off again.
 */
int direct_write(struct direct *direct, enum direct_state *state, int fd,
		 const struct ctf_packet_header *header, const void *body, uint64_t content,
		 const struct trace_tail *tail, uint64_t size, uint64_t offset);
/* O_DIRECT off, for what is written through the page cache. */
void direct_leave(enum direct_state *state, int fd);

#endif /* CONSUMERD_STREAM_STREAM_DIRECT_H */
