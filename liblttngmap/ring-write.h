/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef LTTNGMAP_RING_WRITE_H
#define LTTNGMAP_RING_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "local.h"

/*
 * Write one record to a channel, wherever it goes, or count it as lost.
 * `slot` says which channel for the case that the view must be read anew.
 * Signal-safe; see lttngmap_event_write().
 */
void ring_write(struct local *local, uint32_t slot, uint32_t id, const void *fields, size_t size);

#endif /* LTTNGMAP_RING_WRITE_H */
