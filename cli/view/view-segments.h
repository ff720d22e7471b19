/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view-segments.h - shared by view-segments.c, which knows what there is and what was shown, and
 * view-segments-copy.c, which copies segments.
 */
#ifndef CLI_VIEW_VIEW_SEGMENTS_H
#define CLI_VIEW_VIEW_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/view/stream-check.h"
#include "cli/view/view.h"
#include "common/protocol/ctf.h"

struct view_followed {
	dev_t device; /* of the index */
	ino_t inode;
	size_t number;                /* position in `all` */
	char *index;                  /* its current path */
	struct ctf_index_entry first; /* tells when another file has the inode */
	uint64_t entries;             /* packets on disk */
	uint64_t next;                /* packet that was not completely shown */
	uint64_t shown;               /* events of that packet that were shown */
	uint64_t told;                /* losses before this packet number were reported */
	bool damaged;
	/* In the current segment: */
	bool is_in;
	bool is_blocked;    /* its next event is later than the horizon */
	uint64_t base, end; /* its packets */
	uint64_t at;        /* packet that is being read; before the first, base - 1 */
	uint64_t event;     /* events of that packet read so far */
};

/* A trace of a segment: streams of one folder that do not continue one another. */
struct segment_trace {
	char *folder;
	unsigned twin;
	struct stream_format format; /* layout is NULL if the records' layout is unknown */
	char path[64];
};

struct view_segments {
	const char *root;
	struct view_followed **all;
	size_t count;
	void *tree; /* by device and inode */
	int error;
	int64_t asked;   /* nothing later is shown */
	int64_t horizon; /* the same for this segment: earlier if the segment lacks part of a stream
			  */
	int64_t latest;  /* of the shown events */
	bool is_done;
	bool is_late;    /* something is left that is later than `asked` */
	char folder[48]; /* "": not made yet */
	struct segment_trace *traces;
	size_t nr_traces;
	struct {
		uint64_t key;
		unsigned count;
	} * twins; /* streams of the segment; open addressing, a power of two of places */
	size_t places;
};

/* True if the stream has packets that were not completely shown. */
static inline bool view_followed_has_news(const struct view_followed *followed)
{
	return !followed->damaged && followed->entries > followed->next;
}

/* Makes segments->folder for the segments' traces. 0 or -errno. */
int view_segments_make_folder(struct view_segments *segments);
/*
 * Copies new packets of each stream into the segment's traces; *more: a segment's size is limited,
 * and more packets are left. Reports damaged streams once, and then leaves them out. 0 or -errno.
 */
int view_segments_copy(struct view_segments *segments, bool *more);

#endif /* CLI_VIEW_VIEW_SEGMENTS_H */
