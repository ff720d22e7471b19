/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-filter.h - what a filtered channel says of an event, before it goes
 * into a ring. The daemon's half is sessiond/filter-pages.c.
 */
#ifndef LTTNGMAP_RING_FILTER_H
#define LTTNGMAP_RING_FILTER_H

#include <stdint.h>

#include "channel.h"
#include "local.h"
#include "ring-write.h"

/*
 * CHANNEL_ON: the event is to be recorded. CHANNEL_OFF: it is not, which is
 * no loss. CHANNEL_LOST: its filter could not be had. Signal-safe; makes
 * system calls only where a filter asks for a context that only the kernel
 * knows.
 */
enum channel_result ring_filter(const struct local *local, uint32_t slot,
				const struct ring_event *event);

#endif /* LTTNGMAP_RING_FILTER_H */
