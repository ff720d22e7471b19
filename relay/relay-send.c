/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "relay/relay-parts.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/protocol/relay-journal.h"
#include "common/base/time.h"

/* Files that cannot be read now are tried again; that is not the collector's trouble. */
static int try_later(struct relay *relay, const struct follow *follow, const char *what, int error)
{
	if (relay->file_trouble != error)
		log_warning("%s/%s cannot be read: %s; it is tried again", follow->name, what,
			    strerror(-error));
	relay->file_trouble = error;
	return -EAGAIN;
}

/* ---- metadata ------------------------------------------------------------------------ */

int relay_add_named_stream(struct relay *relay, const struct follow *follow, const char *name,
			   uint64_t *handle)
{
	unsigned char answer[RELAY_STREAM_SIZE];
	struct relay_request request;
	int error = relay_request_stream(&request, name, follow->name, relay->chunk);

	if (!error)
		error = relay_connection_ask(relay->connection, &request, answer, sizeof(answer));
	return error ? error : relay_answer_stream(answer, handle);
}

int relay_publish(struct relay *relay)
{
	struct relay_request request;

	relay_request_streams_sent(&request);
	return relay_connection_tell(relay->connection, &request);
}

static int send_text(struct relay *relay, const struct follow *follow, const char *text,
		     size_t size)
{
	unsigned char *packet = malloc(RELAY_METADATA_HEADER_SIZE + RELAY_METADATA_PACKET_MAX);
	uint8_t uuid[CTF_UUID_SIZE];
	int error = 0;

	if (!packet)
		return -ENOMEM;
	error = relay_metadata_uuid(follow->sent.text, follow->sent.size, uuid);
	while (size && !error) {
		size_t part = relay_metadata_part(text, size);

		relay_metadata_header(packet, uuid, part);
		memcpy(packet + RELAY_METADATA_HEADER_SIZE, text, part);
		error = relay_connection_send_metadata(relay->connection, follow->metadata_handle,
						       packet, RELAY_METADATA_HEADER_SIZE + part);
		text += part;
		size -= part;
	}
	free(packet);
	return error;
}

static int reset_metadata(struct relay *relay, struct follow *follow)
{
	struct relay_request request;

	relay_request_reset_metadata(&request, follow->metadata_handle, ++follow->metadata_version);
	return relay_connection_tell(relay->connection, &request);
}

static int send_new_text(struct relay *relay, struct follow *follow, char *text, size_t size)
{
	size_t more_size;
	char *more;
	int error = relay_metadata_compare(&follow->sent, text, size, &more, &more_size);

	if (error == -ESTALE) {
		error = reset_metadata(relay, follow);
		if (!error) {
			relay_metadata_sent(&follow->sent, NULL, 0);
			error = relay_metadata_compare(&follow->sent, text, size, &more,
						       &more_size);
		}
	}
	if (error) {
		free(text);
		return error;
	}
	relay_metadata_sent(&follow->sent, text, size);
	if (more)
		error = send_text(relay, follow, more, more_size);
	free(more);
	return error;
}

int relay_describe(struct relay *relay, struct follow *follow)
{
	char *text;
	size_t size;
	int error = follow_read_metadata(follow, &text, &size);

	if (error == -EALREADY || error == -ENOENT)
		return error == -EALREADY ? 0 : error;
	if (error)
		return try_later(relay, follow, "metadata", error);
	if (!follow->has_metadata_stream) {
		error = relay_add_named_stream(relay, follow, "metadata", &follow->metadata_handle);
		if (error) {
			free(text);
			return error;
		}
		follow->metadata_version = 0;
	}
	error = send_new_text(relay, follow, text, size);
	/* Published after the text: a viewer that sees the stream finds all of it. */
	if (!error && !follow->has_metadata_stream)
		error = relay_publish(relay);
	follow->has_metadata_stream = true;
	follow->is_described = !error;
	if (error)
		follow->metadata = (struct stat){ .st_ino = 0 };
	return error == -ENOMEM || error == -EBADMSG ? try_later(relay, follow, "metadata", error)
						     : error;
}

/* ---- packets ---------------------------------------------------------------------------- */

/* The rest of the stream cannot be sent: that concerns this file only, and no other stream. */
static int give_up_stream(struct follow *follow, struct follow_stream *stream, const char *why)
{
	stream->is_broken = true;
	follow->nr_broken++;
	log_error("stream %s/%s: not all of it is sent: %s", follow->name, stream->name, why);
	return 0;
}

static void make_due(struct follow *follow, struct follow_stream *stream)
{
	if (stream->is_due)
		return;
	stream->is_due = true;
	cds_list_add_tail(&stream->due, &follow->due);
}

static int send_packet(struct relay *relay, struct follow_stream *stream, int stream_fd,
		       const struct ctf_index_entry *entry)
{
	uint64_t size = be64toh(entry->packet_size) / 8, sequence = stream->sent - stream->first;
	struct relay_request request;
	int error;

	/* Also where only a part of it goes: the connection is lost then. */
	flight_sent(&relay->flight, size, time_now_usec());
	error = relay_connection_send_packet(relay->connection, stream->handle, sequence, stream_fd,
					     be64toh(entry->offset), (uint32_t)size);
	if (error)
		return error;
	relay_request_index(&request, stream->handle, sequence, entry);
	error = relay_connection_post(relay->connection, &request);
	if (error)
		return error;
	if (be64toh(entry->offset) >= RELAY_CIRCLE_SIZE)
		stream->last = be64toh(entry->offset);
	stream->class_id = be64toh(entry->stream_id);
	stream->end = be64toh(entry->timestamp_end);
	stream->number = be64toh(entry->packet_seq_num);
	stream->sent++;
	stream->bytes += size;
	return 0;
}

/* Is the packet in the file, which has `size` bytes? */
static bool is_sound(const struct ctf_index_entry *entry, uint64_t size)
{
	uint64_t bits = be64toh(entry->packet_size), offset = be64toh(entry->offset);

	return bits && bits % 8 == 0 && bits / 8 <= UINT32_MAX && offset <= size &&
	       bits / 8 <= size - offset;
}

int relay_add_stream(struct relay *relay, struct follow *follow, struct follow_stream *stream)
{
	int error;

	/* The collector would begin its file anew, and forget what is in it. */
	if (stream->is_closed)
		return -ESTALE;
	error = relay_add_named_stream(relay, follow, stream->name, &stream->handle);
	stream->is_added = !error;
	stream->first = stream->sent;
	return error;
}

static int introduce(struct relay *relay, struct follow *follow, struct follow_stream *stream)
{
	int error;

	if (stream->is_added)
		return 0;
	error = relay_add_stream(relay, follow, stream);
	return error ? error : relay_publish(relay);
}

/* Half of what may be on the way: then it is asked how far it came. */
static bool is_turn_over(const struct relay *relay, uint64_t before)
{
	return relay->flight.bytes >= relay->flight.max ||
	       relay->flight.bytes - before >= relay->flight.max / 2;
}

/* A turn of one stream's. Packets, or -errno of the connection. */
static int send_files(struct relay *relay, struct follow *follow, struct follow_stream *stream,
		      int stream_fd, int index_fd)
{
	struct ctf_index_entry entries[FOLLOW_ENTRIES];
	uint64_t before = relay->flight.bytes;
	int nr_entries, sent = 0, error = 0, i;
	struct stat status;

	do {
		nr_entries = follow_read(follow, stream, index_fd, entries);
		/* Its packets were there before its entries. */
		if (nr_entries >= 0 && fstat(stream_fd, &status) < 0)
			nr_entries = -errno;
		if (nr_entries < 0)
			return try_later(relay, follow, stream->name, nr_entries);
		if (nr_entries)
			error = relay_describe(relay, follow);
		/* That is no trouble of the connection. */
		if (error == -ENOENT)
			return try_later(relay, follow, "metadata", error);
		if (nr_entries && !error)
			error = introduce(relay, follow, stream);
		for (i = 0; i < nr_entries && !error; i++, sent++) {
			if (is_turn_over(relay, before))
				break;
			if (!is_sound(&entries[i], (uint64_t)status.st_size))
				return give_up_stream(follow, stream,
						      "its index names a packet that is not there");
			error = send_packet(relay, stream, stream_fd, &entries[i]);
		}
	} while (i == FOLLOW_ENTRIES && !error);
	if (error)
		return error;
	/* Its next turn comes after the others'. */
	if (i < nr_entries || i == FOLLOW_ENTRIES)
		make_due(follow, stream);
	return sent;
}

static int send_stream(struct relay *relay, struct follow *follow, struct follow_stream *stream)
{
	int stream_fd, index_fd, result;

	cds_list_del(&stream->due);
	stream->is_due = false;
	result = follow_open_stream(follow, stream, &stream_fd, &index_fd);
	/* Gone: the oldest of a stream's files, or not there yet. */
	if (result == -ENOENT)
		return 0;
	if (result) {
		make_due(follow, stream);
		return result == -ESTALE ? result : try_later(relay, follow, stream->name, result);
	}
	result = send_files(relay, follow, stream, stream_fd, index_fd);
	close(stream_fd);
	close(index_fd);
	if (result == -EAGAIN)
		make_due(follow, stream);
	if (stream->bytes && !stream->is_open)
		follow_mark(follow, stream, time_now_usec());
	return result;
}

int relay_send(struct relay *relay)
{
	uint64_t before = relay->flight.bytes;
	struct follow *follow;
	int sent = 0, result;

	cds_list_for_each_entry(follow, &relay->follows, node) {
		/* The chunk before is to be complete first. */
		if (follow->chunk != relay->chunk)
			continue;
		if (relay_live_is_shown(relay, follow) &&
		    (!follow->is_described || follow->is_final)) {
			result = relay_describe(relay, follow);
			if (result == -EAGAIN)
				continue;
			if (result < 0 && result != -ENOENT)
				return result;
		}
		result = relay_live_begin(relay, follow);
		if (result < 0)
			return result;
		while (!cds_list_empty(&follow->due) && !is_turn_over(relay, before)) {
			result = send_stream(relay, follow,
					     cds_list_first_entry(&follow->due,
								  struct follow_stream, due));
			if (result == -EAGAIN)
				break;
			if (result < 0)
				return result;
			relay->file_trouble = 0;
			sent += result;
		}
	}
	return sent;
}

/* ---- confirmation -------------------------------------------------------------------------- */

static int take_confirmed(struct relay *relay, struct follow *follow, struct follow_stream *stream)
{
	uint64_t packets = stream->mark.sent - stream->confirmed, bytes;
	uint64_t now = time_now_usec(), sent = stream->mark.time;
	int error = follow_confirm(follow, stream, now, &bytes);

	if (error)
		log_warning("stream %s/%s: it cannot be noted that it was sent (%s): it would be "
			    "sent once more, if this process were killed",
			    follow->name, stream->name, strerror(-error));
	flight_confirmed(&relay->flight, bytes, sent, now);
	relay->confirmed_ms = time_now_ms();
	relay->result->packets += packets;
	relay->result->bytes += bytes;
	relay_count(relay, follow, bytes);
	return 0;
}

/* 1: the collector has not written all that it was asked about; 0 or -errno. */
static int confirm_trace(struct relay *relay, struct follow *follow)
{
	while (!cds_list_empty(&follow->open)) {
		struct follow_stream *stream =
			cds_list_first_entry(&follow->open, struct follow_stream, open);
		unsigned char answer[RELAY_STATUS_SIZE];
		struct relay_request request;
		bool pending;
		int error;

		relay_request_pending(&request, stream->handle,
				      stream->mark.sent - stream->first - 1);
		error = relay_connection_ask(relay->connection, &request, answer, sizeof(answer));
		if (!error)
			error = relay_answer_pending(answer, &pending);
		if (!error && !pending)
			error = take_confirmed(relay, follow, stream);
		if (error)
			return error;
		/* They were marked in this order. */
		if (pending)
			return 1;
	}
	return 0;
}

static int ask_for_all(struct relay *relay)
{
	bool is_sparse = flight_is_sparse(&relay->flight);
	struct follow *follow;
	int error, pending = 0;

	cds_list_for_each_entry(follow, &relay->follows, node) {
		if (is_sparse)
			follow_mark_sent(follow);
		error = confirm_trace(relay, follow);
		if (error < 0)
			return error;
		pending |= error;
	}
	if (pending)
		flight_pending(&relay->flight, time_now_usec());
	return 0;
}

int relay_confirm(struct relay *relay)
{
	struct follow *follow;
	int error = 0;

	if (flight_is_due(&relay->flight, time_now_usec()))
		error = ask_for_all(relay);
	if (error)
		return error;
	cds_list_for_each_entry(follow, &relay->follows, node) {
		error = relay_live_end(relay, follow);
		if (!error)
			error = relay_close_ended(relay, follow);
		if (error)
			return error;
	}
	if (relay->flight.bytes == 0)
		relay->confirmed_ms = time_now_ms();
	return time_now_ms() - relay->confirmed_ms > relay->config->timeout_ms ? -ETIMEDOUT : 0;
}

/* ---- the connection -------------------------------------------------------------------------- */

/* A snapshot's folder, called as LTTng's own are, and each time otherwise. */
static void name_chunk(const struct relay *relay, char name[RELAY_NAME_MAX])
{
	time_t created = (time_t)relay->created;
	char when[sizeof("20260101-000000") + 8] = "";
	struct tm local;

	name[0] = '\0';
	if (!relay->config->session_created || !localtime_r(&created, &local))
		return;
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &local);
	snprintf(name, RELAY_NAME_MAX, "snapshot-1-%s-%" PRIu64, when, relay->config->snapshot);
}

static int create_chunk(struct relay *relay)
{
	struct relay_request request;
	char name[RELAY_NAME_MAX];

	name_chunk(relay, name);
	relay_request_chunk(&request, relay->chunk, relay->chunk_begin, name);
	return relay_connection_tell(relay->connection, &request);
}

int relay_end_trace(struct relay *relay, struct follow *follow)
{
	struct relay_request request;
	struct follow_stream *stream;
	int error = follow->has_metadata_stream ? relay_describe(relay, follow) : 0;

	if (error == -ENOENT)
		error = 0;
	if (!error)
		error = relay_live_leave(relay, follow);
	cds_list_for_each_entry(stream, &follow->streams, node) {
		if (!stream->is_added || error)
			continue;
		relay_request_close_stream(&request, stream->handle,
					   stream->sent - stream->first - 1);
		error = relay_connection_post(relay->connection, &request);
		stream->is_added = false;
	}
	if (follow->has_metadata_stream && !error) {
		/* Its packets have no numbers: none is to be waited for. */
		relay_request_close_stream(&request, follow->metadata_handle, UINT64_MAX);
		error = relay_connection_post(relay->connection, &request);
		follow->has_metadata_stream = false;
	}
	return error ? error : relay_connection_settle(relay->connection);
}

int relay_end_chunk(struct relay *relay, const struct follow *last)
{
	uint64_t begin, end = (uint64_t)time(NULL);
	unsigned char answer[RELAY_CLOSED_CHUNK_SIZE];
	struct relay_request request;
	uint64_t ended = relay->chunk;
	size_t more;
	int error = 0;

	if (last)
		(void)relay_chunk_times(last, &begin, &end);
	/* A clock that was set back: no collector takes an end before the beginning. */
	if (end < relay->chunk_begin)
		end = relay->chunk_begin;
	relay->chunk_begin = end;
	if (last) {
		relay->chunk++;
		error = create_chunk(relay);
	}
	if (error)
		return error;
	relay_request_close_chunk(&request, ended, end, last != NULL);
	error = relay_connection_ask(relay->connection, &request, answer, sizeof(answer));
	if (!error)
		error = relay_answer_closed_chunk(answer, &more);
	return error ? error : relay_connection_skip(relay->connection, more);
}

int relay_connect(struct relay *relay)
{
	const struct relay_config *config = relay->config;
	uint8_t tracer[CTF_UUID_SIZE] = "lttngmap";
	char host[RELAY_HOST_MAX + 1] = "";
	uint64_t now = (uint64_t)time(NULL), end;
	struct relay_connection_config connection = {
		.url = &config->url,
		.timeout_ms = config->timeout_ms,
		.stop = config->stop,
	};
	struct follow *follow;
	int error;

	gethostname(host, sizeof(host) - 1);
	/*
	 * Its folder there, named by that time, is one of its own: what lies in the former ones
	 * stays, also in that of a sender that was killed in this second.
	 */
	relay->created = now > relay->counts.connected ? now : relay->counts.connected + 1;
	relay_note_connection(relay);
	memcpy(tracer + 8, &relay->created, sizeof(relay->created));
	connection.session = (struct relay_session_description){
		.name = config->session,
		.host = host[0] ? host : "localhost",
		.path = config->url.path,
		.tracer = tracer,
		.id = (uint64_t)getpid(),
		.created = config->session_created ? config->session_created : relay->created,
		.live_us = (uint32_t)(config->live_ms * 1000),
	};
	error = relay_connection_open(&connection, &relay->connection);
	if (error)
		return error;
	relay->result->connections++;
	flight_begin(&relay->flight, time_now_usec());
	relay->confirmed_ms = time_now_ms();
	relay->chunk_begin = now;
	cds_list_for_each_entry(follow, &relay->follows, node) {
		follow_restart(follow);
		if (follow->is_final && follow->chunk == relay->chunk)
			(void)relay_chunk_times(follow, &relay->chunk_begin, &end);
	}
	return create_chunk(relay);
}

void relay_disconnect(struct relay *relay)
{
	relay_connection_close(relay->connection);
	relay->connection = NULL;
	if (relay->flight.bytes)
		relay_note_lost(relay);
	relay->flight.bytes = 0;
}
