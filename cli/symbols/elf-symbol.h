/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * elf-symbol.h - finds a function's code in a file, as the file offset that the kernel wants for a
 * uprobe.
 *
 * Both symbol tables of an ELF file are searched, the linker's and the exported one, but no
 * separate debugging information. Any user may have made the file: libelf checks what it reads, and
 * so do these functions. One thread.
 */
#ifndef CLI_SYMBOLS_ELF_SYMBOL_H
#define CLI_SYMBOLS_ELF_SYMBOL_H

#include <stdint.h>
#include <sys/types.h>

#include "cli/base/problem.h"

/* A place, and the file's identity, by which a later user sees that the file is the same. */
struct elf_place {
	uint64_t offset; /* from the file's start */
	dev_t device;
	ino_t inode;
};

/*
 * Finds the place `offset` bytes behind the start of function `symbol`; of several versions, the
 * default one. 0, or -errno and `problem`.
 */
int elf_symbol_find(const char *path, const char *symbol, uint64_t offset, struct elf_place *place,
		    struct problem *problem);
/* Checks that there is code at that offset of the file. 0, or -errno and `problem`. */
int elf_symbol_check(const char *path, uint64_t file_offset, struct elf_place *place,
		     struct problem *problem);

#endif /* CLI_SYMBOLS_ELF_SYMBOL_H */
