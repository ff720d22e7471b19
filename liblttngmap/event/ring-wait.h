/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef LIBLTTNGMAP_EVENT_RING_WAIT_H
#define LIBLTTNGMAP_EVENT_RING_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "liblttngmap/ring/ring.h"

/*
 * Wait for space in blocking mode; false: it took too long, or the daemon is
 * gone. *deadline is 0 at the first call for a record. Signal-safe.
 */
bool ring_wait(struct local *local, const struct ring_channel *channel, struct lttngmap_ring *ring,
	       uint64_t *deadline);

#endif /* LIBLTTNGMAP_EVENT_RING_WAIT_H */
