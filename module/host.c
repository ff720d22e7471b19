// SPDX-License-Identifier: GPL-2.0
// SPDX-FileCopyrightText: 2026 The lttngmap authors
/* host.c - what the core of the ring's reader needs of the kernel. */
#include "sessiond/ring/ring-host.h"

#include <linux/ktime.h>
#include <linux/timex.h>

uint64_t ring_host_clock(enum lttngmap_clock clock)
{
	return clock == LTTNGMAP_CLOCK_TSC ? get_cycles() : ktime_get_ns();
}

/* The memory is sealed: no process can cut it short. */
bool ring_host_is_lost(const void *address)
{
	return false;
}

/*
 * No module may wake a futex. A writer that waits looks for room by itself every 50 ms
 * (liblttngmap/event/ring-wait.c).
 */
void ring_host_wake(uint32_t *futex)
{
}
