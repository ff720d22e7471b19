/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/stream/stream-reuse.h"

#include <errno.h>
#include <sys/stat.h>

/* A stream that its sender has not noted yet is looked for after so many packets. */
#define LOOK_PACKETS 8

/* They are made by who sends, with its owner's rights. */
static void open_notes(struct trace *trace)
{
	if (trace->journal >= 0 && trace->progress >= 0)
		return;
	trace_become_owner(trace);
	trace_open_notes(trace);
	trace_become_self();
}

int reuse_begin(struct reuse *reuse, struct trace *trace, int index_fd,
		const struct stream_tail *tail)
{
	struct stat status;

	if (fstat(index_fd, &status) < 0)
		return -errno;
	reuse->inode = status.st_ino;
	open_notes(trace);
	reuse->lost = trace_lost(trace);
	circle_begin(&reuse->circle, tail->size, tail->packets);
	/* Nobody knows any more which of them were on the way then. */
	return reuse->lost && tail->packets ? -ESTALE : 0;
}

int reuse_find(struct reuse *reuse, struct trace *trace, const char *name, uint64_t size,
	       const struct stream_tail *tail, struct circle_place *place)
{
	struct relay_journal_record record = { .confirmed = 0 };

	if (reuse->slot || tail->packets >= reuse->looked) {
		open_notes(trace);
		if (!trace_find_record(trace, name, reuse->inode, &reuse->slot, &record))
			record.confirmed = 0;
		reuse->looked = tail->packets + LOOK_PACKETS;
	}
	/*
	 * Packets in transit when a connection was lost are confirmed only after that was noted.
	 * After a machine's crash the note may count packets that were lost.
	 */
	if (trace_lost(trace) != reuse->lost || record.confirmed > tail->packets)
		return -ESTALE;
	*place = circle_find(&reuse->circle, size, tail->size, record.confirmed, tail->packets);
	return 0;
}
