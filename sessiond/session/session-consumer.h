/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-consumer.h - the messages that a session sends its consumer
 * (common/protocol/protocol-control.h).
 *
 * Main thread. Each function does nothing if the consumer is not connected, and, but for
 * session_consumer_send_rotate(), if it does not know a flight recorder's session because no
 * snapshot is being taken.
 */
#ifndef SESSIOND_SESSION_SESSION_CONSUMER_H
#define SESSIOND_SESSION_SESSION_CONSUMER_H

#include <stdbool.h>
#include <stdint.h>

struct channel;
struct consumer_link;
struct session;

void session_consumer_send_session(struct consumer_link *link, const struct session *session);
void session_consumer_send_channel(struct consumer_link *link, const struct channel *channel);
void session_consumer_send_channel_end(struct consumer_link *link, const struct channel *channel);
/*
 * Sends the part of the metadata that the consumer lacks. If it is not `final`, it waits until the
 * consumer has read all earlier messages, and then goes out together with what was added meanwhile.
 */
void session_consumer_send_metadata(struct consumer_link *link, struct session *session,
				    bool final);
void session_consumer_send_clear(struct consumer_link *link, const struct session *session);
/* The consumer makes the directory of the session's chunk, or with `final` moves the chunk there.
 */
void session_consumer_send_rotate(struct consumer_link *link, const struct session *session,
				  bool final);
/* All packets with events up to `time` have been released. */
void session_consumer_send_live(struct consumer_link *link, const struct session *session,
				uint64_t time);
/* Whether the session records. A consumer that keeps a spool applies its size limit meanwhile. */
void session_consumer_send_recording(struct consumer_link *link, const struct session *session,
				     bool on);
/* The final sums of a session that stopped. Nothing of a spool. */
void session_consumer_send_losses(struct consumer_link *link, const struct session *session);
/* The sums of the session's buffers when the snapshot, now complete, began. */
void session_consumer_send_snapshot_losses(struct consumer_link *link,
					   const struct session *session);
void session_consumer_send_end(struct consumer_link *link, const struct session *session);

#endif /* SESSIOND_SESSION_SESSION_CONSUMER_H */
