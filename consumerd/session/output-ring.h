/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * output-ring.h - one ring file: attach, drain in turns, let go.
 *
 *   created ---turn---> attached ---packets until EAGAIN---> idle, polled
 *      |  EBUSY, no descriptor:          |  ^                    |
 *      +-- later again                   |  +----- it has more --+
 *                                        v
 *                              ENODATA: streams closed, gone
 *
 * A packet is asked for only after the one before is on disk, since asking
 * releases it. Where it cannot be written now, the ring holds it and waits
 * for output_ring_wake().
 *
 * A kernel's ring is never empty while our own system calls are traced. There, a sub-buffer
 * that is not full ends the turn until the kernel says that there is more (buffer_percent).
 * output_ring_drain() has the ring read to its end all the same.
 */
#ifndef CONSUMERD_SESSION_OUTPUT_RING_H
#define CONSUMERD_SESSION_OUTPUT_RING_H

#include <stdbool.h>

#include <urcu/list.h>

#include "consumerd/session/output-channel.h"

/*
 * A ring of the file `name` in the channel's folder. It takes its first turn
 * soon. At its end it destroys itself. NULL: no memory.
 */
struct output_ring *output_ring_create(struct output_channel *channel, const char *name);
/* Calls output_channel_forget(). The next reader gets again the packets that the ring holds. */
void output_ring_destroy(struct output_ring *ring);
/* Its streams begin anew; the packet that it holds is let go. */
void output_ring_clear(struct output_ring *ring);
/* Its streams are complete, and begin anew, with the packet that it holds. 0 or -errno. */
int output_ring_close_streams(struct output_ring *ring);
/* A kernel's: read it to its end; was it? */
void output_ring_drain(struct output_ring *ring);
bool output_ring_is_drained(const struct output_ring *ring);
/* Let it take a turn. */
void output_ring_wake(struct output_ring *ring);

const char *output_ring_name(const struct output_ring *ring);
/* In the list of the channel's. */
struct cds_list_head *output_ring_node(struct output_ring *ring);
struct output_ring *output_ring_of_node(struct cds_list_head *node);

#endif /* CONSUMERD_SESSION_OUTPUT_RING_H */
