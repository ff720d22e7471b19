/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * doorbell.h - by which a process tells that a sub-buffer is full, and which makes the
 * mediator show its rings to readers.
 *
 * A doorbell is a process's eventfd with the process's ring sets. All
 * functions are the main thread's; they give orders to the ring thread, which
 * alone touches what stands behind them and calls the mediator.
 *
 * The file of a ring set is announced when the process writes the eventfd and the set has
 * something to read for the first time, or at doorbell_set_flush().
 */
#ifndef SESSIOND_MEDIATOR_DOORBELL_H
#define SESSIOND_MEDIATOR_DOORBELL_H

#include "sessiond/mediator/mediator.h"
#include "sessiond/memory/memory-set.h"
#include "sessiond/ring/ring-set.h"
#include "sessiond/mediator/ring-thread.h"

struct doorbells;    /* the ring thread's side of all processes */
struct doorbell;     /* of one process */
struct doorbell_set; /* one ring set of it */

/* Before the ring thread starts. 0 or -errno. */
int doorbells_create(struct ring_thread *thread, const struct mediator_ops *ops,
		     struct mediator *mediator, struct doorbells **doorbells);
/* After the ring thread ended; NULL is allowed. */
void doorbells_destroy(struct doorbells *doorbells);
/* An eventfd, ready when ring_set_hear() is true of a trigger's set; the caller reads it. */
int doorbells_triggers(const struct doorbells *doorbells);

/*
 * Listens to memories->doorbell, but where the kernel module does; takes a reference. 0 or -errno.
 */
int doorbell_create(struct doorbells *doorbells, struct memory_set *memories,
		    struct doorbell **doorbell);
/* Nobody writes the eventfd any more: look at the rings by a timer instead. */
void doorbell_poll(struct doorbell *doorbell);
/*
 * A process that rings `doorbell` has also written into the sets of `other`: these are looked at
 * too, and once more at its end. Call once; `other` may be destroyed first.
 */
void doorbell_join(struct doorbell *doorbell, struct doorbell *other);
/* Listen no more. Its sets stay until they are removed. NULL is allowed. */
void doorbell_destroy(struct doorbell *doorbell);

/* Takes a reference of the set. 0 or -errno. */
int doorbell_add_set(struct doorbell *doorbell, struct ring_set *set, struct doorbell_set **shown);
/* Announce the set if anything was ever written into it, and wake readers. */
void doorbell_set_flush(struct doorbell_set *shown);
/* Withdraw the file, drop the reference. NULL is allowed. */
void doorbell_remove_set(struct doorbell_set *shown);

#endif /* SESSIOND_MEDIATOR_DOORBELL_H */
