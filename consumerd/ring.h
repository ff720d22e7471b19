/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring.h - one ring file: attach, drain in turns, let go.
 *
 *   created ---turn---> attached ---packets until EAGAIN---> idle, polled
 *      |  EBUSY, no descriptor:          |  ^                    |
 *      +-- later again                   |  +----- it has more --+
 *                                        v
 *                              ENODATA: streams closed, gone
 *
 * A packet is asked for only after the one before is on disk, since asking
 * releases it. Where it cannot be written now, the ring holds it and waits
 * for ring_wake().
 *
 * A kernel's ring is never empty while what we do is traced: there, a sub-buffer
 * that is not full ends the turn until the kernel says that there is more
 * (buffer_percent), but where the ring is to be read to its end (ring_drain()).
 */
#ifndef CONSUMERD_RING_H
#define CONSUMERD_RING_H

#include <stdbool.h>

#include <urcu/list.h>

#include "consumerd/channel.h"

/*
 * A ring of the file `name` in the channel's folder. It takes its first turn
 * soon. At its end it destroys itself. NULL: no memory.
 */
struct ring *ring_create(struct channel *channel, const char *name);
/* Tells channel_forget(). What it holds is given again to the next reader. */
void ring_destroy(struct ring *ring);
/* Its streams begin anew; the packet that it holds is let go. */
void ring_clear(struct ring *ring);
/* Its streams are complete, and begin anew, with the packet that it holds. 0 or -errno. */
int ring_close_streams(struct ring *ring);
/* A kernel's: read it to its end; was it? */
void ring_drain(struct ring *ring);
bool ring_is_drained(const struct ring *ring);
/* Let it take a turn. */
void ring_wake(struct ring *ring);

const char *ring_name(const struct ring *ring);
/* In the list of the channel's. */
struct cds_list_head *ring_node(struct ring *ring);
struct ring *ring_of_node(struct cds_list_head *node);

#endif /* CONSUMERD_RING_H */
