/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef LIBLTTNGMAP_EVENT_RING_WRITE_H
#define LIBLTTNGMAP_EVENT_RING_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "liblttngmap/base/local.h"
#include "liblttngmap/ring/ring.h"

/*
 * Write one event to a channel, wherever it goes, or count it as lost.
 * Signal-safe; see lttngmap_event_write().
 */
void ring_write(struct local *local, uint32_t slot, const struct ring_event *event);

/*
 * The same if it can be done at the first try, by rseq and the TSC, and without filters and other
 * contexts than vtid and ip. Calls nothing. False: nothing is written, nor counted.
 */
bool ring_write_at_once(struct local *local, uint32_t slot, const struct ring_event *event);

#endif /* LIBLTTNGMAP_EVENT_RING_WRITE_H */
