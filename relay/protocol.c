/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "relay/protocol.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#define HEADER_SIZE 24
#define HEADER_LENGTH_AT 8

enum command {
	ADD_STREAM = 1,
	CREATE_SESSION = 2,
	VERSION = 5,
	SEND_METADATA = 6,
	CLOSE_STREAM = 7,
	DATA_PENDING = 8,
	SEND_INDEX = 13,
	STREAMS_SENT = 16,
	RESET_METADATA = 17,
	ROTATE_STREAMS = 18,
	CREATE_TRACE_CHUNK = 19,
	CLOSE_TRACE_CHUNK = 20,
};

enum close_command {
	CLOSE_AND_ARCHIVE = 0,
};

/* ---- putting ------------------------------------------------------------------- */

/* All that is ever put has its most checked before: it fits. */
static void put(struct relay_request *request, const void *bytes, size_t size)
{
	memcpy(request->bytes + request->size, bytes, size);
	request->size += size;
}

static void put8(struct relay_request *request, uint8_t value)
{
	put(request, &value, sizeof(value));
}

static void put32(struct relay_request *request, uint32_t value)
{
	value = htobe32(value);
	put(request, &value, sizeof(value));
}

static void put64(struct relay_request *request, uint64_t value)
{
	value = htobe64(value);
	put(request, &value, sizeof(value));
}

/* With its NUL, after what says how long it is. */
static void put_text(struct relay_request *request, const char *text, size_t size)
{
	put(request, text, size - 1);
	put8(request, 0);
}

static size_t size_of_text(const char *text, size_t max)
{
	return strnlen(text, max) + 1;
}

static void begin(struct relay_request *request, enum command command)
{
	request->size = 0;
	put64(request, 0);
	put64(request, 0);
	put32(request, command);
	put32(request, 0);
}

/* With `more` bytes to follow that are not in it. */
static void end(struct relay_request *request, size_t more)
{
	uint64_t size = htobe64(request->size - HEADER_SIZE + more);

	memcpy(request->bytes + HEADER_LENGTH_AT, &size, sizeof(size));
}

/* ---- requests -------------------------------------------------------------------- */

void relay_request_version(struct relay_request *request)
{
	begin(request, VERSION);
	put32(request, RELAY_MAJOR);
	put32(request, RELAY_MINOR);
	end(request, 0);
}

void relay_request_session(struct relay_request *request,
			   const struct relay_session_description *session)
{
	size_t name = size_of_text(session->name, RELAY_NAME_MAX);
	size_t host = size_of_text(session->host, RELAY_HOST_MAX);
	size_t path = session->path[0] ? size_of_text(session->path, RELAY_NAME_MAX) : 0;

	begin(request, CREATE_SESSION);
	put32(request, (uint32_t)name);
	put32(request, (uint32_t)host);
	put32(request, (uint32_t)path);
	put32(request, session->live_us);
	put8(request, 0); /* no snapshot, of which it would keep no indexes */
	put8(request, 0); /* its name has no time */
	put(request, session->tracer, CTF_UUID_SIZE);
	put64(request, session->id);
	put64(request, session->created);
	put8(request, 0); /* no chunk yet */
	put64(request, 0);
	put_text(request, session->name, name);
	put_text(request, session->host, host);
	if (path)
		put_text(request, session->path, path);
	end(request, 0);
}

void relay_request_chunk(struct relay_request *request, uint64_t chunk, uint64_t created,
			 const char *name)
{
	size_t size = name[0] ? size_of_text(name, RELAY_NAME_MAX) : 0;

	begin(request, CREATE_TRACE_CHUNK);
	put64(request, chunk);
	put64(request, created);
	put32(request, (uint32_t)size);
	if (size)
		put_text(request, name, size);
	end(request, 0);
}

int relay_request_stream(struct relay_request *request, const char *name, const char *path,
			 uint64_t chunk)
{
	size_t name_size = strlen(name) + 1, path_size = strlen(path) + 1;

	if (name_size > RELAY_STREAM_MAX + 1 || path_size > RELAY_NAME_MAX + 1)
		return -ENAMETOOLONG;
	begin(request, ADD_STREAM);
	put32(request, (uint32_t)name_size);
	put32(request, (uint32_t)path_size);
	put64(request, 0); /* no limit of a file */
	put64(request, 0);
	put64(request, chunk);
	put_text(request, name, name_size);
	put_text(request, path, path_size);
	end(request, 0);
	return 0;
}

void relay_request_streams_sent(struct relay_request *request)
{
	begin(request, STREAMS_SENT);
	end(request, 0);
}

void relay_request_metadata(struct relay_request *request, uint64_t stream, uint32_t size)
{
	begin(request, SEND_METADATA);
	put64(request, stream);
	put32(request, 0); /* no padding */
	end(request, size);
}

void relay_request_reset_metadata(struct relay_request *request, uint64_t stream, uint64_t version)
{
	begin(request, RESET_METADATA);
	put64(request, stream);
	put64(request, version);
	end(request, 0);
}

void relay_request_index(struct relay_request *request, uint64_t stream, uint64_t sequence,
			 const struct ctf_index_entry *entry)
{
	begin(request, SEND_INDEX);
	put64(request, stream);
	put64(request, sequence);
	/* The rest is as on disk, in this order, and big-endian there, too. */
	put(request, &entry->packet_size,
	    sizeof(*entry) - offsetof(struct ctf_index_entry, packet_size));
	end(request, 0);
}

void relay_request_beacon(struct relay_request *request, uint64_t stream, uint64_t sequence,
			  uint64_t time, uint64_t class_id)
{
	/* An index entry without size marks a beacon. */
	const struct ctf_index_entry entry = {
		.timestamp_end = htobe64(time),
		.stream_id = htobe64(class_id),
	};

	relay_request_index(request, stream, sequence, &entry);
}

void relay_request_pending(struct relay_request *request, uint64_t stream, uint64_t sequence)
{
	begin(request, DATA_PENDING);
	put64(request, stream);
	put64(request, sequence);
	end(request, 0);
}

void relay_request_leave_chunk(struct relay_request *request, uint64_t stream, uint64_t packet)
{
	/* Padding as compilers for x86-64 insert it; collectors tell the layout by the size. */
	static const uint8_t padding[7];

	begin(request, ROTATE_STREAMS);
	put32(request, 1);
	put8(request, 0); /* to no chunk */
	put(request, padding, sizeof(padding));
	put64(request, 0);
	put64(request, stream);
	put64(request, packet);
	end(request, 0);
}

void relay_request_close_stream(struct relay_request *request, uint64_t stream, uint64_t sequence)
{
	begin(request, CLOSE_STREAM);
	put64(request, stream);
	put64(request, sequence);
	end(request, 0);
}

void relay_request_close_chunk(struct relay_request *request, uint64_t chunk, uint64_t closed,
			       bool archive)
{
	begin(request, CLOSE_TRACE_CHUNK);
	put64(request, chunk);
	put64(request, closed);
	put8(request, archive);
	put32(request, CLOSE_AND_ARCHIVE);
	end(request, 0);
}

void relay_data_header(unsigned char bytes[RELAY_DATA_HEADER_SIZE], uint64_t stream,
		       uint64_t sequence, uint32_t size)
{
	uint64_t wide[3] = { 0, htobe64(stream), htobe64(sequence) };
	uint32_t narrow[2] = { htobe32(size), 0 };

	memcpy(bytes, wide, sizeof(wide));
	memcpy(bytes + sizeof(wide), narrow, sizeof(narrow));
}

/* ---- answers ----------------------------------------------------------------------- */

static uint32_t get32(const unsigned char *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return be32toh(value);
}

static uint64_t get64(const unsigned char *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return be64toh(value);
}

int relay_answer_status(const unsigned char bytes[RELAY_STATUS_SIZE])
{
	return get32(bytes) == RELAY_OK ? 0 : -EREMOTEIO;
}

int relay_answer_pending(const unsigned char bytes[RELAY_STATUS_SIZE], bool *pending)
{
	uint32_t value = get32(bytes);

	*pending = value == 1;
	return value <= 1 ? 0 : -EREMOTEIO;
}

int relay_answer_version(const unsigned char bytes[RELAY_VERSION_SIZE])
{
	uint32_t major = get32(bytes), minor = get32(bytes + 4);

	if (major > 0xffff || minor > 0xffff)
		return -EPROTO;
	return major == RELAY_MAJOR && minor >= RELAY_MINOR_LEAST ? 0 : -EPROTONOSUPPORT;
}

int relay_answer_session(const unsigned char bytes[RELAY_SESSION_SIZE], size_t *more)
{
	*more = get32(bytes + 12);
	if (relay_answer_status(bytes + 8) != 0)
		return -EREMOTEIO;
	return *more <= RELAY_PATH_MAX ? 0 : -EPROTO;
}

int relay_answer_stream(const unsigned char bytes[RELAY_STREAM_SIZE], uint64_t *stream)
{
	*stream = get64(bytes);
	return relay_answer_status(bytes + 8);
}

int relay_answer_closed_chunk(const unsigned char bytes[RELAY_CLOSED_CHUNK_SIZE], size_t *more)
{
	*more = get32(bytes + 4);
	if (relay_answer_status(bytes) != 0)
		return -EREMOTEIO;
	return *more <= RELAY_PATH_MAX ? 0 : -EPROTO;
}
