/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/stream/stream-parts.h"

#include <errno.h>
#include <sys/uio.h>

#include "consumerd/packet/file.h"

/* Header, body, padding, tail. */
#define PARTS_MAX 4

void stream_parts_make(struct stream_parts *parts, const struct packet_stream *same,
		       const struct lttngmap_packet *packet, const void *body, bool has_tail,
		       bool may_be_paged)
{
	parts->packet = packet;
	parts->body = body;
	parts->content = packet_make_header(same, packet, &parts->header);
	parts->size = parts->content + (has_tail ? sizeof(parts->tail) : 0);
	parts->tail.events = packet->events;
	parts->has_tail = has_tail;
	parts->is_paged = may_be_paged && direct_is_paged(packet, body);
}

void stream_parts_place(struct stream_parts *parts, uint64_t offset)
{
	parts->offset = offset;
	if (parts->is_paged)
		parts->size += -(offset + parts->size) % DIRECT_BLOCK;
	packet_pad(&parts->header, parts->size);
}

bool stream_parts_precede(const struct stream_parts *parts, const struct stream_parts *next)
{
	return next->packet->sequence > parts->packet->sequence &&
	       next->packet->timestamp_begin >= parts->packet->timestamp_end &&
	       next->is_paged == parts->is_paged;
}

/* Through the page cache. */
static int write_cached(const struct stream_parts *parts, unsigned count, int fd)
{
	static const char zeros[DIRECT_BLOCK];
	struct iovec vector[PARTS_MAX * STREAM_RUN_MAX];
	int used = 0;

	for (unsigned i = 0; i < count; i++) {
		const struct stream_parts *one = &parts[i];
		size_t tail_size = one->has_tail ? sizeof(one->tail) : 0;
		struct iovec segments[PARTS_MAX] = {
			{ (void *)&one->header, sizeof(one->header) },
			{ (void *)one->body, one->packet->length },
			{ (void *)zeros, one->size - one->content - tail_size },
			{ (void *)&one->tail, tail_size },
		};

		for (int j = 0; j < PARTS_MAX; j++)
			if (segments[j].iov_len)
				vector[used++] = segments[j];
	}
	return file_write_parts(fd, vector, used, parts->offset);
}

int stream_parts_write(const struct stream_parts *parts, unsigned count, struct direct *direct,
		       enum direct_state *state, int fd)
{
	int error = -EAGAIN;

	if (parts->is_paged && parts->offset % DIRECT_BLOCK == 0)
		error = direct_write(direct, state, fd, parts, count);
	if (error != -EAGAIN)
		return error;
	direct_leave(state, fd);
	return write_cached(parts, count, fd);
}
