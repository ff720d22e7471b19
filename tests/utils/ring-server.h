/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-server.h - one mediator in a directory of its own, with a ring thread
 * and rings that the test fills by hand: what a session daemon is to a reader.
 *
 * All calls from the main thread, which must be registered with RCU. They do
 * what belongs to the ring thread there, and return when it is done.
 */
#ifndef RING_SERVER_H
#define RING_SERVER_H

#include <limits.h>
#include <stdint.h>

#include "sessiond/mediator/mediator.h"
#include "sessiond/mediator/ring-thread.h"

struct ring_server {
	const struct mediator_ops *ops;
	struct mediator *mediator;
	struct ring_thread *thread;
	char dir[80]; /* a socket in it still fits into an address */
	char rings_dir[PATH_MAX / 2];
};

#define SERVED_SUBBUF_SHIFT 12
#define SERVED_SUBBUF_SIZE (1u << SERVED_SUBBUF_SHIFT)
#define SERVED_SUBBUFS_SHIFT 3
#define SERVED_SUBBUFS (1u << SERVED_SUBBUFS_SHIFT)
#define SERVED_META 4096u
#define SERVED_CPUS 1u
#define SERVED_RINGS (SERVED_CPUS + LTTNGMAP_EXTRA_RINGS)
#define SERVED_SIZE (SERVED_META + SERVED_RINGS * (SERVED_SUBBUFS + 1) * SERVED_SUBBUF_SIZE)

struct served_ring {
	struct ring_server *server;
	struct ring_set *set;
	struct lttngmap_ring *rings;
	char *data; /* all of the memory, as the traced process could have it */
	char path[PATH_MAX];
};

/*
 * Directories only; then the mediator: 0, or what its create returned and its
 * reason, after which nothing is left. What lies there goes at the program's
 * exit, even where a test gives up.
 */
void ring_server_prepare(struct ring_server *server, const struct mediator_ops *ops);
int ring_server_serve(struct ring_server *server, const char **why);
/* Both. */
int ring_server_start(struct ring_server *server, const struct mediator_ops *ops, const char **why);
/* Removes all, even where the test left something open. */
void ring_server_stop(struct ring_server *server);

/* A ring set in SESSION/CHANNEL, published but not announced. Exits on failure. */
void served_ring_create(struct ring_server *server, const char *session, const char *channel,
			struct served_ring *ring);
/* Not before it was withdrawn. */
void served_ring_destroy(struct served_ring *ring);

int served_ring_announce(struct served_ring *ring);
void served_ring_notify(struct served_ring *ring);
void served_ring_withdraw(struct served_ring *ring);

/* One record whose fields are `text`, NUL included. */
void served_ring_write(struct served_ring *ring, uint32_t cpu, const char *text);
/* Move on to the next sub-buffer: the present one becomes a packet. */
void served_ring_switch(struct served_ring *ring, uint32_t cpu);

#endif /* RING_SERVER_H */
