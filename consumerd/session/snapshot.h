/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * snapshot.h - copies one ring's packets while its writer goes on.
 *
 * The copy goes from the newest packet backward (LTTNGMAP_PACKET_BACKWARD). It ends at
 * the first packet that was overwritten before its check, or at the size limit. So it
 * has no gap. The packets are written oldest first, hence the copy takes as much memory
 * as the ring.
 */
#ifndef CONSUMERD_SESSION_SNAPSHOT_H
#define CONSUMERD_SESSION_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

#include <lttngmap/ring-file.h>

struct snapshot_packet {
	struct lttngmap_packet packet;
	size_t at; /* its records, in `bytes` */
};

/* All zeros is an empty one; used again and again. */
struct snapshot {
	struct snapshot_packet *packets; /* the newest first */
	size_t nr_packets, room;
	char *bytes;
	size_t used, size;
};

/*
 * Copies the newest packets of ring `cpu`, at most `size_max` bytes as written to disk (0: no
 * limit), in place of an earlier copy. `discarded` counts from the oldest packet on. 0; -EINVAL:
 * there is no such ring; another -errno.
 */
int snapshot_take(struct snapshot *snapshot, struct lttngmap_ring_file *file, uint32_t cpu,
		  uint64_t size_max);
void snapshot_free(struct snapshot *snapshot);

#endif /* CONSUMERD_SESSION_SNAPSHOT_H */
