/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * stream-reuse.h - finds room in a spool's stream file whose packets the collector has confirmed
 * (stream-circle.h). The sender's notes tell: common/protocol/relay-journal.h,
 * common/protocol/relay-progress.h.
 *
 * sendfile() queues the file's own pages. The kernel may send them, or a collector on this
 * machine may read them, long after the connection was lost; they must be unchanged then. So
 * room in a file that had packets on the way when a connection was lost is not used again.
 * New files are: those of programs that start, and of the next chunk.
 */
#ifndef CONSUMERD_STREAM_STREAM_REUSE_H
#define CONSUMERD_STREAM_STREAM_REUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "consumerd/stream/stream-circle.h"
#include "consumerd/trace/stream-repair.h"
#include "consumerd/trace/trace.h"

struct reuse {
	struct circle circle;
	uint64_t inode;  /* of the index; 0: not begun */
	uint64_t slot;   /* of its sender's journal; 0: not known */
	uint64_t looked; /* packets there were when it was looked for */
	uint64_t lost;   /* connections, when the file was begun */
};

/* Zeros are to be begun, with what is in the file. 0; -ESTALE: no room of it is free again; -errno.
 */
int reuse_begin(struct reuse *reuse, struct trace *trace, int index_fd,
		const struct stream_tail *tail);
/*
 * Where `size` bytes of the stream file NAME go, *place; they are there after circle_take().
 * -ESTALE: from now on, at its end.
 */
int reuse_find(struct reuse *reuse, struct trace *trace, const char *name, uint64_t size,
	       const struct stream_tail *tail, struct circle_place *place);

#endif /* CONSUMERD_STREAM_STREAM_REUSE_H */
