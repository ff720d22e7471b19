/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * channel.h - a channel of a session: the watched folder RINGS/CHANNEL and
 * the rings that were found in it. Of the kernel's, it is a tracefs instance's
 * per_cpu, which has a folder for each CPU that there can be, from the beginning.
 */
#ifndef CONSUMERD_CHANNEL_H
#define CONSUMERD_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include <urcu/list.h>

#include "consumerd/session.h"

struct channel;
struct ring;

/*
 * Watch RINGS/NAME, and be in the list `channels` until destroyed. `limits` of
 * its streams may be NULL. 0 or -errno.
 */
int channel_create(struct session *session, const char *rings, const char *name, uint32_t stream_id,
		   const struct stream_limits *limits, struct cds_list_head *channels);
/* With its rings. */
void channel_destroy(struct channel *channel);
struct channel *channel_of_node(struct cds_list_head *node);
/* All its rings forget what they have. */
void channel_clear(struct channel *channel);
/* All its rings' streams are closed, complete; they begin anew. 0 or -errno. */
int channel_close_streams(struct channel *channel);
/* Have all its rings read to their ends; were they? Of the kernel's. */
void channel_drain(struct channel *channel);
bool channel_is_drained(const struct channel *channel);
/* Let all its rings have a turn. */
void channel_wake(struct channel *channel);

struct session *channel_session(const struct channel *channel);
const char *channel_name(const struct channel *channel);
/* RINGS/CHANNEL */
const char *channel_directory(const struct channel *channel);
/* The stream id that its packets bear. */
uint32_t channel_stream_id(const struct channel *channel);
/* And how they are cut into files. */
const struct stream_limits *channel_limits(const struct channel *channel);
/* Is one more file that is no ring to be told of? Of many the first are. */
bool channel_tells(struct channel *channel);
/* One of its rings is being destroyed. */
void channel_forget(struct channel *channel, struct ring *ring);

#endif /* CONSUMERD_CHANNEL_H */
