/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/ring/ring.h"

#include <time.h>

#include "liblttngmap/base/arch.h"
#include "liblttngmap/base/descriptors.h"

uint64_t ring_clock(enum lttngmap_clock clock)
{
	struct timespec now;

	if (LIKELY(clock == LTTNGMAP_CLOCK_TSC))
		return arch_ticks();
	/* The vDSO's: neither a system call nor errno where it is there. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

bool ring_doorbell(const struct local *local)
{
	static const uint64_t one = 1;
	/* Acquire, and first: a child that is forked between must not find 0, a file of its own. */
	int fd = __atomic_load_n(&local->doorbell, __ATOMIC_ACQUIRE);
	const struct lttngmap_process *process = __atomic_load_n(&local->process, __ATOMIC_RELAXED);

	if (!process || fd < 0 ||
	    (__atomic_load_n(&process->flags, __ATOMIC_RELAXED) & LTTNGMAP_PROCESS_NO_DOORBELL))
		return false;
	/* The daemon notices a moment later that the program closed it. */
	if (!descriptors_has_doorbell(fd))
		return false;
	arch_syscall(SYS_write, fd, &one, sizeof(one));
	return true;
}

void ring_discard(struct local *local, struct lttngmap_ring *ring, uint64_t events)
{
	__atomic_add_fetch(ring ? &ring->discards : &local->lost, events, __ATOMIC_RELAXED);
}
