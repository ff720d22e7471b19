/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/ring/ring-host.h"

#include <limits.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/futex.h>

#include "common/base/clock.h"
#include "common/base/map-guard.h"

_Static_assert(RING_HOST_CLOCK_SLACK == CLOCK_SLACK, "as for all who read timestamps");

uint64_t ring_host_clock(enum lttngmap_clock clock)
{
	return clock_read(clock);
}

bool ring_host_is_lost(const void *address)
{
	return map_guard_is_lost(address);
}

void ring_host_wake(uint32_t *futex)
{
	syscall(SYS_futex, futex, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
