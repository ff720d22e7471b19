/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * live.h - notes up to which time a watched trace is complete on disk
 * (common/protocol/live-time.h), and moves a packet's begin behind that time.
 *
 * If the rest of a sub-buffer becomes a packet, its descriptor says that it begins where the
 * packet before ended. A viewer was told since that nothing came up to a later time, and would
 * take such a packet for one that comes too late.
 */
#ifndef CONSUMERD_SESSION_LIVE_H
#define CONSUMERD_SESSION_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/ring-file.h>

#include "consumerd/trace/trace.h"

/* Note it, in place of what was noted before; `is_full`: the spool is. 0 or -errno. */
int live_tell(const struct trace *trace, uint64_t time, bool is_full);
/*
 * Sets the packet's begin to the time of its first event, with which `body` begins, or to
 * `told`, the time told last, if it has none. The end does not change: a process cannot move the
 * begin beyond it.
 */
void live_tighten(struct lttngmap_packet *packet, const void *body, uint64_t told);

/*
 * True if the packet begins before a time that viewers were told is complete: its writer was
 * stopped in its event for more than half a period, or writes times as it likes. Viewers would
 * end with an error. So live_move() gives its first event the first time after `told`.
 */
bool live_is_late(const struct lttngmap_packet *packet, uint64_t told);
void live_move(struct lttngmap_packet *packet, void *body, uint64_t told);

#endif /* CONSUMERD_SESSION_LIVE_H */
