/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef LIBLTTNGMAP_RING_RING_SWITCH_H
#define LIBLTTNGMAP_RING_RING_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

#include "liblttngmap/ring/ring.h"

/*
 * Prepare the move of a ring to its next sub-buffer for a record of `total`
 * bytes, and take the slot for it; or, before the ring's first event, into its
 * first sub-buffer. WRITTEN: *move is prepared; AGAIN: no
 * move is needed any more; FULL; ENDED.
 */
enum ring_result ring_switch_prepare(const struct ring_channel *channel, struct lttngmap_ring *ring,
				     uint64_t total, struct ring_move *move);

/* Does that move leave a full sub-buffer behind, for a reader to take? */
static inline bool ring_move_fills(const struct ring_move *move)
{
	return move->commit[0] != move->expected;
}

#endif /* LIBLTTNGMAP_RING_RING_SWITCH_H */
