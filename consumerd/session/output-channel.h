/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * output-channel.h - a channel of a session: the watched folder RINGS/CHANNEL and
 * the rings that were found in it. For the kernel's events the folder is a tracefs instance's
 * per_cpu, which has a folder for each possible CPU from the beginning.
 */
#ifndef CONSUMERD_SESSION_OUTPUT_CHANNEL_H
#define CONSUMERD_SESSION_OUTPUT_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include <urcu/list.h>

#include "consumerd/session/output-session.h"

struct output_channel;
struct output_ring;

/*
 * Watch RINGS/NAME, and be in the list `channels` until destroyed. `limits` of
 * its streams may be NULL. 0 or -errno.
 */
int output_channel_create(struct output_session *session, const char *rings, const char *name,
			  uint32_t stream_id, const struct stream_limits *limits,
			  struct cds_list_head *channels);
/* With its rings. */
void output_channel_destroy(struct output_channel *channel);
struct output_channel *output_channel_of_node(struct cds_list_head *node);
/* All its rings forget what they have. */
void output_channel_clear(struct output_channel *channel);
/* All its rings' streams are closed, complete; they begin anew. 0 or -errno. */
int output_channel_close_streams(struct output_channel *channel);
/* The kernel's rings: reads all of them to their ends; tells whether they were. */
void output_channel_drain(struct output_channel *channel);
bool output_channel_is_drained(const struct output_channel *channel);
/* Let all its rings have a turn. */
void output_channel_wake(struct output_channel *channel);

struct output_session *output_channel_session(const struct output_channel *channel);
const char *output_channel_name(const struct output_channel *channel);
/* RINGS/CHANNEL */
const char *output_channel_directory(const struct output_channel *channel);
/* The stream id that its packets bear. */
uint32_t output_channel_stream_id(const struct output_channel *channel);
/* And how they are cut into files. */
const struct stream_limits *output_channel_limits(const struct output_channel *channel);
/* Should one more file that is no ring be reported? True for the first ones. */
bool output_channel_tells(struct output_channel *channel);
/* One of its rings is being destroyed. */
void output_channel_forget(struct output_channel *channel, struct output_ring *ring);

#endif /* CONSUMERD_SESSION_OUTPUT_CHANNEL_H */
