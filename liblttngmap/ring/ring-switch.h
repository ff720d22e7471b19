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
 * first sub-buffer. WRITTEN: *move is prepared; AGAIN: no move is needed any more;
 * FULL; ENDED.
 */
enum ring_result ring_switch_prepare(const struct ring_channel *channel, struct lttngmap_ring *ring,
				     uint64_t total, struct ring_move *move);

/*
 * That move was made. If it leaves a full sub-buffer behind, and the reader does not look by
 * itself, or would come late, this rings the bell.
 */
void ring_switch_tell(const struct local *local, const struct ring_channel *channel,
		      struct lttngmap_ring *ring, const struct ring_move *move);

#endif /* LIBLTTNGMAP_RING_RING_SWITCH_H */
