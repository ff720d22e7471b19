/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/session/ring-kernel.h"

#include <errno.h>
#include <stdlib.h>

int ring_kernel_begin(struct ring_kernel *kernel, struct stream *stream,
		      struct output_session_written *more)
{
	const struct stream_tail *tail;
	int error;

	if (kernel->has_end)
		return 0;
	error = stream_find_end(stream, &tail);
	if (error)
		return error;
	kernel->has_end = true;
	kernel->discarded = tail->discarded;
	kernel->cursor.after = tail->timestamp_end;
	/*
	 * Gives a packet that reports losses only this time, and not one before the stream's end.
	 */
	kernel->cursor.last = tail->timestamp_end;
	kernel->cursor.sequence = tail->next_sequence;
	more->overrun += tail->discarded;
	return 0;
}

void ring_kernel_request(const struct ring_kernel *kernel, struct lttngmap_packet *packet)
{
	packet->flags = LTTNGMAP_PACKET_REPEAT;
	packet->timestamp_end = kernel->cursor.after;
	packet->discarded = kernel->discarded;
}

static int make_room(struct output_session_shared *shared)
{
	void *copy;

	if (shared->copy_size >= KERNEL_PACKET_ROOM)
		return 0;
	copy = realloc(shared->copy, KERNEL_PACKET_ROOM);
	if (!copy)
		return -ENOMEM;
	shared->copy = copy;
	shared->copy_size = KERNEL_PACKET_ROOM;
	return 0;
}

/*
 * No reader takes events from before the stream's end: in their place, what tells that they
 * are lost.
 */
static int write_loss(struct stream *stream, struct kernel_converted *made)
{
	struct lttngmap_packet *packet = &made->packet;
	const struct stream_tail *tail;
	int error = stream_find_end(stream, &tail);

	if (error)
		return error;
	packet->discarded += packet->events;
	made->next.dropped += packet->events;
	made->next.told += packet->events;
	made->next.last = tail->timestamp_end;
	packet->events = 0;
	packet->length = 0;
	packet->timestamp_begin = tail->timestamp_end;
	packet->timestamp_end = tail->timestamp_end;
	return stream_write(stream, packet, NULL);
}

/* One packet of ours. 0 or -errno: it may be made again. */
static int write_one(struct ring_kernel *kernel, struct stream *stream,
		     struct kernel_converted *made, const void *body,
		     struct output_session_written *more)
{
	int error;

	/* Nothing but padding, or all of it is in the stream. */
	if (made->packet.events == 0 && made->packet.discarded == kernel->discarded) {
		made->next.sequence = kernel->cursor.sequence;
		return 0;
	}
	if (made->packet.events == 0 && made->packet.timestamp_end < kernel->told) {
		made->packet.timestamp_begin = made->packet.timestamp_end = kernel->told;
		made->next.last = kernel->told;
	}
	error = stream_write(stream, &made->packet, body);
	if (error == -ESTALE)
		error = write_loss(stream, made);
	if (error)
		return error;
	more->packets++;
	more->events += made->packet.events;
	more->bytes += stream_written_size(stream);
	more->overrun += made->packet.discarded - kernel->discarded;
	kernel->discarded = made->packet.discarded;
	return 0;
}

int ring_kernel_write(struct ring_kernel *kernel, struct output_session_shared *shared,
		      const struct kernel_plan *plan, struct stream *stream,
		      const struct lttngmap_packet *packet, const void *subbuf,
		      struct output_session_written *more)
{
	struct kernel_converted made = { .more = true };
	int error = ring_kernel_begin(kernel, stream, more);

	if (!error)
		error = make_room(shared);
	if (error)
		return error;
	while (made.more) {
		error = kernel_packet_convert(plan, &kernel->cursor, packet, subbuf, shared->copy,
					      shared->copy_size, &made);
		if (!error)
			error = write_one(kernel, stream, &made, shared->copy, more);
		if (error)
			return error;
		kernel->cursor = made.next;
	}
	return 0;
}
