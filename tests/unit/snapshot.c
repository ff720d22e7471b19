/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * snapshot.c - a packet that its writer overwrites while it is copied is not taken, nor any older
 * one. The ring is played: it has a packet overwritten, or lost, right after it was given.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/map-guard.h"
#include "consumerd/session/snapshot.h"
#include "tests/utils/tap.h"

#define LENGTH 64u

static struct {
	unsigned int packets;     /* it has */
	unsigned int given;       /* of these */
	unsigned int overwritten; /* this one, before its copy is checked; 0: none */
	bool is_lost;             /* the memory is, from then on */
	char bytes[LENGTH];
} ring;

int lttngmap_ring_file_get_packet(struct lttngmap_ring_file *file, struct lttngmap_packet *packet)
{
	(void)file;
	if (ring.given == ring.packets)
		return -EAGAIN;
	packet->sequence = ring.packets - ring.given++;
	packet->length = LENGTH;
	memset(ring.bytes, (int)packet->sequence, LENGTH);
	return 0;
}

const void *lttngmap_ring_file_data(const struct lttngmap_ring_file *file,
				    const struct lttngmap_packet *packet)
{
	(void)file;
	if (packet->sequence == ring.overwritten)
		memset(ring.bytes, 0xff, LENGTH);
	return ring.bytes;
}

int lttngmap_ring_file_check_packet(struct lttngmap_ring_file *file)
{
	(void)file;
	return ring.bytes[0] == (char)0xff ? -ESTALE : 0;
}

int map_guard_copy(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	return from == ring.bytes && ring.is_lost ? -EFAULT : 0;
}

static bool has(const struct snapshot *snapshot, unsigned int nr_packets, unsigned int newest)
{
	bool good = snapshot->nr_packets == nr_packets;

	for (size_t i = 0; good && i < nr_packets; i++) {
		const struct snapshot_packet *taken = &snapshot->packets[i];

		good = taken->packet.sequence == newest - i;
		for (size_t at = 0; good && at < LENGTH; at++)
			good = snapshot->bytes[taken->at + at] == (char)(newest - i);
	}
	return good;
}

static int take(struct snapshot *snapshot, unsigned int overwritten, bool is_lost)
{
	ring.packets = 5;
	ring.given = 0;
	ring.overwritten = overwritten;
	ring.is_lost = is_lost;
	return snapshot_take(snapshot, NULL, 0, 0);
}

int main(void)
{
	struct snapshot snapshot = { .packets = NULL };

	plan(7);
	is(take(&snapshot, 0, false), 0, "a ring that stands still");
	ok(has(&snapshot, 5, 5), "has all of its packets in the snapshot");
	is(take(&snapshot, 3, false), 0,
	   "one whose third packet is overwritten while it is copied");
	ok(has(&snapshot, 2, 5), "has the newer ones, and %zu in all", snapshot.nr_packets);
	is(take(&snapshot, 5, false), 0, "one whose newest packet is overwritten");
	is(snapshot.nr_packets, 0, "has none");
	is(take(&snapshot, 0, true), -EFAULT, "a memory that is gone under the copy is an error");
	snapshot_free(&snapshot);
	return done_testing();
}
