/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * protocol.h - the bytes that go to lttng-relayd and come from it, as a producer of
 * protocol 2.13 has them. Pure functions: no socket, no state.
 *
 * Two connections, all numbers big-endian, nothing aligned:
 *
 *   control   {u64 0, u64 size, u32 command, u32 0} and `size` bytes; most commands are
 *             answered, by a u32 where nothing else is said: RELAY_OK
 *   data      {u64 0, u64 stream, u64 sequence, u32 size, u32 padding} and `size` bytes,
 *             which is one packet of a stream; never answered
 *
 *   VERSION, CREATE_SESSION, [data connects], CREATE_TRACE_CHUNK, ADD_STREAM ...,
 *   STREAMS_SENT, SEND_METADATA, then for each packet its data and SEND_INDEX, and
 *   DATA_PENDING to learn how far they are written; CLOSE_STREAM ..., CLOSE_TRACE_CHUNK.
 *
 * The collector's answers are checked here: the collector is not trusted.
 */
#ifndef RELAY_PROTOCOL_H
#define RELAY_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/ctf.h"

#define RELAY_MAJOR 2
#define RELAY_MINOR 13
/* An older collector knows no chunks of a trace. */
#define RELAY_MINOR_LEAST 11

#define RELAY_OK 10

#define RELAY_NAME_MAX 255 /* of a session, a path of streams; bytes, without a NUL */
#define RELAY_HOST_MAX 63
#define RELAY_STREAM_MAX 263
#define RELAY_REQUEST_MAX 1024
#define RELAY_DATA_HEADER_SIZE 32

/* Answers. That to a session ends in as many bytes more as it says. */
#define RELAY_STATUS_SIZE 4
#define RELAY_VERSION_SIZE 8
#define RELAY_SESSION_SIZE 16
#define RELAY_STREAM_SIZE 12
#define RELAY_CLOSED_CHUNK_SIZE 8
#define RELAY_PATH_MAX 8192

struct relay_request {
	size_t size;
	unsigned char bytes[RELAY_REQUEST_MAX];
};

struct relay_session_description {
	const char *name;
	const char *host;
	const char *path;      /* "": the collector's choice */
	const uint8_t *tracer; /* CTF_UUID_SIZE bytes, not all zeros: whose numbers `id` is of */
	uint64_t id;           /* of the session */
	uint64_t created;      /* seconds since 1970: part of its folder's name */
	uint32_t live_us;      /* viewers may watch, and are told of time so often; 0: not so */
};

void relay_request_version(struct relay_request *request);
/* Names that are too long are cut. */
void relay_request_session(struct relay_request *request,
			   const struct relay_session_description *session);
/* `name`: its folder in the session's; "": there is none, or the collector's choice. */
void relay_request_chunk(struct relay_request *request, uint64_t chunk, uint64_t created,
			 const char *name);
/* 0; -ENAMETOOLONG. `path`: the folder of the stream's trace in the session's. */
int relay_request_stream(struct relay_request *request, const char *name, const char *path,
			 uint64_t chunk);
void relay_request_streams_sent(struct relay_request *request);
/* `size` bytes follow. No answer comes. */
void relay_request_metadata(struct relay_request *request, uint64_t stream, uint32_t size);
/* The metadata begins anew. */
void relay_request_reset_metadata(struct relay_request *request, uint64_t stream, uint64_t version);
void relay_request_index(struct relay_request *request, uint64_t stream, uint64_t sequence,
			 const struct ctf_index_entry *entry);
/* Up to that time of its clock, and in stream class `class_id`, nothing more comes. */
void relay_request_beacon(struct relay_request *request, uint64_t stream, uint64_t sequence,
			  uint64_t time, uint64_t class_id);
/* Are all packets up to `sequence` written? The answer: 0 yes, 1 no. */
void relay_request_pending(struct relay_request *request, uint64_t stream, uint64_t sequence);
/*
 * The stream leaves its chunk for none, before its packet with that number, of those that
 * packets have themselves: viewers find there what they have not read when it is closed.
 */
void relay_request_leave_chunk(struct relay_request *request, uint64_t stream, uint64_t packet);
void relay_request_close_stream(struct relay_request *request, uint64_t stream, uint64_t sequence);
/* `archive`: it is moved to the session's archives. */
void relay_request_close_chunk(struct relay_request *request, uint64_t chunk, uint64_t closed,
			       bool archive);

void relay_data_header(unsigned char bytes[RELAY_DATA_HEADER_SIZE], uint64_t stream,
		       uint64_t sequence, uint32_t size);

/* All 0; or -EREMOTEIO: refused; -EPROTO: that is no answer; -EPROTONOSUPPORT: too old. */
int relay_answer_status(const unsigned char bytes[RELAY_STATUS_SIZE]);
int relay_answer_pending(const unsigned char bytes[RELAY_STATUS_SIZE], bool *pending);
int relay_answer_version(const unsigned char bytes[RELAY_VERSION_SIZE]);
/* *more: bytes that follow. */
int relay_answer_session(const unsigned char bytes[RELAY_SESSION_SIZE], size_t *more);
int relay_answer_stream(const unsigned char bytes[RELAY_STREAM_SIZE], uint64_t *stream);
int relay_answer_closed_chunk(const unsigned char bytes[RELAY_CLOSED_CHUNK_SIZE], size_t *more);

#endif /* RELAY_PROTOCOL_H */
