/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * memory-map.h - where the memories that the session daemon gives lie in this process.
 *
 * They are mapped into one stretch of address space. It stays where it is for the
 * life of the program: a forked child maps its own memories over its parent's, so
 * forks of forks do not add up, and a write that was interrupted in the parent
 * still finds memory there. What comes beyond the first registration has a stretch
 * for each slot, mapped over in the same way. All here is signal-safe and called
 * by one thread at a time: who holds `attaching` or `exchange` of `local`.
 */
#ifndef LTTNGMAP_MEMORY_MAP_H
#define LTTNGMAP_MEMORY_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/abi.h>

#include "common/protocol-app.h"
#include "exchange.h"
#include "local.h"

/*
 * Map what a sane answer to a registration brought: control, this process's page,
 * ring control and the reserve's ring data; `over` those of before, a parent's, where
 * they are of the same size. The descriptors stay the caller's.
 */
bool memory_map(struct local *local, const struct protocol_app_registered *answer,
		const struct exchange_fds *fds, bool over);
/*
 * In a child that could not be attached, over the maps of its parent: count the event of the
 * word as lost in each of the parent's channels that records it.
 */
void memory_map_lose(const uint64_t *word);
/* The same answer's shared rings. What is not to be had is asked for by the first event. */
void memory_map_shared_rings(struct local *local, const struct protocol_app_registered *answer,
			     long size, const struct exchange_fds *fds);
/* A slot's shared rings: control and data, in one stretch. */
bool memory_map_shared(struct local *local, const struct protocol_app_shared_slot *answer, int data,
		       int control);
/* A memory of its own for a slot's ring data: `size` bytes of the file from `offset` on. */
bool memory_map_extra(struct local *local, uint32_t slot, uint64_t size, int fd, uint64_t offset);
/* The control pages of the last registration, also of a parent; NULL before the first. */
const struct lttngmap_control *memory_map_control(void);

#endif /* LTTNGMAP_MEMORY_MAP_H */
