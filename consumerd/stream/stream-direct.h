/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * stream-direct.h - packets that go from the ring's pages to the disk without
 * a copy.
 *
 * A sub-buffer's records begin where a packet's header ends on disk
 * (LTTNGMAP_SUBBUF_HEAD), so that block n of the packet is page n of the
 * sub-buffer, but for the first, which has the header. Where a packet begins
 * at a block, O_DIRECT takes the pages as they are. Measured on ext4: 0.09 s
 * of CPU time per GB by writes of 512 KiB, and 0.04 s by writes of 4 MiB,
 * against 0.24 s through the page cache.
 *
 * The page cache is the better place while the disk is slow: it takes what
 * comes in bursts. So if direct writes make the consumer late, all streams go
 * through the page cache for a while.
 */
#ifndef CONSUMERD_STREAM_STREAM_DIRECT_H
#define CONSUMERD_STREAM_STREAM_DIRECT_H

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/ring-file.h>

#define DIRECT_BLOCK 4096u

/* One for all streams of a consumer. */
struct direct {
	char *blocks;           /* the first and the last of each packet; made when first needed */
	uint64_t not_before_ns; /* CLOCK_MONOTONIC: until then, the page cache */
	uint64_t end_ns;        /* of the last write */
	int64_t behind_ns;      /* writes took so much longer than a quick disk's, less idle time */
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

struct stream_parts;

/*
 * Writes `count` packets that lie behind each other in the file, by one system call. Their offsets
 * and sizes are multiples of DIRECT_BLOCK. 0: they are there; -EAGAIN: not this way, or not now:
 * write them through the page cache; O_DIRECT is off again.
 */
int direct_write(struct direct *direct, enum direct_state *state, int fd,
		 const struct stream_parts *parts, unsigned count);
/* O_DIRECT off, for what is written through the page cache. */
void direct_leave(enum direct_state *state, int fd);

#endif /* CONSUMERD_STREAM_STREAM_DIRECT_H */
