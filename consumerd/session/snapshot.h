/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * snapshot.h - what one ring holds, copied while its writer goes on.
 *
 * From the newest packet back (LTTNGMAP_PACKET_BACKWARD), until one was
 * overwritten before its copy was checked, or there is enough. So what is
 * copied ends with the newest, and has no gap. Written it is the other way
 * round; that takes as much memory as the ring has.
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
 * Copy what ring `cpu` of the file holds, of what is `size_max` bytes on disk
 * at most (0: all), in place of what was there. `discarded` counts from the
 * oldest packet on. 0; -EINVAL: there is no such ring; another -errno.
 */
int snapshot_take(struct snapshot *snapshot, struct lttngmap_ring_file *file, uint32_t cpu,
		  uint64_t size_max);
void snapshot_free(struct snapshot *snapshot);

#endif /* CONSUMERD_SESSION_SNAPSHOT_H */
