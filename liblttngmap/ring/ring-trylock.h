/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef LIBLTTNGMAP_RING_RING_TRYLOCK_H
#define LIBLTTNGMAP_RING_RING_TRYLOCK_H

#include <stdint.h>

#include "liblttngmap/base/local.h"
#include "liblttngmap/ring/ring-lock.h"
#include "liblttngmap/ring/ring.h"

/*
 * By trylock, on any of the rings first .. last (both included), beginning
 * with `guess`. `channel` is the caller's own copy. Never AGAIN. On FULL
 * and ENDED, *full is the ring that was.
 */
enum ring_result ring_trylock_write(struct local *local, const struct ring_channel *channel,
				    uint32_t first, uint32_t last, uint32_t guess,
				    const struct ring_record *record, struct lttngmap_ring **full);

/*
 * Does this thread hold one of the channel's rings? Only a signal handler finds one: that of the
 * write which it interrupted. Signal-safe.
 */
bool ring_trylock_is_ours(struct local *local, const struct ring_channel *channel);

#endif /* LIBLTTNGMAP_RING_RING_TRYLOCK_H */
