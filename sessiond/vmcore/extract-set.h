/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* extract-set.h - what the kernel module knew of a ring set, as a session daemon would save it. */
#ifndef SESSIOND_VMCORE_EXTRACT_SET_H
#define SESSIOND_VMCORE_EXTRACT_SET_H

#include <stdint.h>

#include "sessiond/ring/module-abi.h"
#include "sessiond/vmcore/dump.h"

struct ring_saved;

/* A ring set of the dump. */
struct dump_set {
	uint64_t address; /* of the module's structure */
	struct lttngmap_set_info info;
	uint32_t rings;
	bool used;
};

/*
 * Fills `saved`, which has the room of ring_set_saved_size() and what the daemon's saved state
 * says; `at`: where the daemon had it. 0 or -errno.
 */
int extract_set_state(struct dump *dump, const struct dump_set *set, uint64_t at,
		      struct ring_saved *saved);

#endif /* SESSIOND_VMCORE_EXTRACT_SET_H */
