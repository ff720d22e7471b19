/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * stream-check.h - checks that readers can read a stream file. Babeltrace gives up the whole trace
 * at the first packet or record that it cannot read. So each file is checked before:
 *
 *   packets          common/record/packet-check.h: headers, sizes, times, order
 *   records          common/record/record-layout.h
 *   index            agrees with the packets, or is ignored by readers; names no packet that
 *                    the stream lacks
 *
 * If a header does not tell where the next packet begins, the check continues at the next packet
 * that both the index and the stream have.
 *
 * The files are not trusted. Memory needed: the largest packet (smaller than 2 GiB and than the
 * file), 16 bytes for each gap, and the metadata.
 */
#ifndef CLI_VIEW_STREAM_CHECK_H
#define CLI_VIEW_STREAM_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/record/packet-check.h"

/*
 * Reads FOLDER/metadata. 0; -ENOTSUP: another tracer's trace, or damaged metadata
 * (record_trace_fault), so that the records' layout is unknown; -E2BIG, after a message of `verb`:
 * no reader may have that metadata; -ENODATA: it cannot be read as a whole; other -errno.
 */
int stream_format_read(struct stream_format *format, const char *verb, const char *folder);
/*
 * Adds the metadata text of another part of the trace, or of the first part if `layout` is NULL.
 * Returns as stream_format_read() does.
 */
int stream_format_add(struct stream_format *format, const char *text, size_t size);
void stream_format_free(struct stream_format *format);

/* Bytes of a file that are complete, sound packets. */
struct stream_extent {
	uint64_t begin, size;
};

struct stream_check {
	/* Sound packets. */
	struct stream_extent *extents;
	size_t nr_extents;
	uint64_t packets;
	uint32_t stream_id;
	uint64_t instance;
	uint64_t begin, end; /* first and last time in the sound packets */
	uint64_t sequence;   /* number of the first sound packet */
	/* Damage. */
	uint64_t wrong_packets; /* at least: behind a wrong header only the index tells */
	/* Times of the first and last lost packet, by the trace's clock; lost_end 0: unknown. */
	uint64_t lost_begin, lost_end;
	struct stream_fault fault;
	bool has_wrong_index;
};

struct stream_file {
	char *name; /* in its trace's folder */
	struct stream_check check;
	int index_error; /* 0, or -errno: its index is there and was not opened */
};

/*
 * Checks the stream file, and its index unless `index_fd` is -1. `fd` -1: the stream is gone, and
 * all packets of its index are missing; STREAM_REPLACED: its name belongs to a pipe, a device or a
 * symbolic link now, which counts likewise. Damage is noted in *check, and is no error. 0, or
 * -errno: the file cannot be read. The caller frees *check in both cases.
 */
#define STREAM_REPLACED (-2)
int stream_check(struct stream_check *check, const struct stream_format *format, int fd,
		 int index_fd);
void stream_check_free(struct stream_check *check);

#endif /* CLI_VIEW_STREAM_CHECK_H */
