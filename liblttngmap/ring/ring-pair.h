/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-pair.h - latencies: the first event of a pair leaves its time in a table that all threads of
 * the user's processes share, and the second one takes it out and counts the time between
 * (struct lttngmap_map_pair in lttngmap/abi.h; doc/design/maps.md).
 *
 * An entry is read and exchanged as a whole, so that nobody waits: on a thread with a restartable
 * sequence the exchange is the last instruction of one, with all checks of ring-rseq.h.
 */
#ifndef LIBLTTNGMAP_RING_RING_PAIR_H
#define LIBLTTNGMAP_RING_RING_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "liblttngmap/base/local.h"
#include "liblttngmap/ring/filter.h"
#include "liblttngmap/ring/ring.h"

/*
 * Count an event in a map of latencies. `channel` is a copy of the cached channel, of `epoch`.
 * `by_rseq`: this thread may write a CPU's table. `key` has the event's roles; `scale`: nanoseconds
 * of a tick of the clock, times 2^32. RING_WRITTEN, RING_STALE or RING_GONE. Signal-safe; never
 * waits.
 */
enum ring_result ring_pair_count(const struct local *local, const struct ring_channel *channel,
				 uint64_t epoch, bool by_rseq, const struct filter_key *key,
				 uint64_t scale);

#endif /* LIBLTTNGMAP_RING_RING_PAIR_H */
