/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* dump-private.h - what dump.c, which reads a dump, and dump-file.c, which copies files, share. */
#ifndef SESSIOND_VMCORE_DUMP_PRIVATE_H
#define SESSIOND_VMCORE_DUMP_PRIVATE_H

#include <libkdumpfile/kdumpfile.h>

#include "sessiond/vmcore/dump.h"

#define DUMP_PAGE_SHIFT_MAX 16u
#define DUMP_SLOTS_SHIFT_MAX 8u

struct dump {
	int fd;
	kdump_ctx_t *context;
	struct lttngmap_anchor anchor;
};

/* Reads by the address of the machine's memory; otherwise dump_read(). */
int dump_read_physical(struct dump *dump, uint64_t address, void *bytes, size_t size);

#endif /* SESSIOND_VMCORE_DUMP_PRIVATE_H */
