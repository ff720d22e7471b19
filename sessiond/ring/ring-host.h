/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-host.h - all that the core of the ring's reader needs of the program that it is compiled
 * into.
 *
 * The core is ring-reader.c, ring-take.c, ring-undo.c and ring-back.c: they read and check a ring,
 * take sub-buffers and give them back. They call nothing but these functions and memcpy(); they
 * allocate nothing and have no lock of their own. tests/integration/ring-core.sh checks that.
 */
#ifndef SESSIOND_RING_RING_HOST_H
#define SESSIOND_RING_RING_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/abi.h>

/* Timestamps up to that many ticks after ring_host_clock() are believed: CPUs' clocks differ. */
#define RING_HOST_CLOCK_SLACK (UINT64_C(1) << 32)

/* The time of the clock that events have, in ticks. Any thread. */
uint64_t ring_host_clock(enum lttngmap_clock clock);
/* True if the memory at the address was cut short by its process: then it reads as zeros. */
bool ring_host_is_lost(const void *address);
/* Wakes all threads that wait on the futex, in any process. */
void ring_host_wake(uint32_t *futex);

#endif /* SESSIOND_RING_RING_HOST_H */
