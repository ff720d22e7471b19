/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef LTTNGMAP_RING_SWITCH_H
#define LTTNGMAP_RING_SWITCH_H

#include <stdint.h>

#include "ring.h"

/*
 * Prepare the move of a ring to its next sub-buffer for a record of `total`
 * bytes, and take the slot for it. WRITTEN: *move is prepared; AGAIN: no
 * move is needed any more; FULL; ENDED.
 */
enum ring_result ring_switch_prepare(const struct ring_channel *channel, struct lttngmap_ring *ring,
				     uint64_t total, struct ring_move *move);

#endif /* LTTNGMAP_RING_SWITCH_H */
