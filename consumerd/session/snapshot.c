/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/session/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/map-guard.h"

/* A header and what pads it to whole blocks, at most. */
#define PACKET_MORE 8192u

static int make_room(struct snapshot *snapshot, size_t bytes)
{
	if (snapshot->nr_packets == snapshot->room) {
		size_t room = snapshot->room ? 2 * snapshot->room : 16;
		struct snapshot_packet *packets =
			reallocarray(snapshot->packets, room, sizeof(*packets));

		if (!packets)
			return -ENOMEM;
		snapshot->packets = packets;
		snapshot->room = room;
	}
	if (snapshot->size - snapshot->used < bytes) {
		size_t size = snapshot->used + bytes > 2 * snapshot->size ? snapshot->used + bytes
									  : 2 * snapshot->size;
		char *more = realloc(snapshot->bytes, size);

		if (!more)
			return -ENOMEM;
		snapshot->bytes = more;
		snapshot->size = size;
	}
	return 0;
}

/* One more, an older one. 0, -EAGAIN: there is none; or another -errno. */
static int take_packet(struct snapshot *snapshot, struct lttngmap_ring_file *file,
		       struct lttngmap_packet *packet)
{
	const void *body;
	int error = lttngmap_ring_file_get_packet(file, packet);

	if (error)
		return error;
	body = lttngmap_ring_file_data(file, packet);
	if (!body)
		return -EBADMSG;
	error = make_room(snapshot, packet->length);
	if (error)
		return error;
	error = map_guard_copy(snapshot->bytes + snapshot->used, body, packet->length);
	if (error == 0)
		error = lttngmap_ring_file_check_packet(file);
	return error == -ESTALE || error == -ENODATA ? -EAGAIN : error;
}

static void count_from_oldest(struct snapshot *snapshot)
{
	uint64_t before;

	if (snapshot->nr_packets == 0)
		return;
	before = snapshot->packets[snapshot->nr_packets - 1].packet.discarded;
	for (size_t i = 0; i < snapshot->nr_packets; i++) {
		uint64_t *discarded = &snapshot->packets[i].packet.discarded;

		*discarded = *discarded > before ? *discarded - before : 0;
	}
}

int snapshot_take(struct snapshot *snapshot, struct lttngmap_ring_file *file, uint32_t cpu,
		  uint64_t size_max)
{
	uint64_t newer = UINT64_MAX, size = 0;
	int error;

	snapshot->nr_packets = 0;
	snapshot->used = 0;
	for (;;) {
		struct lttngmap_packet packet = { .cpu = cpu, .flags = LTTNGMAP_PACKET_BACKWARD };

		error = take_packet(snapshot, file, &packet);
		/* A daemon that was started again begins with the newest again. */
		if (error || packet.sequence >= newer)
			break;
		size += packet.length + PACKET_MORE;
		if (size_max && size > size_max)
			break;
		newer = packet.sequence;
		snapshot->packets[snapshot->nr_packets++] =
			(struct snapshot_packet){ .packet = packet, .at = snapshot->used };
		snapshot->used += packet.length;
	}
	count_from_oldest(snapshot);
	return error == -EAGAIN ? 0 : error;
}

void snapshot_free(struct snapshot *snapshot)
{
	free(snapshot->packets);
	free(snapshot->bytes);
	*snapshot = (struct snapshot){ .packets = NULL };
}
