/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * elf-symbol.h - where in a file the code of a function is: the kernel wants a
 * uprobe's place as an offset in the file.
 *
 * Both symbol tables of an ELF file are looked at, that of its linker and that
 * which it exports, not separate files of debugging information. The file may be
 * anybody's: libelf checks what it reads, and so is done here. One thread.
 */
#ifndef LTTNGMAP_CLI_SYMBOLS_ELF_SYMBOL_H
#define LTTNGMAP_CLI_SYMBOLS_ELF_SYMBOL_H

#include <stdint.h>
#include <sys/types.h>

#include "cli/base/problem.h"

/* A place, and the file that it was found in: whoever probes it can see that it is still that. */
struct elf_place {
	uint64_t offset; /* from the file's begin */
	dev_t device;
	ino_t inode;
};

/*
 * `offset` bytes behind the begin of the function called `symbol`; of several versions
 * the one that is linked with by default. 0 or -errno: `problem` says why.
 */
int elf_symbol_find(const char *path, const char *symbol, uint64_t offset, struct elf_place *place,
		    struct problem *problem);
/* Is there code at that offset of the file? 0 or -errno, likewise. */
int elf_symbol_check(const char *path, uint64_t file_offset, struct elf_place *place,
		     struct problem *problem);

#endif /* LTTNGMAP_CLI_SYMBOLS_ELF_SYMBOL_H */
