/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * process-channel.h - a process in a channel: its ring set there, and the memory that
 * this stands on.
 *
 * A member outlives its process until its rings are read (the session reaps
 * it then), and never its channel. The ring set may outlive both, in a
 * reader's hands; what it needs (ring control, counters, the slot's rest) is
 * held for it until it is freed.
 *
 * Main thread.
 */
#ifndef SESSIOND_SESSION_PROCESS_CHANNEL_H
#define SESSIOND_SESSION_PROCESS_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include <urcu/list.h>

struct channel;
struct doorbell;
struct memory_set;
struct process;
struct session_totals;

struct member {
	struct cds_list_head node; /* in the channel's list */
	struct channel *channel;
	struct process *process; /* NULL: gone */
	uint64_t ended_usec;     /* since then */
	struct ring_set *set;
	struct doorbell_set *shown;
	struct lease *lease; /* the set's; lives as long as it does */
	uint32_t looks_back; /* of readers, before the snapshot that is being taken */
	bool in_snapshot;    /* it has something for that */
};

/*
 * The process takes part in a started channel from now on. Without `make_memory`, and where it
 * has no rings in the slot that suffice, it is let in without a member. It asks for rings at its
 * first event: then again with `make_memory`. 0 or -errno; what failed was said.
 */
int member_join(struct channel *channel, struct process *process, bool make_memory);
/* The channel stopped, or starts again. */
void member_freeze(struct member *member);
void member_thaw(struct member *member);
/* What its rings hold now is to be read soon. */
void member_flush(struct member *member);
/* Was all read that stood in its rings at the last flush? As member_is_rotated(). */
bool member_is_flushed(struct member *member, bool wake);
/* Packets belong into `chunk` from now on, when what its rings hold now is read. */
void member_rotate(struct member *member, uint32_t chunk);
/* Is it? Where not, its reader may be `wake`d once more. */
bool member_is_rotated(struct member *member, bool wake);
/* No matter. */
void member_end_rotation(struct member *member);
/* The process says that it lost so many events for want of rings. */
void member_count_lost(struct channel *channel, const struct process *process, uint32_t lost);
/* Forget what is in its rings, and count into these totals from now on. */
void member_clear(struct member *member, struct session_totals *totals);
/*
 * One that was there when the daemon died, by its record in the ledger; the
 * process is NULL where it is gone, and its doorbell is given. 0 or -errno.
 */
int member_restore(struct channel *channel, struct process *process, struct memory_set *memories,
		   struct doorbell *doorbell);
/* Is there one to be restored? */
bool member_is_saved(const struct channel *channel, const struct memory_set *memories);
/*
 * Snapshots: let its reader come, and say whether it came and looked back
 * since. A member without anything to read is as one that was.
 */
void member_begin_snapshot(struct member *member);
bool member_is_in_snapshot(struct member *member);
/* The process is gone. False: and so is the member, which had nothing to be read. */
bool member_end(struct member *member);
/* It can be destroyed: the process is gone and all is read. */
bool member_is_over(struct member *member);
/* Frozen or finished, and nothing is left to be read. */
bool member_is_drained(struct member *member);
void member_destroy(struct member *member);

#endif /* SESSIOND_SESSION_PROCESS_CHANNEL_H */
