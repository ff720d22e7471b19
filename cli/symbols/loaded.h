/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * loaded.h - the programs and libraries in a process's memory, as its trace tells. The trace is not
 * trusted: the number of objects is limited, and addresses may be anything.
 */
#ifndef CLI_SYMBOLS_LOADED_H
#define CLI_SYMBOLS_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/symbols/symbol-file.h"

/* A program or library in a process's memory. */
struct loaded_object {
	uint64_t baddr, memsz;
	uint32_t dump; /* the last dump of the process that had the object */
	struct symbol_object what;
	struct symbol_file *file; /* owned by the caller; NULL: not looked for yet */
	bool has_no_file;         /* there are too many files */
};

/* All zeros: nothing is loaded. */
struct loaded {
	uint32_t dump;                 /* number of dumps begun; the caller counts */
	struct loaded_object *objects; /* by address, without overlaps */
	size_t count, room;
};

/* The object at the address, or NULL. Valid until the next change. */
struct loaded_object *loaded_find(struct loaded *loaded, uint64_t address);
/*
 * Adds an object of the current dump, and forgets those at its addresses. 0, also for impossible
 * addresses; -ENOSPC: too many objects; -ENOMEM. Copies `path`.
 */
int loaded_add(struct loaded *loaded, uint64_t baddr, uint64_t memsz, const char *path);
/* Forgets the object that begins at `baddr`. */
void loaded_drop(struct loaded *loaded, uint64_t baddr);
/* Forgets all objects that the current dump did not have. */
void loaded_end_dump(struct loaded *loaded);
void loaded_clear(struct loaded *loaded);

#endif /* CLI_SYMBOLS_LOADED_H */
