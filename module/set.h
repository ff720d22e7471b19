/* SPDX-License-Identifier: GPL-2.0 */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * set.h - ring sets in the kernel.
 *
 *   main.c    /dev/lttngmap and the list of all sets
 *   set.c     makes a set; its state, chunks and counts
 *   packets.c its packets, for the reader
 *   memory.c  the set's memory, as the kernel sees it
 *   bell.c    the process's doorbell and its end
 *   file.c    the ring file in debugfs
 *   anchor.c  what a dump of the kernel's memory is read by
 *   host.c    what the core of the ring's reader needs
 *
 * Locks, the outer one first: sets_lock (main.c), states_lock (anchor.c), folders_lock (file.c),
 * lttngmap_set.lock. debugfs_remove() waits for those who open the file, and these take the set's
 * lock: so it is called without. The functions of bell.c that are called by a wait queue take no
 * lock.
 *
 * Everything in the set's memory is the process's to corrupt, at any time: the core reads each
 * word once and checks it. No loop here goes by a number that the process wrote.
 */
#ifndef MODULE_SET_H
#define MODULE_SET_H

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <lttngmap/abi.h>
#include <lttngmap/ring-file.h>

#include "sessiond/ring/module-abi.h"
#include "sessiond/ring/module-dump.h"
#include "sessiond/ring/ring-back.h"
#include "sessiond/ring/ring-reader.h"

struct folder;

/* A segment of ring control that the kernel has mapped: one ring, or those of one page. */
struct unit {
	struct page **pages;
	void *map; /* NULL: the process has not touched it yet */
};

struct lttngmap_set {
	struct kref references;
	struct list_head node; /* in the list of all; sets_lock */

	/* Constant. */
	struct lttngmap_set_info info;
	struct ring_geometry geometry;
	kuid_t owner;
	uint32_t rings;
	uint64_t data_size;
	uint64_t stride;
	uint32_t unit_pages;
	uint32_t units_count;
	struct file *memory;
	struct file *readable; /* the same, opened to read: for readers' maps */

	/* The state of bell.c. */
	struct file *doorbell;
	struct pid *process;
	wait_queue_head_t *doorbell_head;
	wait_queue_entry_t doorbell_wait, process_wait;
	poll_table doorbell_table;
	struct work_struct work;
	bool ended;     /* the process has; atomic */
	atomic_t bells; /* counts what may have changed */
	atomic_t shown; /* its file is there, or has been */
	wait_queue_head_t wait;

	struct mutex lock; /* over all that follows */
	struct dentry *file;
	struct folder *folder;
	bool has_reader;
	bool finished;
	bool frozen;
	bool awake;
	bool removed;
	bool taken_away; /* the reader's packets, by a clear */
	bool passed;     /* all marks are, but for a packet that is held: */
	uint32_t passed_cpu;
	uint64_t passed_sequence;
	uint32_t backward_passes; /* by readers that are gone */
	uint64_t generation;      /* of the metadata */
	uint32_t turn;            /* the ring that is asked first */
	uint32_t given;           /* packets that this reader has; those of one that went: 0 */
	uint32_t back_cpu;
	bool back_holds;
	bool back_used;
	struct ring_back back;
	struct ring_lease back_lease;
	/* While the change of a reader is not finished, both go back (module-dump.h). */
	struct lttngmap_set_state state;
	struct lttngmap_set_state before;
	struct ring_undo undo;
	struct lttngmap_held held[LTTNGMAP_PACKETS_MAX];
	struct unit meta;
	struct unit *units;
	struct ring_reader readers[];
};

/* ---- set.c ---------------------------------------------------------------------- */

/* Is this one component of a path, with its NUL within `size`? */
bool set_is_name(const char *name, size_t size);
/* One reference; `info` was copied from the requester, and is checked. */
struct lttngmap_set *set_make(const struct lttngmap_set_info *info);
void set_put(struct lttngmap_set *set);
/* One reader at a time: 0, -EBUSY, -ENODATA: the set was removed. */
int set_open(struct lttngmap_set *set);
/* The next reader gets the packets that this one has not released. */
void set_close(struct lttngmap_set *set);
/* Serves LTTNGMAP_IOC_GET_PACKETS: up to `most` behind packets[0], which is the request. */
int set_get_packets(struct lttngmap_set *set, struct lttngmap_packet *packets, uint32_t most,
		    uint32_t *count);
int set_check_packet(struct lttngmap_set *set);
/* 1: something new; 0: nothing; -ENODATA: it is over. */
int set_get_reader(struct lttngmap_set *set);
/* EPOLLIN, EPOLLHUP or 0. */
__poll_t set_poll(struct lttngmap_set *set);
void set_freeze(struct lttngmap_set *set, bool frozen);
void set_finish(struct lttngmap_set *set);
void set_flush(struct lttngmap_set *set);
void set_rotate(struct lttngmap_set *set, uint32_t chunk);
void set_end_rotation(struct lttngmap_set *set);
void set_clear(struct lttngmap_set *set);
void set_describe(struct lttngmap_set *set, uint64_t generation);
void set_reset_clock(struct lttngmap_set *set, uint64_t latest);
void set_count(struct lttngmap_set *set, struct lttngmap_set_counts *counts);
/* The file appears if anything was ever written; the readers look again. */
void set_update(struct lttngmap_set *set, bool show);

/* Shared by set.c and packets.c; the lock is held. */
void set_close_ring(struct lttngmap_set *set, uint32_t ring);
/* Brings the set up to what its process did. */
void set_follow(struct lttngmap_set *set);
/* All rings' counts since the last clear. */
struct ring_account set_sum(const struct lttngmap_set *set);
/* True if the next packet of that ring belongs to the next chunk. */
bool set_is_beyond(const struct lttngmap_set *set, uint32_t ring);
/* Begins the next chunk where all of the one before was read. */
void set_pass_rotation(struct lttngmap_set *set);
void set_tell_awake(struct lttngmap_set *set, bool awake);
/* Does a packet wait that the reader was not given? */
bool packets_wait(struct lttngmap_set *set);
/* The first packet is counted, and its sub-buffer the writers' again. */
void packets_release(struct lttngmap_set *set);

static inline uint32_t set_held(const struct lttngmap_set *set)
{
	return set->state.to - set->state.from;
}

/* ---- memory.c --------------------------------------------------------------------- */

int memory_begin(void);
void memory_end(void);
/* Checks the descriptor and takes it. 0 or -errno. */
int memory_take(struct lttngmap_set *set);
void memory_drop(struct lttngmap_set *set);
/* Makes the meta page for the first reader. 0 or -errno. */
int memory_make_meta(struct lttngmap_set *set);
static inline struct lttngmap_meta *memory_meta(const struct lttngmap_set *set)
{
	return set->meta.map;
}
/*
 * The ring's reader looks at the process's ring from the moment on when that was touched, before
 * at zeros. The set's lock is held.
 */
void memory_look(struct lttngmap_set *set, uint32_t ring);
/* Has the ring been mapped? */
bool memory_is_mapped(const struct lttngmap_set *set, uint32_t ring);
/* Where a ring's reader begins. */
struct lttngmap_ring *memory_zeros(void);

/* ---- bell.c ------------------------------------------------------------------------ */

int bell_begin(void);
void bell_end(void);
/* Where it fails, bell_stop() is due all the same. */
int bell_start(struct lttngmap_set *set);
/* Nothing more comes from there when it returns. Done twice, it is done once; without lock. */
void bell_stop(struct lttngmap_set *set);

/* ---- file.c ------------------------------------------------------------------------ */

int file_begin(void);
void file_end(void);
/* The set's lock is held. */
void file_show(struct lttngmap_set *set);
/* It is not. */
void file_hide(struct lttngmap_set *set);
/*
 * The folder of a channel is there, as LTTNGMAP_CHANNEL_ADD has it; `owner` is the open file of the
 * device. 0 or -errno.
 */
int file_add_channel(const struct lttngmap_channel_name *name, const void *owner);
int file_remove_channel(const struct lttngmap_channel_name *name, const void *owner);
/* The owner is gone: its sessions are anybody's. Their folders stay. */
void file_leave_channels(const void *owner);

/* ---- anchor.c ---------------------------------------------------------------------- */

/* `sets`: the list of all. */
void anchor_begin(struct list_head *sets);
void anchor_end(void);
/* Serves LTTNGMAP_STATE_ADD; `owner` is the open file of the device. 0 or -errno. */
int anchor_add_state(int fd, const void *owner);
/* The owner is gone: its saved states stay until anchor_drop_states(). */
void anchor_leave_states(const void *owner);
/* There is no set: saved states of those who are gone are of no use. */
void anchor_drop_states(void);

#endif /* MODULE_SET_H */
