/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * relay-live.c - for those who watch at the collector while the trace is recorded.
 *
 * A viewer merges the streams that it knows by time, and cannot take back what it has
 * shown. So nothing is sent that is later than the time up to which its writer says that all is
 * there (common/protocol/live-time.h): what comes in a stream that appears later is
 * later. When that time moves, it is
 *
 *   1. streams that are new and have something up to it are introduced, all of them, and
 *      only then is a packet sent: whoever asks for that is told of them, and waits for theirs;
 *   2. packets up to it are sent, and confirmed;
 *   3. of each stream it is said that nothing more comes up to it: a beacon; not of those with
 *      a packet that begins before that time and ends after it, which waits. The
 *      collector takes none for a stream of which it has not written everything.
 */
#include "relay/relay-parts.h"

#include <endian.h>
#include <errno.h>
#include <unistd.h>

/* One that is new, if something of it begins before the horizon. 1: so it is; 0 or -errno. */
static int add_if_due(struct relay *relay, struct follow *follow, struct follow_stream *stream)
{
	struct ctf_index_entry entries[FOLLOW_ENTRIES];
	int stream_fd, index_fd, error;

	if (stream->is_added)
		return 0;
	error = follow_open_stream(follow, stream, &stream_fd, &index_fd);
	/* Trouble with files is told of when it is sent. */
	if (error)
		return error == -ESTALE ? error : 0;
	if (follow_read(follow, stream, index_fd, entries) > 0 || stream->held <= follow->horizon) {
		error = relay_add_stream(relay, follow, stream);
		stream->class_id = be64toh(entries[0].stream_id);
	}
	close(stream_fd);
	close(index_fd);
	return error ? error : stream->is_added;
}

/*
 * When the anchor's beacon of the trace is, and each stream's some ticks before that of the one
 * before, in all traces: babeltrace2 complains of times that are the same. When nothing more comes
 * at all, any time will do that is later than all.
 */
static uint64_t beacon_time(const struct relay *relay, const struct follow *follow)
{
	const struct follow_stream *stream;
	const struct follow *other;
	uint64_t time = follow->horizon, before = 0, all = 0;

	cds_list_for_each_entry(other, &relay->follows, node) {
		if (other == follow)
			before = all;
		all++;
		cds_list_for_each_entry(stream, &other->streams, node)
			all++;
	}
	if (!follow->is_final)
		return time - before;
	cds_list_for_each_entry(stream, &follow->streams, node) {
		if (stream->end > time)
			time = stream->end;
	}
	return time + all - before;
}

static int introduce_all(struct relay *relay, struct follow *follow)
{
	struct follow_stream *stream;
	int result = 0;

	cds_list_for_each_entry(stream, &follow->due, due) {
		result = add_if_due(relay, follow, stream);
		if (result > 0) {
			follow->has_unseen = true;
			result = relay_anchor_add(relay, follow, stream->class_id);
		}
		if (result < 0)
			return result;
	}
	if (!follow->has_unseen)
		return 0;
	result = follow->has_metadata_stream ? relay_publish(relay) : relay_describe(relay, follow);
	if (!result)
		result = relay_anchor_send(relay, follow, beacon_time(relay, follow));
	follow->has_unseen = result != 0;
	return result;
}

/*
 * babeltrace2 forgets a trace that has metadata and no stream, and does not find the metadata
 * again: the first streams and the metadata are to be seen at once.
 */
bool relay_live_is_shown(const struct relay *relay, const struct follow *follow)
{
	return !relay->config->live_ms || follow->has_metadata_stream;
}

/* Viewers merge all traces. */
static uint64_t told_of_all(const struct relay *relay)
{
	const struct follow *follow;
	uint64_t time = UINT64_MAX;

	cds_list_for_each_entry(follow, &relay->follows, node) {
		if (!follow->is_final && follow->told < time)
			time = follow->told;
	}
	return time;
}

/* inotify has reported all files with data up to the noted time before that time is read. */
int relay_live_begin(struct relay *relay, struct follow *follow)
{
	uint64_t time;
	int error;

	if (!relay->config->live_ms || !follow->has_news)
		return 0;
	time = told_of_all(relay);
	if (time > follow->horizon && !follow->is_final) {
		follow->horizon = time;
		follow->is_beacon_due = true;
	}
	follow_rouse(follow);
	error = introduce_all(relay, follow);
	/* Without metadata, later. */
	if (error == -ENOENT)
		error = -EAGAIN;
	follow->is_beacon_due |= follow->is_final;
	follow->has_news = error != 0;
	return error;
}

int relay_live_end(struct relay *relay, struct follow *follow)
{
	struct follow_stream *stream;
	struct relay_request request;
	uint64_t time;
	int error = 0;

	if (!follow->is_beacon_due || !follow_is_confirmed(follow))
		return 0;
	time = beacon_time(relay, follow);
	error = relay_anchor_beacon(relay, follow, time);
	cds_list_for_each_entry(stream, &follow->streams, node) {
		if (!stream->is_added || error)
			continue;
		time--;
		if (!follow->is_final && stream->held <= follow->horizon)
			continue;
		relay_request_beacon(&request, stream->handle, stream->sent - stream->first,
				     time > stream->end ? time : stream->end, stream->class_id);
		error = relay_connection_post(relay->connection, &request);
	}
	follow->is_beacon_due = false;
	return error ? error : relay_connection_settle(relay->connection);
}

int relay_live_leave(struct relay *relay, struct follow *follow)
{
	struct follow_stream *stream;
	struct relay_request request;
	int error = 0;

	if (!relay->config->live_ms)
		return 0;
	error = relay_anchor_leave(relay, follow);
	cds_list_for_each_entry(stream, &follow->streams, node) {
		if (!stream->is_added || error)
			continue;
		relay_request_leave_chunk(&request, stream->handle, stream->number + 1);
		error = relay_connection_post(relay->connection, &request);
	}
	if (follow->has_metadata_stream && !error) {
		relay_request_leave_chunk(&request, follow->metadata_handle, 0);
		error = relay_connection_post(relay->connection, &request);
	}
	return error ? error : relay_connection_settle(relay->connection);
}
