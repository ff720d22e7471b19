/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/event/ring-wait.h"

#include <errno.h>
#include <linux/futex.h>
#include <time.h>

#include "liblttngmap/base/arch.h"
#include "liblttngmap/attach/attach.h"
#include "liblttngmap/ring/ring-switch.h"

/* A daemon that frees space wakes the waiters; this is for a daemon that died. */
#define WAIT_STEP_NS 50000000
/* For how long to believe in a daemon when our socket, which would tell, was closed. */
#define WAIT_BLIND_NS UINT64_C(1000000000)

static bool is_over(struct local *local, uint64_t now, bool has_socket, uint64_t *deadline)
{
	if (!has_socket && *deadline > now + WAIT_BLIND_NS)
		*deadline = now + WAIT_BLIND_NS;
	if (now < *deadline)
		return false;
	if (!has_socket)
		__atomic_store_n(&local->daemon_gone, true, __ATOMIC_RELAXED);
	return true;
}

bool ring_wait(struct local *local, const struct ring_channel *channel, struct lttngmap_ring *ring,
	       uint64_t *deadline)
{
	struct timespec step = { .tv_nsec = WAIT_STEP_NS };
	uint64_t now = ring_clock(LTTNGMAP_CLOCK_MONOTONIC);
	bool has_socket = attach_has_socket(local);
	struct ring_move move;
	uint32_t space;
	long result;

	if (!*deadline)
		*deadline = channel->blocking_timeout_ms
				    ? now + channel->blocking_timeout_ms * UINT64_C(1000000)
				    : UINT64_MAX;
	/* Else each event would wait until it has seen that there is no daemon. */
	if (__atomic_load_n(&local->daemon_gone, __ATOMIC_RELAXED) ||
	    is_over(local, now, has_socket, deadline))
		return false;

	/*
	 * The daemon frees a slot, counts `space` up, then looks at `waiters`.
	 * We read `space`, set `waiters`, then look at the slot: full barriers
	 * on both sides, so either we see the slot or the futex sees the count.
	 */
	space = __atomic_load_n(&ring->space, __ATOMIC_SEQ_CST);
	if (space == LTTNGMAP_SPACE_CLOSED)
		return false;
	__atomic_store_n(&ring->waiters, 1, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (ring_switch_prepare(channel, ring, channel->offset_limit, &move) != RING_FULL)
		return true;
	if (*deadline - now < WAIT_STEP_NS)
		step.tv_nsec = (long)(*deadline - now);
	result = arch_syscall(SYS_futex, &ring->space, FUTEX_WAIT, space, &step);
	/* EINTR too: where signals come often, no wait ever lasts its time. */
	if ((result != -ETIMEDOUT && result != -EINTR) || !has_socket || attach_is_alive(local))
		return true;
	__atomic_store_n(&local->daemon_gone, true, __ATOMIC_RELAXED);
	return false;
}
