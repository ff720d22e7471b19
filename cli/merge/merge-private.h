/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * merge-private.h - shared by merge-find.c, which finds packets, and merge.c, which writes them.
 * All functions return 0, or -errno after a message.
 */
#ifndef CLI_MERGE_MERGE_PRIVATE_H
#define CLI_MERGE_MERGE_PRIVATE_H

#include <stdbool.h>

#include "cli/merge/merge.h"
#include "cli/view/stream-check.h"
#include "common/protocol/ctf.h"

/* A stream file. */
struct source {
	size_t folder;
	char *name;
};

struct folder {
	const char *directory; /* the argument that contains the folder */
	char *path;
	const char *base; /* last part of the path: ust, kernel */
	uint64_t newest;  /* end time of its last packet */
	bool has_packets;
	bool is_read; /* its packets are known */
	bool is_done; /* it is in the output */
};

struct packet {
	size_t source;
	struct ctf_index_entry entry; /* big-endian */
	bool is_lost;                 /* its index names it, but it cannot be read */
};

struct merge {
	const char *verb;
	struct merge_result *result;
	struct folder *folders;
	size_t nr_folders;
	size_t first_folder; /* first folder of the current directory */
	struct source *sources;
	size_t nr_sources;
	struct packet *packets;
	size_t nr_packets, max_packets;
	/* The trace that is being written: */
	int dir, index;
	int out, out_index; /* of the stream; -1: none yet */
	uint64_t written;   /* bytes of the stream */
	/* The file that was read last; -1: none. */
	int in;
	size_t in_source;
	char *one, *other; /* buffers for parts of packets */
};

/*
 * Prints the message of an error of `what`/`name`, or of `what` alone; nothing for -ENOMEM. Returns
 * `error`.
 */
int merge_fail(const struct merge *merge, const char *what, const char *name, int error);
/* Prints that `path` belongs to another trace or to none; returns -EINVAL. */
int merge_refuse(const struct merge *merge, const char *path, const char *why);
/* Finds the folders of traces in or below the directory. */
int merge_find(struct merge *merge, const char *directory);
/* Reads the streams and packets of folder number `at`, which `format` describes. */
int merge_read(struct merge *merge, const struct stream_format *format, size_t at);

#endif /* CLI_MERGE_MERGE_PRIVATE_H */
