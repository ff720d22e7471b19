/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * loaded.h - which programs and libraries lay where in a process, as its trace tells it.
 * Any number of them, anywhere: nothing of it is believed, and so many are kept only.
 */
#ifndef LTTNGMAP_CLI_SYMBOLS_LOADED_H
#define LTTNGMAP_CLI_SYMBOLS_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/symbols/symbol-file.h"

/* A program or library in a process's memory. */
struct loaded_object {
	uint64_t baddr, memsz;
	uint32_t dump; /* that it was last seen in, of its process */
	struct symbol_object what;
	struct symbol_file *file; /* the caller's; NULL: not looked for yet */
	bool has_no_file;         /* there are too many */
};

/* All zeros: nothing is loaded. */
struct loaded {
	uint32_t dump;                 /* how many have begun: the caller counts */
	struct loaded_object *objects; /* by address; none overlap */
	size_t count, room;
};

/* What lies at the address, or NULL. Valid until the next change. */
struct loaded_object *loaded_find(struct loaded *loaded, uint64_t address);
/*
 * One more, seen in the dump of now; what lay there before has gone. 0, also for what cannot
 * be; -ENOSPC: there are too many; -ENOMEM. `path` is copied.
 */
int loaded_add(struct loaded *loaded, uint64_t baddr, uint64_t memsz, const char *path);
/* What begins there has gone. */
void loaded_drop(struct loaded *loaded, uint64_t baddr);
/* What the dump of now has not seen has gone. */
void loaded_end_dump(struct loaded *loaded);
void loaded_clear(struct loaded *loaded);

#endif /* LTTNGMAP_CLI_SYMBOLS_LOADED_H */
