/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * attach-request.h - a word in the memory of every program that has liblttngmap, by
 * which a session daemon that starts later makes itself known.
 *
 * The struct stands in the library's data. The daemon finds it by its magic in
 * the writable part of a mapped liblttngmap.so, reads it, and writes `word`:
 * nothing else in the process moves. Tracepoints of modules that no daemon
 * knows point at `word`, which is zero: so they are off, and their next event
 * after the daemon's store is the one that registers.
 *
 * A process that is registered has its tracepoints' pointers in its daemon's
 * global control. A daemon that ends says so there (`left`), and leaves
 * ATTACH_REQUEST_WORD in all event words: the next event registers with the daemon that
 * is there by then, or points all tracepoints back at `word`.
 *
 * Written by the process: all of it but `word`, which it takes by an exchange
 * with zero. The daemon believes none of it.
 */
#ifndef COMMON_PROTOCOL_ATTACH_REQUEST_H
#define COMMON_PROTOCOL_ATTACH_REQUEST_H

#include <stdint.h>

#define ATTACH_REQUEST_MAGIC_FIRST UINT64_C(0x6d2a35b1c80e4f97)
#define ATTACH_REQUEST_MAGIC_SECOND UINT64_C(0xe10b7c52d94f6a38)
#define ATTACH_REQUEST_VERSION 2u

/* Stored by the daemon; an event word with all 64 channels on has the same value. */
#define ATTACH_REQUEST_WORD UINT64_MAX

/* Where a process looks for daemons: paths of sockets, in this order (common/protocol/places.h). */
#define ATTACH_REQUEST_PLACES 3u
#define ATTACH_REQUEST_PLACE_SIZE 108u
#define ATTACH_REQUEST_NO_PLACE UINT32_MAX

struct attach_request {
	uint64_t magic[2];
	const struct attach_request *self; /* tells it from a copy */
	uint32_t version;
	uint32_t size;
	uint64_t word;
	uint64_t instance; /* of the daemon that it is registered with; 0: none */
	uint32_t place;    /* where that daemon was found */
	uint32_t reserved;
	char places[ATTACH_REQUEST_PLACES][ATTACH_REQUEST_PLACE_SIZE]; /* "": none */
	uint32_t padding;
};
_Static_assert(sizeof(void *) != 8 || sizeof(struct attach_request) == 56 + 328, "no padding");

#endif /* COMMON_PROTOCOL_ATTACH_REQUEST_H */
