/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * memory-set.h - all memories of one process, and a pool of them ready made.
 *
 * A process that no channel takes has no memory of rings: it costs its socket, its pidfd and its
 * doorbell. A channel's rings are one memory more, made when the process registers, or else when
 * it asks for them at its first event.
 *
 * A memory set is shared by the process object and by each ring set that
 * reads its rings; the last one to let go frees it, in any thread.
 * Everything else here is the main thread's.
 */
#ifndef SESSIOND_MEMORY_MEMORY_SET_H
#define SESSIOND_MEMORY_MEMORY_SET_H

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-event.h>
#include <urcu/ref.h>

#include <lttngmap/abi.h>

#include "sessiond/storage/saved-state.h"
#include "sessiond/base/memory.h"
#include "sessiond/quota/quota.h"

/*
 * Its descriptors also stand in a record of the saved state, from which the restarted daemon makes
 * the same set.
 */
struct memory_set {
	struct urcu_ref references;
	struct saved_state *saved_state;
	const struct memory_place *place;
	struct memory_stock *stock;
	uint64_t folder; /* of its files; 0: none yet */
	uint64_t roomy;  /* slots whose ring sets have room in the record: a bit each */
	uint32_t index;  /* of its record, and of the process's words */
	int doorbell;    /* eventfd */
	struct memory rings[LTTNGMAP_CHANNELS]; /* by slot */
	/*
	 * Users of the slot's memory: the process object and ring sets. Atomic: the last user
	 * closes it.
	 */
	uint32_t users[LTTNGMAP_CHANNELS];
	int descriptors;         /* as of struct memory_set_config */
	struct quota_user *user; /* whose bounds it counts in; NULL: nobody's yet */
	uint32_t charged;        /* descriptors; atomic */
	uint64_t disk;           /* bytes of its record that are charged */
};

struct memory_stock;

struct memory_set_config {
	struct saved_state *saved_state;  /* outlives all sets */
	struct memory_stock *stock;       /* likewise; NULL: none */
	const struct memory_place *place; /* the same; NULL: rings are memfds */
	int descriptors;                  /* numbers from here on are not for sets; 0: all are */
};

/* One reference. 0 or -errno. */
int memory_set_create(const struct memory_set_config *config, struct memory_set **set);
/* The set of a record that was in use when the daemon died. 0 or -errno. */
int memory_set_restore(const struct memory_set_config *config, uint32_t index,
		       struct memory_set **set);
/*
 * From now on until it is freed it is one process of that user's, with the
 * descriptors and the record that this takes. 0 or -EDQUOT. NULL is allowed: nobody's.
 */
int memory_set_charge(struct memory_set *set, struct quota_user *user, bool force);
/* Its record is to have so many bytes more. 0 or -EDQUOT. */
int memory_set_charge_disk(struct memory_set *set, uint64_t bytes);
struct memory_set *memory_set_get(struct memory_set *set);
/* NULL is allowed. Any thread. */
void memory_set_put(struct memory_set *set);

static inline struct lttngmap_process *memory_set_process(const struct memory_set *set)
{
	return saved_words(set->saved_state, set->index);
}

/* Where in the words' memory they stand, bytes. */
static inline uint64_t memory_set_process_offset(const struct memory_set *set)
{
	return set->index * sizeof(struct lttngmap_process);
}

static inline struct saved_process *memory_set_record(const struct memory_set *set)
{
	return saved_process(set->saved_state, set->index);
}

/* The rings of a slot, as the process has them; NULL: it has none. */
struct lttngmap_ring *memory_set_rings(const struct memory_set *set, uint32_t slot);
/* Are there rings in the slot, with at least so many bytes of data and of control? */
bool memory_set_fits(const struct memory_set *set, uint32_t slot, uint64_t data, uint64_t control);

/*
 * Make the slot's rings, with at least so many bytes of data and of control: those that are there
 * are kept where they are large enough. No ring set of the slot lives where they are not.
 * 0 or -errno; -EDQUOT.
 */
int memory_set_fit(struct memory_set *set, uint32_t slot, uint64_t data, uint64_t control);
/* The same in new memory, all of which is zeros. No ring set of the slot lives. */
int memory_set_make(struct memory_set *set, uint32_t slot, uint64_t data, uint64_t control);

/*
 * The slot's rings are a memory that another daemon made, with ring control from `control_at` on.
 * The descriptor is the set's, but on failure. Nothing is charged. 0 or -errno.
 */
int memory_set_adopt(struct memory_set *set, uint32_t slot, int fd, uint64_t control_at);

/*
 * A ring set uses the slot's rings, and ends doing so; the latter in any thread, which holds a
 * reference of the set's.
 */
void memory_set_use(struct memory_set *set, uint32_t slot);
void memory_set_unuse(struct memory_set *set, uint32_t slot);

/*
 * The first `control` bytes of the slot's ring control are zeros again. Its ring
 * data stays as it is: nobody reads there what was not written since.
 */
void memory_set_zero(struct memory_set *set, uint32_t slot, uint64_t control);

/* Make room in the record for the slot's ring set, before it is first written. 0 or -errno. */
int memory_set_reserve_saved(struct memory_set *set, uint32_t slot);

/*
 * Where memories are files: make room for the first `control` bytes of the
 * slot's ring control, which is there. 0 or -errno.
 */
int memory_set_reserve(const struct memory_set *set, uint32_t slot, uint64_t control);

/*
 * The process is gone: close what only it needed. The slots in the bit set `keep` stay for the
 * ring sets that are still to be read. Called once.
 */
void memory_set_close_fds(struct memory_set *set, uint64_t keep);

struct memory_pool;

/* Keeps up to `ready` sets, refilled when `event` has nothing else to do. */
int memory_pool_create(const struct memory_set_config *config, unsigned int ready, sd_event *event,
		       struct memory_pool **pool);
void memory_pool_destroy(struct memory_pool *pool);
/*
 * A channel of the slot started, whose processes have rings of their own of this size: ready sets
 * have room for its ring set, and rings are ready, too. memory_pool_forget() when it is over.
 */
void memory_pool_expect(struct memory_pool *pool, uint32_t slot, uint64_t data, uint64_t control);
void memory_pool_forget(struct memory_pool *pool, uint32_t slot);
/* Descriptors are short: let something ready go. False: there is nothing. */
bool memory_pool_shrink(struct memory_pool *pool);
/* Like memory_set_restore(). */
int memory_pool_restore(const struct memory_pool *pool, uint32_t index, struct memory_set **set);
/* A ready set, or one made now. 0 or -errno. */
int memory_pool_take(struct memory_pool *pool, struct memory_set **set);

#endif /* SESSIOND_MEMORY_MEMORY_SET_H */
