/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * channel.h - a started channel as the writer sees it: read from the global
 * control under its seqlock, then cached while its generation stands.
 */
#ifndef LIBLTTNGMAP_ATTACH_CHANNEL_H
#define LIBLTTNGMAP_ATTACH_CHANNEL_H

#include <stdint.h>

#include "liblttngmap/base/local.h"
#include "liblttngmap/ring/ring.h"

/*
 * A copy of the cached channel, made anew where the cached one is not valid.
 * Attaches a forked child first. Signal-safe; may take one exchange with the
 * daemon for rings that it has not yet.
 */
enum channel_result channel_cached(struct local *local, uint32_t slot, struct ring_channel *cached);

/*
 * The process may make no system calls from now on: it has the rings of all channels that it takes
 * part in, and their filters, as far as they are to be had.
 */
void channel_prepare_all(void);

/*
 * Is the cached channel in the cache, whose generation was loaded (acquire), the channel's of now?
 * Signal-safe.
 */
static inline bool channel_is_current(const struct local *local, uint32_t slot, uint32_t generation)
{
	/* NULL in a child that was forked since. */
	const uint32_t *current =
		__atomic_load_n(&local->channels[slot].control_generation, __ATOMIC_RELAXED);

	return generation && current && __atomic_load_n(current, __ATOMIC_RELAXED) == generation;
}

/* A copy of the cached channel in the cache, where that is the channel's of now. Signal-safe. */
bool channel_is_cached(const struct local *local, uint32_t slot, struct ring_channel *cached);

/* An event is lost before it is known in which ring to count that. */
void channel_lose(struct local *local);

#endif /* LIBLTTNGMAP_ATTACH_CHANNEL_H */
