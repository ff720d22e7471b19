/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view-segments.h - what view-segments.c, which knows what is there and what was shown, and
 * view-segments-copy.c, which makes the small traces, share.
 */
#ifndef LTTNGMAP_CLI_VIEW_VIEW_SEGMENTS_H
#define LTTNGMAP_CLI_VIEW_VIEW_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/view/stream-check.h"
#include "cli/view/view.h"
#include "common/ctf.h"

struct view_followed {
	dev_t device; /* of the index */
	ino_t inode;
	size_t number;                /* its place among all */
	char *index;                  /* where it is now */
	struct ctf_index_entry first; /* of an inode that is used again, another one */
	uint64_t entries;             /* packets on disk */
	uint64_t next;                /* the packet of which not all was shown */
	uint64_t shown;               /* events of that which were */
	uint64_t told;                /* losses before packets below were told of */
	bool damaged;
	/* In the piece that is made now: */
	bool is_in;
	bool is_blocked;    /* its next event is later than is to be shown */
	uint64_t base, end; /* packets of it */
	uint64_t at;        /* the packet that is read: one less than base before the first */
	uint64_t event;     /* … and how many events of it were read */
};

/* One trace of a piece: streams of one folder, none of which go on in one another. */
struct segment_trace {
	char *folder;
	unsigned twin;
	struct stream_format format; /* its layout is NULL where nothing is known of records */
	char path[64];
};

struct view_segments {
	const char *root;
	struct view_followed **all;
	size_t count;
	void *tree; /* by device and inode */
	int error;
	int64_t asked;   /* nothing later is shown */
	int64_t horizon; /* … for now: where not all of a stream is in the followed, earlier */
	int64_t latest;  /* of what was shown */
	bool is_done;
	bool is_late;    /* what is left is later than was asked for */
	char folder[48]; /* "": not made */
	struct segment_trace *traces;
	size_t nr_traces;
	struct {
		uint64_t key;
		unsigned count;
	} * twins; /* streams of the followed; open addressing, a power of two of places */
	size_t places;
};

/* Packets that were not shown to their end. */
static inline bool view_followed_has_news(const struct view_followed *followed)
{
	return !followed->damaged && followed->entries > followed->next;
}

/* Where the piece's traces are to be: pieces->folder. 0 or -errno. */
int view_segments_make_folder(struct view_segments *segments);
/*
 * Copy what is new of each stream into windows of the piece; *more: not all of it, for a
 * piece is bounded. What is damaged is said, and left out from then on. 0 or -errno.
 */
int view_segments_copy(struct view_segments *segments, bool *more);

#endif /* LTTNGMAP_CLI_VIEW_VIEW_SEGMENTS_H */
