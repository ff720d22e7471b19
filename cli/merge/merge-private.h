/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * merge-private.h - what merge.c, which writes, and merge-find.c, which finds what there is to be
 * written, share. All return 0, or -errno after a message.
 */
#ifndef LTTNGMAP_CLI_MERGE_MERGE_PRIVATE_H
#define LTTNGMAP_CLI_MERGE_MERGE_PRIVATE_H

#include <stdbool.h>

#include "cli/merge/merge.h"
#include "cli/view/stream-check.h"
#include "common/ctf.h"

/* A stream file. */
struct source {
	size_t folder;
	char *name;
};

struct folder {
	const char *directory; /* the argument that it lies in */
	char *path;
	const char *base; /* of it: ust, kernel */
	uint64_t newest;  /* time of its last packet's end */
	bool has_packets;
	bool is_read; /* its packets are known */
	bool is_done; /* it is in the output */
};

struct packet {
	size_t source;
	struct ctf_index_entry entry; /* big-endian */
	bool is_lost;                 /* its index names it, and it cannot be read */
};

struct merge {
	const char *verb;
	struct merge_result *result;
	struct folder *folders;
	size_t nr_folders;
	size_t first_folder; /* of the directory that was looked through last */
	struct source *sources;
	size_t nr_sources;
	struct packet *packets;
	size_t nr_packets, max_packets;
	/* Of the trace that is being written. */
	int dir, index;
	int out, out_index; /* of the stream; -1: none yet */
	uint64_t written;   /* bytes of it */
	/* The file that was read last; -1: none. */
	int in;
	size_t in_source;
	char *one, *other; /* parts of packets */
};

/* The message of an error of NAME in `what`, or of that alone; but for -ENOMEM. Returns it. */
int merge_fail(const struct merge *merge, const char *what, const char *name, int error);
/* What lies there is another trace's, or none: -EINVAL. */
int merge_refuse(const struct merge *merge, const char *path, const char *why);
/* The folders of traces in or below the directory. */
int merge_find(struct merge *merge, const char *directory);
/* Streams and packets of one of them, of which the metadata says how they are. */
int merge_read(struct merge *merge, const struct stream_format *format, size_t at);

#endif /* LTTNGMAP_CLI_MERGE_MERGE_PRIVATE_H */
