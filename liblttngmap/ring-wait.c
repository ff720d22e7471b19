/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "ring-wait.h"

#include <errno.h>
#include <linux/futex.h>
#include <time.h>

#include "arch.h"
#include "attach.h"
#include "ring-switch.h"

/* A daemon that frees space wakes the waiters; this is for a daemon that died. */
#define WAIT_STEP_NS 50000000

bool ring_wait(struct local *local, const struct ring_channel *channel, struct lttngmap_ring *ring,
	       uint64_t *deadline)
{
	const struct timespec step = { .tv_nsec = WAIT_STEP_NS };
	uint64_t now = ring_clock(LTTNGMAP_CLOCK_MONOTONIC);
	struct ring_move move;
	uint32_t space;
	long result;

	if (!*deadline)
		*deadline = channel->blocking_timeout_ms
				    ? now + channel->blocking_timeout_ms * UINT64_C(1000000)
				    : UINT64_MAX;
	if (now >= *deadline)
		return false;

	/*
	 * The daemon frees a slot, counts `space` up, then looks at `waiters`.
	 * We read `space`, set `waiters`, then look at the slot: full barriers
	 * on both sides, so either we see the slot or the futex sees the count.
	 */
	space = __atomic_load_n(&ring->space, __ATOMIC_SEQ_CST);
	__atomic_store_n(&ring->waiters, 1, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (ring_switch_prepare(channel, ring, channel->offset_limit, &move) != RING_FULL)
		return true;
	result = arch_syscall(SYS_futex, &ring->space, FUTEX_WAIT, space, &step);
	/* EINTR too: where signals come often, no wait ever lasts its time. */
	return (result != -ETIMEDOUT && result != -EINTR) || attach_is_alive(local);
}
