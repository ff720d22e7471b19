/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-packet.h - from an extent of a kernel's sub-buffer to packets of ours.
 *
 * For a kernel's ring lttngmap_ring_file_get_packet() gives the kernel's events in a
 * sub-buffer from `offset` on (LTTNGMAP_PACKET_KERNEL). The sub-buffer begins with a time; each
 * event has but a difference to the one before, so the way to `offset` is walked for the time
 * alone, where the cursor does not know it already:
 *
 *   page                     offset               offset + length
 *   | time:64 | commit:64 | events ... | events, new ... |
 *                         '- walked ---'- converted -----'
 *
 * Our body has the records of lttngmap/abi.h. Mostly one packet of ours comes
 * of one of the kernel's, more of them where the body is full, or where the
 * kernel's ring was idle for so long that 48 bits do not tell the time. A
 * packet is made anew, the same, as often as wanted: the caller keeps the
 * cursor, and takes the next one when the packet is on disk.
 *
 * Pure functions: no file, no state of their own. With any bytes in the sub-buffer,
 * they read nothing beyond offset + length, and write nothing beyond the body.
 */
#ifndef CONSUMERD_KERNEL_KERNEL_PACKET_H
#define CONSUMERD_KERNEL_KERNEL_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lttngmap/ring-file.h>

#include "consumerd/kernel/kernel-plan.h"

/* A good size of a body: what the kernel's largest sub-buffers become, mostly. */
#define KERNEL_PACKET_ROOM (256u << 10)

/* Where one ring (one CPU) is. All zeros at first. */
struct kernel_cursor {
	uint64_t sequence; /* of the next packet; a consumer that goes on sets it, and `after` */
	uint64_t dropped;  /* events so far without a class, or too long for a body */
	uint64_t told;     /* lost ones that packets told of so far, dropped ones among them */
	uint64_t last;     /* clock of the last record */
	uint64_t after;    /* events up to this time are left out: an earlier consumer wrote them */
	/* In which sub-buffer, up to where, and the clock there. */
	uint64_t page_time;
	uint64_t time;
	uint32_t subbuf_id;
	uint32_t at;
};

struct kernel_converted {
	/*
	 * For packet_make_header(): length, clock and events of the body; `discarded` is the sum of
	 * the kernel's losses and the dropped events. Its flags and offset are 0.
	 */
	struct lttngmap_packet packet;
	struct kernel_cursor next; /* the cursor behind it */
	bool more;                 /* the kernel's packet has more: once more, with `next` */
	bool is_empty;             /* no event, no news of lost ones: not to be written */
};

/*
 * `page` is where the sub-buffer begins: the packet's data - packet->offset.
 * `body` has `room` bytes; a record that is larger is dropped.
 * 0; -EBADMSG: from here on the sub-buffer has what cannot be.
 */
int kernel_packet_convert(const struct kernel_plan *plan, const struct kernel_cursor *cursor,
			  const struct lttngmap_packet *packet, const void *page, void *body,
			  size_t room, struct kernel_converted *converted);

#endif /* CONSUMERD_KERNEL_KERNEL_PACKET_H */
