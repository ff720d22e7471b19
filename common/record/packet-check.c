/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "common/record/packet-check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* No sub-buffer is larger: a header that says so is damaged, and no memory is made for it. */
#define CONTENT_MAX (UINT64_C(1) << 31)

int packet_read(int fd, void *bytes, uint64_t size, uint64_t offset)
{
	while (size > 0) {
		ssize_t got = pread(fd, bytes, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -ENODATA;
		bytes = (char *)bytes + got;
		offset += (uint64_t)got;
		size -= (uint64_t)got;
	}
	return 0;
}

void stream_fault_of(struct stream_fault *fault, const struct ctf_packet_header *header)
{
	if (fault->program[0])
		return;
	memcpy(fault->program, header->procname, sizeof(header->procname));
	fault->pid = header->pid;
}

void stream_fault_note(struct stream_fault *fault, uint64_t number, uint64_t at, const char *what)
{
	if (fault->why[0] == '\0')
		snprintf(fault->why, sizeof(fault->why),
			 "packet %" PRIu64 " at byte %" PRIu64 ": %s", number, at, what);
}

const char *stream_fault_text(const struct stream_fault *fault, char text[STREAM_FAULT_TEXT_SIZE])
{
	char whose[64] = "";

	if (fault->program[0])
		snprintf(whose, sizeof(whose), " of %s (process %" PRIu32 ")", fault->program,
			 fault->pid);
	snprintf(text, STREAM_FAULT_TEXT_SIZE, "%s is broken: %s", whose, fault->why);
	return text;
}

const char *packet_time_text(const struct record_trace *trace, uint64_t at,
			     char text[PACKET_TIME_SIZE])
{
	uint64_t cycles = trace->offset % trace->frequency + at % trace->frequency;
	time_t seconds = (time_t)((uint64_t)trace->offset_s + trace->offset / trace->frequency +
				  at / trace->frequency + cycles / trace->frequency);
	double rest = (double)(cycles % trace->frequency) / (double)trace->frequency;
	struct tm local;
	size_t length;

	if (!localtime_r(&seconds, &local))
		return "?";
	length = strftime(text, PACKET_TIME_SIZE, "%H:%M:%S", &local);
	snprintf(text + length, PACKET_TIME_SIZE - length, ".%03u", (unsigned)(rest * 1000));
	return text;
}

void packet_past_add(struct packet_past *past, const struct ctf_packet_header *header)
{
	past->packets++;
	past->stream_id = header->stream_id;
	past->instance = header->stream_instance_id;
	past->sequence = header->packet_seq_num;
	past->end = header->timestamp_end;
}

const char *packet_check_extent(const struct ctf_packet_header *header,
				const uint8_t uuid[CTF_UUID_SIZE], uint64_t room)
{
	if (header->magic != CTF_PACKET_MAGIC)
		return "no packet header";
	if (memcmp(header->uuid, uuid, sizeof(header->uuid)) != 0)
		return "packet of another trace";
	if (header->packet_size % 8 || header->content_size % 8 ||
	    header->content_size > header->packet_size ||
	    header->content_size < sizeof(*header) * 8 || header->content_size / 8 > CONTENT_MAX)
		return "packet of a size that cannot be";
	if (header->packet_size / 8 > room)
		return "packet that runs past the file";
	return NULL;
}

/* Readers count nanoseconds since 1970 in 63 bits. */
static bool is_countable(const struct record_trace *trace, uint64_t time)
{
	uint64_t seconds = time / trace->frequency;
	const int64_t most = INT64_MAX / 1000000000 - 2;

	return seconds < (uint64_t)most && trace->offset_s < most - (int64_t)seconds &&
	       trace->offset_s > -most;
}

const char *packet_check_order(const struct packet_past *past,
			       const struct ctf_packet_header *header,
			       const struct record_trace *trace)
{
	if (header->timestamp_end < header->timestamp_begin)
		return "packet that ends before it begins";
	if (!is_countable(trace, header->timestamp_end))
		return "packet of a time that cannot be";
	if (past->packets == 0)
		return NULL;
	if (header->stream_id != past->stream_id || header->stream_instance_id != past->instance)
		return "packet of another stream";
	if (header->timestamp_begin < past->end)
		return "packet that begins before the last one ended";
	if (header->packet_seq_num <= past->sequence)
		return "packet with the number of an earlier one";
	return NULL;
}

static int make_room(struct packet_body *body, uint64_t length)
{
	char *bytes;

	if (length <= body->room)
		return 0;
	bytes = realloc(body->bytes, length);
	if (!bytes)
		return -ENOMEM;
	body->bytes = bytes;
	body->room = length;
	return 0;
}

/* Reads the data of a file with holes into new memory, whose zeros take no room. */
static int read_data(struct packet_body *body, int fd, uint64_t length, uint64_t at)
{
	uint64_t end = at + length;
	off_t data, hole = (off_t)at;
	int error = 0;

	free(body->bytes);
	*body = (struct packet_body){ .bytes = calloc(1, length), .room = length };
	if (!body->bytes) {
		body->room = 0;
		return -ENOMEM;
	}
	while (!error && (uint64_t)hole < end) {
		data = lseek(fd, hole, SEEK_DATA);
		if (data < 0 || (uint64_t)data >= end)
			break;
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole <= data)
			return -EIO;
		error = packet_read(fd, body->bytes + ((uint64_t)data - at),
				    ((uint64_t)hole < end ? (uint64_t)hole : end) - (uint64_t)data,
				    (uint64_t)data);
	}
	return error;
}

static int read_body(struct packet_body *body, int fd, uint64_t length, uint64_t at)
{
	off_t hole = lseek(fd, (off_t)at, SEEK_HOLE);
	int error;

	if (hole >= 0 && (uint64_t)hole < at + length)
		return read_data(body, fd, length, at);
	error = make_room(body, length);
	return error ? error : packet_read(fd, body->bytes, length, at);
}

int packet_check_records(struct packet_body *body, int fd, uint64_t at,
			 const struct ctf_packet_header *header, const struct record_layout *layout,
			 char text[RECORD_FAULT_TEXT_SIZE], const char **what)
{
	struct record_span span = {
		.length = header->content_size / 8 - sizeof(*header),
		.begin = header->timestamp_begin,
		.end = header->timestamp_end,
		.events = RECORD_COUNT_UNKNOWN,
	};
	struct record_fault fault;
	int error;

	*what = NULL;
	error = read_body(body, fd, span.length, at + sizeof(*header));
	if (error)
		return error;
	span.bytes = body->bytes;
	if (!record_layout_check(layout, header->stream_id, &span, &fault))
		*what = record_fault_text(&fault, text);
	return 0;
}
