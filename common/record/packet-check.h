/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * packet-check.h - can a reader read the packets of a stream, one behind the other? One set of
 * rules for those who show streams (cli/view/stream-check.h) and for those who mend them
 * (consumerd/trace/stream-repair.h): the first packet or record against a rule ends babeltrace2.
 *
 * No check believes a header. A fault's text has program and pid as the header says them.
 */
#ifndef COMMON_RECORD_PACKET_CHECK_H
#define COMMON_RECORD_PACKET_CHECK_H

#include <stdint.h>

#include "common/record/record-layout.h"

/* The record layouts and the clock that a trace's metadata describes. */
struct stream_format {
	struct record_layout *layout;
	struct record_trace trace;
};

/* The packets before, all sound; all zeros: there is none. */
struct packet_past {
	uint64_t packets;
	uint32_t stream_id;
	uint64_t instance;
	uint64_t sequence; /* of the last one */
	uint64_t end;      /* likewise */
};

/* The first fault of a stream; all zeros before one is found. */
struct stream_fault {
	char program[CTF_PROCNAME_SIZE + 1]; /* of the first packet with a whole header; or "" */
	uint32_t pid;                        /* likewise */
	char why[256]; /* the first wrong packet or record; "": there is none */
};

/* Notes the program and pid of a packet's header, unless the fault has them already. */
void stream_fault_of(struct stream_fault *fault, const struct ctf_packet_header *header);
/* Packet `number`, at byte `at`; the first one stays. */
void stream_fault_note(struct stream_fault *fault, uint64_t number, uint64_t at, const char *what);
#define STREAM_FAULT_TEXT_SIZE 320
/* " of emit (process 4711) is broken: packet 1 at byte 4096: unknown event …". Returns `text`. */
const char *stream_fault_text(const struct stream_fault *fault, char text[STREAM_FAULT_TEXT_SIZE]);

/* Room for a packet's records, used again. All zeros at first; `bytes` is to be freed. */
struct packet_body {
	char *bytes;
	uint64_t room;
};

#define PACKET_TIME_SIZE 32
/* The local time of day of a packet's timestamp: "09:03:02.123". Returns `text`. */
const char *packet_time_text(const struct record_trace *trace, uint64_t at,
			     char text[PACKET_TIME_SIZE]);

void packet_past_add(struct packet_past *past, const struct ctf_packet_header *header);

/*
 * Does a packet of that trace lie there, in `room` bytes, so that the next one can be found? NULL,
 * or what is wrong.
 */
const char *packet_check_extent(const struct ctf_packet_header *header,
				const uint8_t uuid[CTF_UUID_SIZE], uint64_t room);
/* Does the packet follow those before, at a time that readers can count? NULL, or what is wrong. */
const char *packet_check_order(const struct packet_past *past,
			       const struct ctf_packet_header *header,
			       const struct record_trace *trace);
/*
 * Its records, which are read from `fd`; it begins at byte `at`. *what: NULL, or what is wrong,
 * which may stand in `text`. 0 or -errno: they cannot be read.
 */
int packet_check_records(struct packet_body *body, int fd, uint64_t at,
			 const struct ctf_packet_header *header, const struct record_layout *layout,
			 char text[RECORD_FAULT_TEXT_SIZE], const char **what);

/* All of these bytes. 0; -ENODATA: the file ends before; another -errno. */
int packet_read(int fd, void *bytes, uint64_t size, uint64_t offset);

#endif /* COMMON_RECORD_PACKET_CHECK_H */
