/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * stream-check.h - can a reader read all of a stream file? Babeltrace ends with everything at
 * the first packet or record that it cannot read. So each file is walked over before:
 *
 *   packets          common/packet-check.h: headers, sizes, times, order
 *   records          common/record-layout.h
 *   index            says what packets say, or is one that readers leave aside;
 *                    names no packet that the stream has not
 *
 * Behind a header that does not tell where the next packet begins, the walk goes on at the next
 * packet that both the index and the stream have.
 *
 * Nothing that stands in the files is believed. Memory: the largest
 * packet (less than 2 GiB, and than the file), 16 bytes for each gap, and the metadata.
 */
#ifndef LTTNGMAP_CLI_VIEW_STREAM_CHECK_H
#define LTTNGMAP_CLI_VIEW_STREAM_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/packet-check.h"

/*
 * Read FOLDER/metadata. 0; -ENOTSUP: the trace is not of this tracer, or its metadata is damaged
 * (record_trace_fault), and nothing is known of its records; another -errno.
 */
int stream_format_read(struct stream_format *format, const char *folder);
/*
 * Add the text of another part of the trace, or the first one, to a format whose layout is NULL. As
 * stream_format_read().
 */
int stream_format_add(struct stream_format *format, const char *text, size_t size);
void stream_format_free(struct stream_format *format);

/* Bytes of a file that are whole, sound packets. */
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
	uint64_t begin, end; /* first and last time of the sound packets */
	uint64_t sequence;   /* number of the first one */
	/* Damage. */
	uint64_t wrong_packets; /* at least: behind a wrong header only the index knows */
	/* From the first to the last of these, by the trace's clock; lost_end 0: unknown. */
	uint64_t lost_begin, lost_end;
	struct stream_fault fault;
	bool has_wrong_index;
};

struct stream_file {
	char *name; /* in its trace's folder */
	struct stream_check check;
};

/*
 * Walk over the stream file, and over its index where `index_fd` is not -1. `fd` -1: the stream
 * is gone, and everything that its index names is missing. STREAM_REPLACED: so it is, and a pipe,
 * a device or a link to one has its name. Damage is noted in *check, and is no error.
 * 0 or -errno: the file cannot be read. To be freed in both cases.
 */
#define STREAM_REPLACED (-2)
int stream_check(struct stream_check *check, const struct stream_format *format, int fd,
		 int index_fd);
void stream_check_free(struct stream_check *check);

#endif /* LTTNGMAP_CLI_VIEW_STREAM_CHECK_H */
