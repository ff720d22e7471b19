/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-set.h - the rings of one process, or of one user's processes, in one channel, as the
 * mediator reads them; the reader's half of the ring (the writer's is
 * liblttngmap/ring/ring.h, what they share is lttngmap/abi.h).
 *
 * Synchronization:
 *
 *   what                         main thread   ring thread    how
 *   table of ring sets           add, remove   look up        cds_lfht, RCU
 *   a ring set's reader state,   freeze, thaw, get_packet,    its mutex
 *   its meta page                finish,       poll, open …
 *                                drained, rotate …
 *   totals                       read          add            atomics (ring-totals.h)
 *   touched                      ask           ask            reads ring control only
 *   mediator data                -             all            no other thread while it runs
 *   its reference count          get, put      get, put       urcu_ref
 *
 * Everything in ring control and ring data is the process's to corrupt: each
 * value is read once and checked before use. A ring that fails a check is
 * closed, counted and named in a message; the others of the set go on.
 */
#ifndef SESSIOND_RING_RING_SET_H
#define SESSIOND_RING_RING_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lttngmap/abi.h>
#include <lttngmap/ring-file.h>

#include "sessiond/ring/ring-totals.h"

struct record_layout;
struct ring_saved; /* what of a set outlives the daemon */
struct ring_set;

/* How the kernel module gets a set (module-abi.h). */
struct ring_set_module {
	int device;       /* /dev/lttngmap; must outlive the set */
	int doorbell;     /* the eventfd that the process writes */
	uint32_t process; /* whose end finishes the set; 0: nobody's */
	uint32_t owner;   /* uid that may open the ring file */
	uint64_t control_at;
};

struct ring_set_config {
	const char *session; /* copied, as all strings here */
	const char *channel;
	const char *procname; /* cleaned: safe in a file name */
	uint32_t pid;
	uint32_t uid;
	uint32_t cpu_rings;
	bool by_rseq; /* a CPU's ring has only what ran on that CPU */
	enum lttngmap_clock clock;
	enum lttngmap_mode mode;
	uint32_t subbuf_shift;
	uint32_t subbufs_shift;
	int data_fd; /* borrowed; must outlive the set, as `rings` */
	uint32_t meta_page_size;
	struct lttngmap_ring *rings; /* ring control of the slot; must outlive the set */
	uint64_t begin;              /* clock: no record of the set is older */
	uint32_t chunk;              /* that its packets belong into */
	/* NULL, or: the kernel module reads the rings, and shows them. */
	const struct ring_set_module *module;
	/* Counters of the session that this set adds to; may be NULL. */
	struct ring_totals *totals;
	/*
	 * ring_set_saved_size() bytes of memory that outlives the daemon, in which
	 * the set keeps what the restarted daemon must know; and the last id given out.
	 * NULL: it is not to outlive it.
	 */
	struct ring_saved *saved;
	uint64_t *last_id;
	uint64_t life;   /* whose rings these are, not 0: as ring_set_saved_generation() tells */
	bool past;       /* they are of a daemon that is gone, maybe of an earlier boot */
	bool can_shrink; /* ring data is a file, that its process can cut short */
	bool is_trigger; /* its doorbell means that events were counted in its tables */
	/* NULL, or: packets of other bytes than these are left out, and counted. */
	const struct record_layout *layout; /* as stream 0 */
	/*
	 * Called once, by any thread, when the set is freed: `rings` and `totals`
	 * are not used any more. Not called where create fails. May be NULL.
	 */
	void (*release)(void *release_data);
	void *release_data;
};

/* Bytes of saved state for a set with the rings of so many CPUs. */
size_t ring_set_saved_size(uint32_t cpu_rings);
/* The generation of the ring set saved before the restart; 0 if none. */
uint64_t ring_set_saved_generation(const struct ring_saved *saved);
uint64_t ring_set_saved_id(const struct ring_saved *saved);

/*
 * Takes over a set that the kernel module has, of a daemon that is gone: that of the old saved
 * state, which is what `config` says. Fills config->saved, for ring_set_restore(). Returns a
 * descriptor of its memory, and where ring control begins there; or -ENOENT: the module has no such
 * set.
 */
int ring_set_module_adopt(const struct ring_set_config *config, const struct ring_saved *old,
			  uint64_t *control_at);

/* Makes the set; one reference. Its meta page is made for the first reader. 0 or -errno. */
int ring_set_create(const struct ring_set_config *config, struct ring_set **set);
/*
 * The same of a set that was there when the daemon died, as it was then;
 * `begin` and `life` are not looked at. Nothing is added to the totals.
 */
int ring_set_restore(const struct ring_set_config *config, struct ring_set **set);
/* It is not to be restored any more; a set of the kernel module's is removed there. */
void ring_set_forget(struct ring_set *set);
struct ring_set *ring_set_get(struct ring_set *set);
/* NULL is allowed. The last put frees it after an RCU grace period. */
void ring_set_put(struct ring_set *set);

/* In the table by id, from ring_set_publish to ring_set_unpublish. */
void ring_set_publish(struct ring_set *set);
void ring_set_unpublish(struct ring_set *set);
/* A reference, or NULL. Any registered RCU thread. */
struct ring_set *ring_set_lookup(uint64_t id);

/* Constant for the life of the set. */
uint64_t ring_set_id(const struct ring_set *set);
const char *ring_set_session(const struct ring_set *set);
const char *ring_set_channel(const struct ring_set *set);
/* "PROCNAME-PID-ID", unique in the daemon's life, safe as a file name. */
const char *ring_set_file_name(const struct ring_set *set);
/* The memory to hand to a reader, and what of it a reader may map. */
int ring_set_data_fd(const struct ring_set *set);
uint64_t ring_set_data_size(const struct ring_set *set);

/* How many readers have read backward (LTTNGMAP_PACKET_BACKWARD) and gone again. */
uint32_t ring_set_backward_passes(struct ring_set *set);
/* One reader at a time: 0, or -EBUSY. */
int ring_set_open_reader(struct ring_set *set);
/* Closes the reader. The next reader gets the packets that this one did not release. */
void ring_set_close_reader(struct ring_set *set);

/* LTTNGMAP_IOC_GET_PACKET and the others, without blocking. 0 or -errno. */
int ring_set_get_packet(struct ring_set *set, struct lttngmap_packet *packet);
int ring_set_get_packets(struct ring_set *set, struct lttngmap_packets *packets);
int ring_set_check_packet(struct ring_set *set);
/* TRACE_MMAP_IOCTL_GET_READER: 1 something new, 0 nothing new, -ENODATA at the end. */
int ring_set_get_reader(struct ring_set *set);
/* POLLIN | POLLHUP as poll(2) shall say. */
unsigned ring_set_poll(struct ring_set *set);
/* Packets are described by the metadata of that generation, where the kernel module gives them. */
void ring_set_describe(struct ring_set *set, uint64_t generation);
/*
 * Should a reader come now, or may it wait a moment for more? It should where
 * a quarter of a ring's sub-buffers waits for it, or nothing more will come.
 */
bool ring_set_is_urgent(struct ring_set *set);
/* Does its reader look by itself (LTTNGMAP_PACKET_AWAKE)? */
bool ring_set_is_awake(struct ring_set *set);
/* Into how many of its rings has anything been written, or lost, since it was made? */
uint32_t ring_set_touched(struct ring_set *set);

/* How full its rings are, and what came of them since they were made. */
struct ring_usage {
	uint64_t written; /* events */
	uint64_t discarded;
	uint64_t overwritten;
	uint64_t unread; /* bytes that no reader was given yet */
};

struct ring_set_usage {
	uint32_t pid;
	uint32_t uid;
	char procname[16];
	uint64_t ring_size; /* bytes: `unread` of one ring is no more */
	struct ring_usage all;
};

/* Rings, those beyond the CPUs' among them. */
uint32_t ring_set_rings(const struct ring_set *set);
/* Look at all of them now; `unread` has room for a number of bytes each. Also tells the totals. */
void ring_set_measure(struct ring_set *set, struct ring_set_usage *usage, uint64_t *unread);

/*
 * Stop: what stands below the positions of now is all that will be read.
 * `thaw` at the next start. Finish: the process is gone, likewise and for ever.
 */
void ring_set_freeze(struct ring_set *set);
void ring_set_thaw(struct ring_set *set);
void ring_set_finish(struct ring_set *set);
/*
 * The clock was reset, from no later value than `latest`: records from before and, once
 * in each ring, earlier ones behind them are right.
 */
void ring_set_reset_clock(struct ring_set *set, uint64_t latest);
/*
 * Forget all that stands below the positions of now, and count into `totals`
 * from now on; what was counted before stays in the former ones, which are not
 * used any more when this returns. The reader's packets are forgotten, too, and are the
 * writers' again: what is made of their bytes is to be thrown away (session-clear.c).
 */
void ring_set_clear(struct ring_set *set, struct ring_totals *totals);
/* Add what it has counted into its totals, since the last clear. */
void ring_set_add_counts(struct ring_set *set, struct ring_totals *totals);
/* Frozen or finished, all of it read and released. */
bool ring_set_drained(struct ring_set *set);

/*
 * Packets are of that user from now on, but for what stands in the rings now. A packet that has
 * both is of the user of the most of it. A set of the kernel module's keeps its user.
 */
void ring_set_change_user(struct ring_set *set, uint32_t user);
/*
 * Packets belong into `chunk` from now on, but for what stands in the rings
 * now: that is given before, what is in sub-buffers that are not full too.
 */
void ring_set_rotate(struct ring_set *set, uint32_t chunk);
/*
 * Makes the current content of the rings readable, partial sub-buffers too. False: there is none,
 * or a rotation does it.
 */
bool ring_set_flush(struct ring_set *set);
/* All that stood in the rings at the last flush was read and released. */
bool ring_set_flushed(struct ring_set *set);
/* All of the chunk before was read and released. */
bool ring_set_rotated(struct ring_set *set);
/* It is not waited for any more: the next packet is of the new chunk. */
void ring_set_end_rotation(struct ring_set *set);

/*
 * Any thread. False: it is no trigger's. Else a process of it rang, or ended, which the main thread
 * is to look for; *first: it does not know yet.
 */
bool ring_set_ring(struct ring_set *set, bool *first);
/*
 * Did anybody ring the bell of this trigger's set? Those bells are heard: whoever counts an event
 * that the caller does not find in the tables now rings another one.
 */
bool ring_set_hear(struct ring_set *set);
/*
 * The tables have `events` events. Returns how many of them are new since the last call, in this
 * daemon or the one before. A smaller number than before is a program's doing, and no event.
 */
uint64_t ring_set_note_events(struct ring_set *set, uint64_t events);
/* The sum of what that has returned since the set was made. */
uint64_t ring_set_noted_events(const struct ring_set *set);

/* The table itself; once a daemon. */
int ring_set_table_create(void);
/* Where there is none, nothing. */
void ring_set_table_destroy(void);

/*
 * The set's place with the mediator, for the mediator's own use: a pointer
 * that it may set and read under its own rules.
 */
void ring_set_set_mediator_data(struct ring_set *set, void *data);
void *ring_set_mediator_data(const struct ring_set *set);

#endif /* SESSIOND_RING_RING_SET_H */
