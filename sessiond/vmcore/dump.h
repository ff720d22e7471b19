/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * dump.h - a dump of a kernel's memory that had the kernel module: its anchor, and files that it
 * kept in memory (sessiond/ring/module-dump.h).
 *
 * A dump may be damaged: what is read of it is wrong then, but every walk has an end.
 */
#ifndef SESSIOND_VMCORE_DUMP_H
#define SESSIOND_VMCORE_DUMP_H

#include <stddef.h>
#include <stdint.h>

#include "sessiond/ring/module-dump.h"

struct dump;

#define DUMP_WHY_SIZE 256

/* Also finds the anchor. 0, or -errno and `why`. */
int dump_open(const char *path, struct dump **dump, char why[DUMP_WHY_SIZE]);
/* NULL is allowed. */
void dump_close(struct dump *dump);
/* Its address is as it should be; all else is as the dump has it. */
const struct lttngmap_anchor *dump_anchor(const struct dump *dump);
/* All of it, by the kernel's address. 0 or -EIO. */
int dump_read(struct dump *dump, uint64_t address, void *bytes, size_t size);
/* An address that stands there; 0: it cannot be read. */
uint64_t dump_read_address(struct dump *dump, uint64_t address);

struct dump_file_counts {
	uint64_t copied; /* pages */
	uint64_t absent; /* that whoever made the dump left out */
	uint64_t swapped;
};

/*
 * Copies the pages that a file (struct file at `file`) has in memory to the descriptor, which is
 * made as long as the file, `size_max` at most. Adds to the counts. 0, or -errno: -EBADMSG: it
 * cannot be a file.
 */
int dump_copy_file(struct dump *dump, uint64_t file, uint64_t size_max, int fd,
		   struct dump_file_counts *counts);

#endif /* SESSIOND_VMCORE_DUMP_H */
