/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * connection.h - the two connections to one collector.
 *
 * A process waits here for its collector, and for nobody else. Nothing that the collector does
 * or leaves undone makes a call last longer than the timeout without a byte that moved. The look-up
 * of a host's name takes what the resolver takes. Any error ends the connection for good: all
 * calls from then on return that error.
 *
 * All return 0 or -errno, after protocol.h; -ETIMEDOUT: nothing moved for so long;
 * -EINTR: *stop was set by a signal's handler; -ECONNRESET: the collector is gone.
 */
#ifndef RELAY_CONNECTION_H
#define RELAY_CONNECTION_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relay/protocol.h"
#include "relay/url.h"

struct relay_connection;

struct relay_connection_config {
	const struct relay_url *url;
	struct relay_session_description session;
	int timeout_ms;
	const volatile sig_atomic_t *stop; /* give up */
};

/* Both are made, and the session. */
int relay_connection_open(const struct relay_connection_config *config,
			  struct relay_connection **connection);
/* Is a collector there that can be used? */
int relay_connection_probe(const struct relay_url *url, int timeout_ms);
/* NULL is allowed. */
void relay_connection_close(struct relay_connection *connection);
/*
 * Polled for the connection's end: nothing is to be read there between calls. While answers are
 * due, it is the socket of the packets, on which the collector sends nothing.
 */
int relay_connection_fd(const struct relay_connection *connection);

/* Send it, and wait for the answer, which is relay_answer_...'s to check. */
int relay_connection_ask(struct relay_connection *connection, const struct relay_request *request,
			 unsigned char *answer, size_t size);
/* Skips the rest of an answer. */
int relay_connection_skip(struct relay_connection *connection, size_t size);
/* The answer is a status. */
int relay_connection_tell(struct relay_connection *connection, const struct relay_request *request);
/*
 * Not waited for: the answer, a status, is for relay_connection_settle(). It goes with the next
 * request that is, or then.
 */
int relay_connection_post(struct relay_connection *connection, const struct relay_request *request);
int relay_connection_settle(struct relay_connection *connection);
/* With what follows, of which there is no answer. */
int relay_connection_send_metadata(struct relay_connection *connection, uint64_t stream,
				   const void *bytes, size_t size);
/* One packet, which is these bytes. */
int relay_connection_send_bytes(struct relay_connection *connection, uint64_t stream,
				uint64_t sequence, const void *bytes, uint32_t size);
/* One packet, `size` bytes at `offset` of the file. -EIO: the file ends before. */
int relay_connection_send_packet(struct relay_connection *connection, uint64_t stream,
				 uint64_t sequence, int fd, uint64_t offset, uint32_t size);

#endif /* RELAY_CONNECTION_H */
