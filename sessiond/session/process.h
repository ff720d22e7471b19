/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * process.h - the registered processes.
 *
 * A process object ends when
 *   its pidfd says that the process is gone (forked children may still hold
 *   its socket, so the socket alone says nothing); or
 *   a process of the same pid registers, which is known to live (peer.h): this
 *   one ended, or it is the same process after an exec.
 * A socket that hangs up while the process lives means that it closed its
 * descriptors, or is about to exec. Its doorbell is of no use any more; the daemon
 * then polls its rings by a timer until one of the above.
 *
 * Main thread, a registered RCU thread.
 */
#ifndef SESSIOND_SESSION_PROCESS_H
#define SESSIOND_SESSION_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-event.h>
#include <urcu/list.h>
#include <urcu/urcu-memb.h>
#include <urcu/rculfhash.h>

#include <lttngmap/abi.h>

#include "common/base/name.h"
#include "sessiond/mediator/run-queue.h"
#include "sessiond/memory/memory-set.h"

struct app_connection;
struct app_socket;
struct daemon;
struct process_channel;
struct processes;
struct quota_user;

/* How a slot's memory of a process was last used. */
struct process_slot {
	/* Its rings in the channel that has the slot, or NULL. */
	struct process_channel *process_channel;
	bool dirty;            /* used by a channel since it was zeros */
	uint8_t left_out;      /* enum untraced_why: it was counted for having no rings; 0: not */
	bool admitted;         /* by the channel that has the slot now */
	uint8_t subbufs_shift; /* by that channel */
};

struct process {
	struct cds_lfht_node node;
	struct rcu_head rcu;
	struct cds_list_head list;
	struct daemon *daemon;
	uint32_t pid;
	uint32_t uid;
	uint32_t gid;
	char name[NAME_PROGRAM_SIZE]; /* safe in a file name */
	uint64_t since_ms;            /* when it registered, since 1970 */
	uint64_t user_usec;           /* when its rings were last flushed for a change of user */
	bool forked;                  /* it was registered with the classes of its parent */
	bool is_ring_owner;           /* no process: for shared rings (user-rings.h) */
	bool use_rseq;                /* it writes by restartable sequences */
	bool shares;                  /* it can write into shared rings */
	uint16_t abi_minor;           /* LTTNGMAP_ABI_MINOR of its library */
	int pidfd;                    /* of a process; of its end: */
	struct run_entry entry;
	struct app_connection *connection; /* NULL: it hung up */
	struct memory_set *memories;
	struct doorbell *doorbell;
	struct process *shared;       /* its user's ring owner, once it needed that, or NULL */
	unsigned long sharers;        /* of a ring owner: processes that have it so */
	struct saved_process *record; /* what outlives the daemon; of `memories` */
	struct {
		uint64_t device, file;            /* that it registered with; 0: not known */
		char executed[NAME_PROGRAM_SIZE]; /* what it has now instead; "": nothing */
	} program;                                /* executed.h's */
	/* The slots whose sessions have counted it. */
	uint64_t counted;
	struct process_slot slots[LTTNGMAP_CHANNELS];
	uint32_t unproved; /* names of untraced processes that it said, and nobody knows whose */
};

struct saved_state;
struct processes;

struct process_config {
	struct quota_user *payer; /* who is charged for it: its user, or who started it */
	uint32_t pid;
	uint32_t uid;
	uint32_t gid;
	const struct saved_process *parent; /* it was forked from that, has its classes; or NULL */
	bool use_rseq;
	bool shares;
	uint16_t abi_minor;
	int socket; /* of the peer, borrowed: to get its pidfd without a race */
	const char *procname;
	uint32_t procname_size;
};

/* Calls from the processes to their connections (app-socket.h). */
struct process_ops {
	/* The process ends: its connection is closed. */
	void (*forget)(struct process *process);
	/* The connection of a process that was registered before a restart. 0 or -errno. */
	int (*restore)(struct app_socket *app, struct process *process, int fd);
	/* The daemon lacked descriptors for rings: processes that wait for them are served again.
	 */
	void (*retry_soon)(struct app_socket *app);
};

int processes_create(struct processes **processes);
/* All of them end. NULL is allowed. */
void processes_destroy(struct processes *processes);
struct cds_list_head *processes_list(struct processes *processes);
unsigned long processes_count(const struct processes *processes);
/* Was that token given to a process, which lives or ended a while ago? */
bool processes_gave(const struct processes *processes, const struct saved_state *saved_state,
		    uint64_t token);

/*
 * A new process; sessions_join() lets it take part in every started channel. An older one
 * of the same pid ends. 0 or -errno; -ESRCH: it is gone already.
 */
int process_create(struct daemon *daemon, const struct process_config *config,
		   struct process **process);
/*
 * Creates the ring owner of those processes of a user that write in that way, for channels with
 * shared rings. It is in the list only. 0 or -errno.
 */
int process_create_ring_owner(struct daemon *daemon, uint32_t uid, bool use_rseq,
			      struct process **process);
/*
 * One that lived when the daemon died, by its record; it takes part in nothing
 * yet. 0 or -errno: the record is dropped.
 */
int process_restore(struct daemon *daemon, uint32_t index);
/* It was sent its memories. */
void process_answered(struct process *process);
/* The sessions of the slots in the bit set count it, or do not. */
void process_count(struct process *process, uint64_t slots, bool counted);
/* A slot is used from now on, by a channel with so many sub-buffers. */
void process_use_slot(struct process *process, uint32_t slot, uint8_t subbufs_shift);
/* The pid's live object, or NULL. */
struct process *process_lookup(struct processes *processes, uint32_t pid);
/*
 * It registered classes, with these ids; PROTOCOL_APP_NO_ID among them is
 * none. No other class gets these ids while it lives (class-reclaim.h). 0 or -errno: none
 * was noted.
 */
int process_add_classes(struct process *process, const uint16_t *ids, uint32_t nr_ids);
/* The same, for those of its parent. */
int process_inherit_classes(struct process *process, const struct saved_process *parent);
/*
 * A bit for each id of a class that it registered, or its parents did before
 * it was forked. `bits` has room for LTTNGMAP_EVENT_IDS of them.
 */
void process_list_classes(const struct process *process, uint64_t *bits);
/* Its pidfd's inode, which no other process has since the boot; 0: there is none. */
uint64_t process_file(const struct process *process);
/* Its pidfd says that it has ended. */
bool process_is_gone(const struct process *process);
/* process_end(), and that of the rings that it was the last one to share. */
void process_reap(struct process *process);
/*
 * It is that user's now. What it writes from now on is in packets of that user; it keeps its
 * rights, quota and rings, and rings that it shares stay those of who it was.
 */
void process_change_user(struct process *process, uint32_t user);
/* Its socket hung up. */
void process_hung_up(struct process *process);
/*
 * It is gone: its rings are finished, and it is freed. Its socket's owner is
 * told by process_ops->forget().
 */
void process_end(struct process *process);

#endif /* SESSIOND_SESSION_PROCESS_H */
