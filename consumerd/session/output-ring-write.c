/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/session/output-ring-private.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/map-guard.h"
#include "consumerd/session/live.h"

int output_ring_find_stream(struct output_ring *ring, struct stream **stream)
{
	uint32_t cpu = ring->packet.cpu;
	char name[NAME_MAX + 1];
	int length;

	if (cpu >= CPU_MAX)
		return -EBADMSG;
	if (cpu >= ring->nr_streams) {
		struct stream **streams = reallocarray(ring->streams, cpu + 1, sizeof(*streams));

		if (!streams)
			return -ENOMEM;
		memset(streams + ring->nr_streams, 0,
		       (cpu + 1 - ring->nr_streams) * sizeof(*streams));
		ring->streams = streams;
		ring->nr_streams = cpu + 1;
	}
	if (!ring->streams[cpu]) {
		if (ring->is_kernel)
			length = snprintf(name, sizeof(name), "kernel_%u", cpu);
		else
			length = snprintf(name, sizeof(name), "%s_%s_%u",
					  output_channel_name(ring->channel), ring->name, cpu);
		if (length >= (int)sizeof(name))
			return -ENAMETOOLONG;
		ring->streams[cpu] = output_session_create_stream(
			output_channel_session(ring->channel), name, ring->procname,
			output_channel_stream_id(ring->channel));
		if (!ring->streams[cpu])
			return -ENOMEM;
		stream_limit(ring->streams[cpu], output_channel_limits(ring->channel));
	}
	*stream = ring->streams[cpu];
	return 0;
}

/* *body becomes a copy, unless it is one. 0 or -errno. */
static int copy_body(struct output_ring *ring, const void **body)
{
	struct output_session_shared *shared = output_ring_shared(ring);
	int error;

	if (*body == shared->copy)
		return 0;

	if (ring->packet.length > shared->copy_size) {
		void *copy = realloc(shared->copy, ring->packet.length);

		if (!copy)
			return -ENOMEM;
		shared->copy = copy;
		shared->copy_size = ring->packet.length;
	}
	error = map_guard_copy(shared->copy, *body, ring->packet.length);
	if (error == 0)
		*body = shared->copy;
	return error;
}

/*
 * Copies a packet that the writer may overwrite meanwhile, and checks the copy. 0, -ESTALE or
 * -errno.
 */
static int copy_packet(struct output_ring *ring, const void **body)
{
	int error = copy_body(ring, body);

	return error ? error : lttngmap_ring_file_check_packet(ring->file);
}

void output_ring_count(struct output_ring *ring, const struct output_session_written *more)
{
	output_session_count(output_channel_session(ring->channel), more);
}

/* They are on disk. */
static void count_run(struct output_ring *ring, const struct stream *stream,
		      const struct stream_packet *run, unsigned written)
{
	struct output_session_written more = {
		.packets = written,
		.bytes = stream_written_size(stream),
	};

	for (unsigned i = 0; i < written; i++)
		more.events += run[i].packet->events;
	output_ring_count(ring, &more);
}

/* True if the packet is written as it lies in the ring: without a copy, and without a look at it.
 */
static bool is_plain(const struct output_ring *ring, const struct lttngmap_packet *packet)
{
	const struct output_session *session = output_channel_session(ring->channel);
	uint64_t told;

	return !(packet->flags & LTTNGMAP_PACKET_VOLATILE) &&
	       !output_session_is_foreign(session, packet) &&
	       !output_session_is_live(session, &told);
}

/*
 * Lists the packets behind the held one that can be written together with it. Of the packet that
 * is in the way the next call says why.
 */
static unsigned list_followers(const struct output_ring *ring, struct stream_packet *run)
{
	struct output_session *session = output_channel_session(ring->channel);
	unsigned count = 0;

	for (uint32_t i = ring->next; i < ring->given.count; i++) {
		const struct lttngmap_packet *packet = &ring->given.packets[i];
		const void *body = lttngmap_ring_file_data(ring->file, packet);

		if (!body || packet->cpu != ring->packet.cpu || !is_plain(ring, packet) ||
		    !output_session_may_write(session, packet))
			break;
		run[count++] = (struct stream_packet){ packet, body };
	}
	return count;
}

/* Its sub-buffer is the kernel's: ours is made of it. 0 or -errno. */
static int write_kernel(struct output_ring *ring, struct stream *stream)
{
	struct output_session *session = output_channel_session(ring->channel);
	struct lttngmap_packet whole = ring->packet;
	struct output_session_written more = { .packets = 0 };
	const void *subbuf;
	int error;

	whole.length += whole.offset;
	whole.offset = 0;
	subbuf = lttngmap_ring_file_data(ring->file, &whole);
	if (!subbuf || !(ring->packet.flags & LTTNGMAP_PACKET_KERNEL))
		return -EBADMSG;
	if (!output_session_is_live(session, &ring->kernel.told))
		ring->kernel.told = 0;
	error = ring_kernel_write(&ring->kernel, output_ring_shared(ring),
				  output_session_plan(session), stream, &ring->packet, subbuf,
				  &more);
	output_ring_count(ring, &more);
	return error;
}

static int drop_packet(struct output_ring *ring)
{
	output_ring_count(ring, &(struct output_session_written){ .overrun = ring->packet.events });
	return 0;
}

/* The control group that is charged for them has no room left, say. */
static const char no_pages[] = "pages of its process that cannot be had from swap";

/* Leaves out a packet that no reader could read; counts it, and logs it once for each ring file. */
static int set_aside(struct output_ring *ring, const struct stream *stream,
		     const struct lttngmap_packet *packet, const char *text)
{
	char why[RECORD_FAULT_TEXT_SIZE + 64];
	struct output_session_broken broken = {
		.stream = stream_name(stream),
		.program = ring->procname,
		.pid = packet->pid,
		.uid = packet->uid,
		.why = why,
	};

	snprintf(why, sizeof(why), "packet %llu: %s", (unsigned long long)packet->sequence, text);
	if (!ring->said_broken)
		ring->said_broken = output_session_report_broken(
			output_channel_session(ring->channel), &broken);
	output_ring_count(ring, &(struct output_session_written){ .broken = packet->events });
	return 0;
}

/*
 * A packet of a session that is watched: it begins with its first record, and after `told`. 0,
 * -ENODATA or -errno.
 */
static int make_live(struct output_ring *ring, struct lttngmap_packet *packet, const void **body,
		     uint64_t told)
{
	int error = 0;

	if (packet->events && packet->length >= sizeof(uint64_t))
		error = map_guard_fetch(*body, sizeof(uint64_t));
	if (error)
		return error;
	live_tighten(packet, *body, told);
	if (!live_is_late(packet, told))
		return 0;
	error = copy_body(ring, body);
	if (error == 0)
		live_move(packet, output_ring_shared(ring)->copy, told);
	return error;
}

/*
 * Writes the held packet, and those behind it that can be written with it. The kernel refuses to
 * write a page of the ring that cannot be had now, or that the process cut off: the attempt to copy
 * it tells which. 0, -ENODATA or -errno.
 */
static int write_run(struct output_ring *ring, struct stream *stream, struct stream_packet *run,
		     unsigned *written)
{
	int error = stream_write_run(stream, run, 1 + list_followers(ring, run + 1), written);

	if (error != -EFAULT)
		return error;
	error = copy_body(ring, &run->body);
	return error ? error : stream_write_run(stream, run, 1, written);
}

int output_ring_put_packet(struct output_ring *ring, struct stream *stream, const void *body)
{
	/* It may be written again. */
	struct lttngmap_packet packet = ring->packet;
	struct output_session *session = output_channel_session(ring->channel);
	bool is_foreign = output_session_is_foreign(session, &packet);
	struct stream_packet run[LTTNGMAP_PACKETS_MAX] = { { .packet = &packet } };
	char text[RECORD_FAULT_TEXT_SIZE];
	struct record_fault fault;
	uint64_t told, size;
	unsigned written;
	int error = 0;

	/* A snapshot's packet is the consumer's own copy already. */
	if (is_foreign && !output_session_is_snapshot(session, &size))
		error = copy_body(ring, &body);
	if (error == 0 && output_session_is_live(session, &told))
		error = make_live(ring, &packet, &body, told);
	if (error == -ENODATA)
		return set_aside(ring, stream, &packet, no_pages);
	if (error)
		return error;
	/* These bytes are written: nobody else can change them any more. */
	if (is_foreign && !output_session_is_sound(session, output_channel_stream_id(ring->channel),
						   &packet, body, &fault))
		return set_aside(ring, stream, &packet, record_fault_text(&fault, text));
	run[0].body = body;
	error = write_run(ring, stream, run, &written);
	if (error == -ENODATA)
		return set_aside(ring, stream, &packet, no_pages);
	if (error == -ESTALE)
		return drop_packet(ring);
	if (error)
		return error == -EALREADY ? 0 : error;
	count_run(ring, stream, run, written);
	ring->next += written - 1;
	return 0;
}

int output_ring_write_packet(struct output_ring *ring, const char **what)
{
	const void *body = lttngmap_ring_file_data(ring->file, &ring->packet);
	struct stream *stream;
	int error;

	*what = ring->name;
	if (!body)
		return -EBADMSG;
	error = output_ring_find_stream(ring, &stream);
	if (error)
		return error;
	*what = stream_name(stream);
	if (ring->is_kernel)
		return write_kernel(ring, stream);
	if (ring->packet.flags & LTTNGMAP_PACKET_VOLATILE) {
		/*
		 * One that is given again, since the daemon died meanwhile, may have
		 * been overwritten since it was written: it shall not count as overwritten.
		 */
		error = stream_check_new(stream, ring->packet.sequence);
		if (!error)
			error = copy_packet(ring, &body);
		if (error == -EALREADY)
			return 0;
		if (error == -ENODATA)
			return set_aside(ring, stream, &ring->packet, no_pages);
		if (error)
			return error == -ESTALE ? drop_packet(ring) : error;
	}
	return output_ring_put_packet(ring, stream, body);
}

int output_ring_flush(struct output_ring *ring, const char **what)
{
	int error;

	for (uint32_t cpu = 0; cpu < ring->nr_streams; cpu++) {
		struct stream *stream = ring->streams[cpu];

		if (!stream || !stream_is_dirty(stream))
			continue;
		error = stream_flush(stream);
		if (error) {
			*what = stream_name(stream);
			return error;
		}
	}
	return 0;
}
