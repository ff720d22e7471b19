/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-set-import.h - what a ring set kept for a restarted daemon, taken over from
 * the saved state of a daemon that is gone, and the rings that go with it, copied
 * from where they are.
 *
 * Nothing is believed: neither what the saved state says, which may be damaged, nor
 * what stands in the rings. A program that lives may go on writing: the copy
 * is of what it had committed when it was looked at, and of its counts then.
 */
#ifndef SESSIOND_RING_RING_SET_IMPORT_H
#define SESSIOND_RING_RING_SET_IMPORT_H

#include <stdint.h>
#include <sys/types.h>

#include <lttngmap/abi.h>

#include "sessiond/ring/ring-set.h"

struct ring_import {
	enum lttngmap_mode mode;
	uint32_t cpu_rings;
	uint32_t subbuf_shift;
	uint32_t subbufs_shift;
	uint32_t meta_page_size;
	/* ring_set_saved_size() bytes that were read from the saved state, and changed here. */
	void *saved;
	uint64_t address; /* where the daemon that is gone had these */
	/* Read the slot's ring control, or ring data, from their beginning. 0 or -errno. */
	int (*read_control)(void *data, uint64_t offset, void *bytes, uint64_t size);
	int (*read_data)(void *data, uint64_t offset, void *bytes, uint64_t size);
	/* These bytes of `saved`, at `offset`, are to be kept in the saved state. */
	void (*keep)(void *data, uint64_t offset, const void *bytes, uint64_t size);
	void *data;
};

/*
 * Look through `import->saved`, mend what can be, and put it at `to`. NULL, or
 * what is wrong with it.
 */
const char *ring_set_import(const struct ring_import *import, struct ring_saved *to);

/*
 * Copy what is unread of all rings to `rings` (as ring control has them) and
 * to the ring data memory `fd`; `saved` is what ring_set_import() made. Where
 * something cannot be read, that ring is closed. How many are.
 */
uint32_t ring_set_copy(const struct ring_import *import, struct ring_saved *saved,
		       struct lttngmap_ring *rings, int fd);

#endif /* SESSIOND_RING_RING_SET_IMPORT_H */
