/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * module.h - the program's modules, and the daemon that comes after them.
 */
#ifndef LTTNGMAP_MODULE_H
#define LTTNGMAP_MODULE_H

#include <stdbool.h>

#include "common/knock.h"

/* Where the tracepoints point that no daemon knows. */
extern struct knock module_knock;

/*
 * An event found KNOCK_WORD: if it is a knock, and nobody else is at it,
 * register all modules. Signal-safe, keeps errno. True: they are, look again.
 */
bool module_answer_knock(void);

#endif /* LTTNGMAP_MODULE_H */
