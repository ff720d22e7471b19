/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * trace.h - the folder of one CTF trace: OUTPUT/ust with the metadata, the
 * stream files and index/. Readers take every other file in it for a stream,
 * but for names that begin with '.'.
 *
 * Where the consumer is root's, it looks up, makes and removes files as the
 * user that the trace is for: it gets nowhere where that user would not.
 */
#ifndef CONSUMERD_TRACE_H
#define CONSUMERD_TRACE_H

#include <stdint.h>
#include <sys/types.h>

#include "common/ctf.h"

#define TRACE_DIRECTORY "ust"
#define TRACE_METADATA "metadata"

struct trace {
	int dir;   /* OUTPUT/ust */
	int index; /* OUTPUT/ust/index */
	uint8_t uuid[CTF_UUID_SIZE];
	uid_t owner;
	gid_t group;
};

/*
 * Make the folders where they are missing, and repair the streams that an
 * earlier consumer left there. 0; -EEXIST: another trace lies there; another
 * -errno. Nothing is to be closed after a failure.
 */
int trace_open_as(struct trace *trace, const char *output, const uint8_t uuid[CTF_UUID_SIZE],
		  uid_t owner, gid_t group);
/* As ourselves. */
int trace_open(struct trace *trace, const char *output, const uint8_t uuid[CTF_UUID_SIZE]);
void trace_close(struct trace *trace);

/*
 * Put the text that `memory` holds in place of the metadata: readers see the
 * old or the new, whole. 0 or -errno.
 */
int trace_write_metadata(const struct trace *trace, int memory);

/* Remove all but the metadata; no stream of it is open. 0 or -errno. */
int trace_clear(const struct trace *trace);

/* Open DIR/NAME and index/NAME.idx, made where missing. 0 or -errno. */
int trace_open_stream(const struct trace *trace, const char *name, int *stream_fd, int *index_fd);

#endif /* CONSUMERD_TRACE_H */
