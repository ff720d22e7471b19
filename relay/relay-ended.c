/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * relay-ended.c - streams of programs that have ended are closed at the collector, which has two
 * descriptors for each, and of a spool their files go: a session of weeks may have
 * any number of short programs.
 *
 * Viewers have two periods to read the end of a stream, for a closed stream gives them
 * nothing more. Before it is closed, a stream leaves its chunk, as all do in the end.
 */
#include "relay/relay-parts.h"

#include <string.h>

#include "common/base/log.h"
#include "common/base/time.h"

static bool is_seen(const struct relay *relay, const struct follow *follow,
		    struct follow_stream *stream)
{
	uint64_t now = time_now_usec();

	if (!relay->config->live_ms || !stream->is_added)
		return true;
	if (follow->is_beacon_due || follow->has_unseen || stream->end > follow->horizon)
		return false;
	if (!stream->quiet)
		stream->quiet = now;
	return now - stream->quiet >= relay->config->live_ms * 2 * 1000;
}

static int close_stream(struct relay *relay, struct follow_stream *stream)
{
	struct relay_request request;
	int error = 0;

	if (relay->config->live_ms) {
		relay_request_leave_chunk(&request, stream->handle, stream->number + 1);
		error = relay_connection_post(relay->connection, &request);
	}
	if (error)
		return error;
	relay_request_close_stream(&request, stream->handle, stream->sent - stream->first - 1);
	stream->is_added = false;
	return relay_connection_post(relay->connection, &request);
}

/* 1: it is done; 0: not now; or -errno of the connection. */
static int end_stream(struct relay *relay, struct follow *follow, struct follow_stream *stream)
{
	bool was_added = stream->is_added;
	uint64_t bytes;
	int error;

	if (!stream->is_broken &&
	    (!follow_is_whole(follow, stream) || !is_seen(relay, follow, stream)))
		return 0;
	error = was_added ? close_stream(relay, stream) : 0;
	if (error)
		return error;
	cds_list_del(&stream->ended);
	stream->is_closed = true;
	if (follow->is_spool && !stream->is_broken) {
		follow_remove(follow, stream, &bytes);
		relay_count_removed(relay, follow, bytes);
	}
	return was_added;
}

int relay_close_ended(struct relay *relay, struct follow *follow)
{
	struct follow_stream *stream, *next;
	int error, result, closed = 0;

	/* All of them end soon. */
	if (follow->is_final)
		return 0;
	/* Between packets: not each time that one is on the way. */
	if (!relay->is_looking && relay->flight.bytes)
		return 0;
	error = follow_read_ended(follow);
	if (error && error != follow->ended_trouble)
		log_warning("%s: which streams have ended cannot be read: %s; they stay open",
			    follow->name, strerror(-error));
	follow->ended_trouble = error;
	cds_list_for_each_entry_safe(stream, next, &follow->ended, ended) {
		result = end_stream(relay, follow, stream);
		if (result < 0)
			return result;
		closed |= result;
	}
	follow_forget_ended(follow);
	return closed ? relay_connection_settle(relay->connection) : 0;
}
