/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * output-ring-private.h - what a ring consists of, for output-ring.c, which takes its turns,
 * output-ring-ask.c, which asks for packets, and output-ring-write.c, which puts them into streams.
 */
#ifndef CONSUMERD_SESSION_OUTPUT_RING_PRIVATE_H
#define CONSUMERD_SESSION_OUTPUT_RING_PRIVATE_H

#include <lttngmap/ring-file.h>

#include "consumerd/session/ring-kernel.h"
#include "consumerd/session/output-ring.h"

/* More rings in one file than any machine has CPUs: the daemon is broken. */
#define CPU_MAX 65536

struct output_ring {
	struct turn turn;
	struct cds_list_head node;
	struct output_channel *channel;
	struct lttngmap_ring_file *file; /* NULL: not attached yet, or ended */
	sd_event_source *source;
	bool ended;    /* nothing more to read; the index may be due */
	bool is_whole; /* likewise, and nothing more will come of it */
	bool said_busy;
	bool said_broken;
	bool holding;      /* `packet` is a current one, and not on disk yet */
	uint32_t next_cpu; /* snapshots: those before are on disk */
	bool is_kernel;
	bool is_drained; /* the kernel's, since output_ring_drain() */
	struct ring_kernel kernel;
	struct lttngmap_packet packet;
	struct lttngmap_packets given; /* … and those behind it, from `next` on */
	uint32_t next;
	/* It is asked again by itself, as LTTNGMAP_PACKET_AWAKE says. */
	bool is_awake;
	bool has_said_awake;     /* in the last request, which was sent at … */
	uint64_t asked_usec;     /* CLOCK_MONOTONIC */
	uint64_t stepped_usec;   /* likewise: the last request of the step before */
	uint32_t given_now;      /* packets, since there were none */
	struct stream **streams; /* by the packet's cpu; NULL: none yet */
	uint32_t nr_streams;
	char procname[CTF_PROCNAME_SIZE];
	char name[];
};

static inline struct output_session_shared *output_ring_shared(const struct output_ring *ring)
{
	return output_session_shared(output_channel_session(ring->channel));
}

/*
 * Gets the next packet of those that were given, or of a new answer: 0, or -errno of the request.
 * For a kernel's ring the first request asks again for the last packet of an earlier consumer.
 */
int output_ring_next_packet(struct output_ring *ring);
/*
 * There is nothing now. True if the ring is asked again: who was awake and was given hardly
 * anything since the last time goes to sleep, which takes a request that says so.
 */
bool output_ring_is_asked_again(struct output_ring *ring);
/*
 * Call after a packet was written. True if all that was given is on disk, was all that there was,
 * and the next step asks for more.
 * Until then these packets are not released. Without this, a reader would chase its writer: each
 * write gives that the time to fill another sub-buffer.
 */
bool output_ring_is_asked_later(struct output_ring *ring);
/* The stream of the current packet. 0 or -errno. */
int output_ring_find_stream(struct output_ring *ring, struct stream **stream);
void output_ring_count(struct output_ring *ring, const struct output_session_written *more);
/*
 * Into the stream, unless that has it, or could not be read with it. 0: `next` is behind it, and
 * behind those that were written together with it. Or -errno.
 */
int output_ring_put_packet(struct output_ring *ring, struct stream *stream, const void *body);
/* Write the packet that is held, or drop it where it was overwritten. 0 or -errno of `what`. */
int output_ring_write_packet(struct output_ring *ring, const char **what);
/* Index entries go to disk once a turn. 0 or -errno of `what`. */
int output_ring_flush(struct output_ring *ring, const char **what);

#endif /* CONSUMERD_SESSION_OUTPUT_RING_PRIVATE_H */
