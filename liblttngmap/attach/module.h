/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * module.h - the program's modules, and the daemon that comes after them.
 */
#ifndef LIBLTTNGMAP_ATTACH_MODULE_H
#define LIBLTTNGMAP_ATTACH_MODULE_H

#include <stdbool.h>

#include <lttngmap/event-class.h>

#include "common/protocol/attach-request.h"

struct local;

/* Where the tracepoints point that no daemon knows. */
extern struct attach_request module_attach_request;

/*
 * An event found ATTACH_REQUEST_WORD: if it is an attach request, and nobody else is at it,
 * register all modules. Signal-safe, keeps errno. True: they are, look again.
 */
bool module_answer_attach_request(void);

/*
 * A child of fork whose parent is gone (ATTACH_STALE): register all modules, unless somebody
 * else is at it. `stale` are its pages. Signal-safe, keeps errno. True: they are, look again.
 */
bool module_register_again(struct local *stale);

/* How long to wait for the lock: in milliseconds, or longer than a holder waits for the daemon. */
enum module_patience {
	MODULE_GOING = 0,
	MODULE_COMING = 100,
};

/*
 * For constructors (MODULE_COMING) and destructors (MODULE_GOING). False: the holder did not
 * release the lock in time. A constructor then leaves its module to the holder, which lists it
 * when it releases the lock. A destructor takes its module off the lists without the lock, because
 * the module's memory is about to go.
 */
bool module_lock(enum module_patience patience);
void module_unlock(void);

/*
 * Register a module, under the lock; or again one that has more classes than
 * when it was registered.
 */
void module_announce(struct lttngmap_module *module);

#endif /* LIBLTTNGMAP_ATTACH_MODULE_H */
