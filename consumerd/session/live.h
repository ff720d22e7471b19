/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * live.h - a trace that is watched from elsewhere while it is recorded: up to which time all
 * of it is on disk (common/protocol/live-time.h), and packets that do not begin before that.
 *
 * Where the rest of a sub-buffer becomes a packet, that begins where the one before
 * ended, as far as its descriptor can tell. Whoever watches was told since that nothing came
 * for a while, and would take such a packet for one that comes too late.
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
 * The packet begins at its first event, which its `body` begins with; one without an event at
 * `told`, the time that was told last. Its end stays its end: what a process wrote
 * there cannot move it beyond.
 */
void live_tighten(struct lttngmap_packet *packet, const void *body, uint64_t told);

/*
 * Does the packet begin with what those who watch were told would not come any more? Its writer
 * was stopped in its event for more than half a period, or writes times as it likes.
 * They would end with an error. So its first event gets the first time after that.
 */
bool live_is_late(const struct lttngmap_packet *packet, uint64_t told);
void live_move(struct lttngmap_packet *packet, void *body, uint64_t told);

#endif /* CONSUMERD_SESSION_LIVE_H */
