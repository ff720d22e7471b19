/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * extract.h - what a dump has of rings, as the files that a session daemon with --ring-dir leaves:
 * a saved state, and the rings' memories. lttngmap-sessiond --recover makes traces of these.
 */
#ifndef SESSIOND_VMCORE_EXTRACT_H
#define SESSIOND_VMCORE_EXTRACT_H

#include <stdint.h>

#include "sessiond/vmcore/dump.h"

struct extract_counts {
	uint32_t daemons; /* each in a folder of its own, from 0 on */
	uint64_t sets;
	uint64_t lost_sets; /* that no saved state names, or that cannot be read */
	struct dump_file_counts pages;
};

/* Into `dir`, an empty directory. 0, or -errno after a message. */
int extract_all(struct dump *dump, int dir, struct extract_counts *counts);

#endif /* SESSIOND_VMCORE_EXTRACT_H */
