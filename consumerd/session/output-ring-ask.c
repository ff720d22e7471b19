/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * output-ring-ask.c - when a ring is asked for packets, and whether its reader is awake meanwhile.
 */
#include "consumerd/session/output-ring-private.h"

#include "common/base/time.h"

/* Packets at a time that make it worth to stay awake. */
#define AWAKE_PACKETS 2

/* A full sub-buffer is to be on disk within 20 ms: a step, 1 ms of its timer's, and two writes. */
#define STEP_MAX_USEC UINT64_C(14000)
#define STEP_MIN_USEC UINT64_C(1000)

int output_ring_next_packet(struct output_ring *ring)
{
	struct lttngmap_packet *first = ring->given.packets;
	int error;

	if (ring->next >= ring->given.count) {
		*first = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY };
		if (ring->is_kernel)
			ring_kernel_request(&ring->kernel, first);
		else if (ring->is_awake)
			first->flags = LTTNGMAP_PACKET_AWAKE;
		ring->has_said_awake = first->flags & LTTNGMAP_PACKET_AWAKE;
		ring->asked_usec = time_now_usec();
		ring->given.count = LTTNGMAP_PACKETS_MAX;
		ring->next = 0;
		error = lttngmap_ring_file_get_packets(ring->file, &ring->given);
		if (error) {
			ring->given.count = 0;
			return error;
		}
		ring->given_now += ring->given.count;
		if (ring->given_now >= AWAKE_PACKETS)
			ring->is_awake = !ring->is_kernel;
	}
	ring->packet = ring->given.packets[ring->next++];
	ring->holding = true;
	return 0;
}

/*
 * Has the ring asked again when as many packets as an answer can have will be there, if they come
 * as fast as those since the last step did. False if it cannot be.
 */
static bool wait_for_more(struct output_ring *ring)
{
	uint64_t step = ring->asked_usec - ring->stepped_usec;

	step = step / ring->given_now * LTTNGMAP_PACKETS_MAX;
	step = step > STEP_MAX_USEC ? STEP_MAX_USEC : step < STEP_MIN_USEC ? STEP_MIN_USEC : step;
	ring->stepped_usec = ring->asked_usec;
	ring->given_now = 0;
	return turn_add_later(&output_ring_shared(ring)->turns, &ring->turn,
			      ring->asked_usec + step);
}

bool output_ring_is_asked_again(struct output_ring *ring)
{
	bool stays = ring->is_awake && ring->given_now >= AWAKE_PACKETS && wait_for_more(ring);
	bool sleeps = ring->is_awake && !stays;

	ring->given_now = 0;
	ring->is_awake = stays;
	return sleeps;
}

bool output_ring_is_asked_later(struct output_ring *ring)
{
	return ring->next == ring->given.count &&
	       ring->given.packets[ring->next - 1].flags & LTTNGMAP_PACKET_LAST &&
	       ring->has_said_awake && ring->given_now >= AWAKE_PACKETS && wait_for_more(ring);
}
