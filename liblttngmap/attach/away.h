/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * away.h - events while the daemon is away, between an orderly end and the start of the
 * next one, which goes on with the sessions (doc/design/surviving.md).
 *
 * The daemon that ends withdraws the channels, and leaves event words, process words and
 * filters as they are. So an event that would have been recorded comes to the slow path,
 * finds its channel withdrawn, and is counted here, by slot. Once the process is registered
 * with the next daemon, the counts go into the discards of the new rings. After a minute
 * without a daemon all events are off, and none is counted (park_or_wait() of module.c).
 *
 * Synchronization: counts are atomic. A thread that counted in pages which the process has left
 * carries the counts to the new pages itself. The thread that changes `local_pages` carries the
 * counts from before the change. Each does so behind a full fence, so one of the two sees the
 * other.
 */
#ifndef LIBLTTNGMAP_ATTACH_AWAY_H
#define LIBLTTNGMAP_ATTACH_AWAY_H

#include <stdint.h>

#include "liblttngmap/base/local.h"
#include "liblttngmap/ring/ring.h"

/* The channel of the slot is not there: count the event if the daemon is away. Signal-safe. */
void away_lose(struct local *local, uint32_t slot, const struct ring_event *event);
/*
 * A forked child could not register: if the daemon is away, count the event in each channel in
 * which its word and the parent's process word have it on. No filter is asked. False: the daemon
 * is not away. Signal-safe.
 */
bool away_lose_word(struct local *local, const uint64_t *word);
/* `to` is in the place of `from` now, which may be NULL. Signal-safe. */
void away_carry(struct local *from, struct local *to);
/* The channel is there: its counts go into its first ring. Signal-safe. */
void away_settle(struct local *local, uint32_t slot, const struct ring_channel *cached);

#endif /* LIBLTTNGMAP_ATTACH_AWAY_H */
