/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-kernel.h - continues a kernel ring in the stream that an earlier consumer wrote.
 *
 * The kernel numbers no packets, forgets what a dead reader was given, and counts
 * losses for each reader anew. The stream tells where an earlier consumer ended: by its
 * last packet's time, number and losses. The sub-buffer that this consumer was given last is
 * read once more, and events up to that time are left out. Within one CPU no two
 * events that are committed one after the other have the same time.
 */
#ifndef CONSUMERD_SESSION_RING_KERNEL_H
#define CONSUMERD_SESSION_RING_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "consumerd/kernel/kernel-packet.h"
#include "consumerd/session/output-session.h"
#include "consumerd/stream/stream.h"

/* Zeros: nothing was asked for yet. */
struct ring_kernel {
	bool has_end;       /* where the stream ended when we came is known */
	uint64_t discarded; /* as the last packet on disk has it */
	uint64_t told;      /* earliest time of a packet without events */
	struct kernel_cursor cursor;
};

/* Look where the stream ends, which may be done more than once. 0 or -errno. */
int ring_kernel_begin(struct ring_kernel *kernel, struct stream *stream,
		      struct output_session_written *more);

/* Sets the request for the ring: at first the last packet of an earlier consumer. */
void ring_kernel_request(const struct ring_kernel *kernel, struct lttngmap_packet *packet);
/*
 * Write the packet, a part of the sub-buffer `subbuf`, as the plan has it.
 * *more counts what was written, also if an error followed. 0 or -errno: the rest may be
 * tried again; -EBADMSG: it is no such packet.
 */
int ring_kernel_write(struct ring_kernel *kernel, struct output_session_shared *shared,
		      const struct kernel_plan *plan, struct stream *stream,
		      const struct lttngmap_packet *packet, const void *subbuf,
		      struct output_session_written *more);

#endif /* CONSUMERD_SESSION_RING_KERNEL_H */
