/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * module.h - the program's modules, and the daemon that comes after them.
 */
#ifndef LTTNGMAP_MODULE_H
#define LTTNGMAP_MODULE_H

#include <stdbool.h>

#include <lttngmap/event-class.h>

#include "common/knock.h"

/* Where the tracepoints point that no daemon knows. */
extern struct knock module_knock;

/*
 * An event found KNOCK_WORD: if it is a knock, and nobody else is at it,
 * register all modules. Signal-safe, keeps errno. True: they are, look again.
 */
bool module_answer_knock(void);

/*
 * For constructors and destructors. False: whoever holds the lock does not
 * give it back; go on without what it was wanted for.
 */
bool module_lock(void);
void module_unlock(void);

/*
 * Register a module, under the lock; or again one that has more classes than
 * when it was registered.
 */
void module_announce(struct lttngmap_module *module);

#endif /* LTTNGMAP_MODULE_H */
