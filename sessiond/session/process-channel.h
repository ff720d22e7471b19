/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * process-channel.h - a process in a channel: its ring set there, and the memory that
 * this stands on.
 *
 * A process channel outlives its process until its rings are read (the session reaps
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

struct process_channel {
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
 * has no rings in the slot that suffice, it is let in without a process channel. It asks for rings
 * at its first event: then again with `make_memory`. 0 or -errno; what failed was said.
 */
int process_channel_join(struct channel *channel, struct process *process, bool make_memory);
/* The channel stopped, or starts again. */
void process_channel_freeze(struct process_channel *process_channel);
void process_channel_thaw(struct process_channel *process_channel);
/* Makes the current content of its rings readable soon. */
void process_channel_flush(struct process_channel *process_channel);
/* Was all read that stood in its rings at the last flush? As process_channel_is_rotated(). */
bool process_channel_is_flushed(struct process_channel *process_channel, bool wake);
/* Packets belong into `chunk` from now on, when what its rings hold now is read. */
void process_channel_rotate(struct process_channel *process_channel, uint32_t chunk);
/* Is it? Where not, its reader may be `wake`d once more. */
bool process_channel_is_rotated(struct process_channel *process_channel, bool wake);
/* No matter. */
void process_channel_end_rotation(struct process_channel *process_channel);
/* The process says that it lost so many events for want of rings. */
void process_channel_count_lost(struct channel *channel, const struct process *process,
				uint32_t lost);
/* Forget what is in its rings, and count into these totals from now on. */
void process_channel_clear(struct process_channel *process_channel, struct session_totals *totals);
/*
 * One that was there when the daemon died, by its record in the saved state; the
 * process is NULL where it is gone, and its doorbell is given. 0 or -errno.
 */
int process_channel_restore(struct channel *channel, struct process *process,
			    struct memory_set *memories, struct doorbell *doorbell);
/* Is there one to be restored? */
bool process_channel_is_saved(const struct channel *channel, const struct memory_set *memories);
/*
 * Snapshots: let its reader come, and say whether it came and read backward
 * since. A process channel without anything to read is as one that was.
 */
void process_channel_begin_snapshot(struct process_channel *process_channel);
bool process_channel_is_in_snapshot(struct process_channel *process_channel);
/* The process is gone. False: and so is the process channel, which had nothing to be read. */
bool process_channel_end(struct process_channel *process_channel);
/* It can be destroyed: the process is gone and all is read. */
bool process_channel_is_over(struct process_channel *process_channel);
/* Frozen or finished, and nothing is left to be read. */
bool process_channel_is_drained(struct process_channel *process_channel);
void process_channel_destroy(struct process_channel *process_channel);

#endif /* SESSIOND_SESSION_PROCESS_CHANNEL_H */
