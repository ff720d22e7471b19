/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * process-channel.h - a process in a channel: its ring set there, and the memory that
 * this stands on.
 *
 * A process channel outlives its process until its rings are read; then the session reaps
 * it. It never outlives its channel. The ring set may outlive both while a reader holds it.
 * The lease keeps what the set needs until then: ring control, counters, the slot's rest.
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
	struct lease *lease;      /* the set's; lives as long as it does */
	uint32_t backward_passes; /* backward passes of readers before the current snapshot */
	bool in_snapshot;         /* the current snapshot waits for its content */
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
/*
 * True if everything is read that was in the rings at the last process_channel_flush(). `wake`:
 * if not, wakes the reader again.
 */
bool process_channel_is_flushed(struct process_channel *process_channel, bool wake);
/* Packets belong into `chunk` once the current content of its rings is read. */
void process_channel_rotate(struct process_channel *process_channel, uint32_t chunk);
/*
 * True if everything from before the last process_channel_rotate() is read. `wake`: if not,
 * wakes the reader again.
 */
bool process_channel_is_rotated(struct process_channel *process_channel, bool wake);
/*
 * Events from now on are that user's; `flush`: and those before soon go to
 * the reader, so that no packet has much of both.
 */
void process_channel_change_user(struct process_channel *process_channel, uint32_t user,
				 bool flush);
/* Gives up a rotation: the rings' content no longer decides when the chunk ends. */
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
/* Does the saved state have rings of these memories in this channel? */
bool process_channel_is_saved(const struct channel *channel, const struct memory_set *memories);
/*
 * Snapshots. begin lets the reader come; is_in_snapshot tells whether the reader came and read
 * backward since. A process channel with nothing to read counts as read.
 */
void process_channel_begin_snapshot(struct process_channel *process_channel);
bool process_channel_is_in_snapshot(struct process_channel *process_channel);
/* The process is gone. False: nothing is left to be read, and the process channel is destroyed. */
bool process_channel_end(struct process_channel *process_channel);
/* It can be destroyed: the process is gone and all is read. */
bool process_channel_is_over(struct process_channel *process_channel);
/* Frozen or finished, and nothing is left to be read. */
bool process_channel_is_drained(struct process_channel *process_channel);
void process_channel_destroy(struct process_channel *process_channel);

#endif /* SESSIOND_SESSION_PROCESS_CHANNEL_H */
