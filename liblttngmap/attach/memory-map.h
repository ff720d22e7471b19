/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * memory-map.h - where the memories that the session daemon gives lie in this process.
 *
 * A process has control and its own page from its registration on. A channel's rings, and the
 * filters, are mapped when they are needed: until then they count in no limit of the program's.
 * Each map stays where it is for the life of the program. A forked child maps its own memories
 * over its parent's, so forks of forks do not add up, and a write that was interrupted in the
 * parent still finds memory there. All functions are signal-safe. One thread at a time calls
 * them, which holds `attaching` or `exchange` of `local`; memory_map_filters(): any thread.
 */
#ifndef LIBLTTNGMAP_ATTACH_MEMORY_MAP_H
#define LIBLTTNGMAP_ATTACH_MEMORY_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/abi.h>

#include "common/protocol/protocol-app.h"
#include "liblttngmap/attach/exchange.h"
#include "liblttngmap/base/local.h"

/* Has a child the global control of its parent's daemon? It needs none made over it. */
bool memory_map_has_control(void);
/*
 * Map what a sane answer to a registration brought: control and this process's page; `over` those
 * of before, a parent's. The descriptors stay the caller's.
 */
bool memory_map(struct local *local, const struct protocol_app_registered *answer,
		const struct exchange_fds *fds, bool over);
/* This process's struct, in what was mapped last. */
const struct lttngmap_process *memory_map_process(void);
/* Have all of control, with the filters. No descriptor is needed: valgrind has the map already. */
bool memory_map_filters(struct local *local);
/*
 * In a child that could not be attached, over the maps of its parent: count the event of the
 * word as lost in each of the parent's channels that records it.
 */
void memory_map_lose(const uint64_t *word);
/* The channels of the parent, or of this process, that record the event of the word. */
uint64_t memory_map_channels(const uint64_t *word);
/* Maps the rings of the same answer. The first event asks for those that failed. */
void memory_map_first_rings(struct local *local, const struct protocol_app_registered *answer,
			    long size, const struct exchange_fds *fds);
/* A slot's rings, which answer_has_rings() found sane. */
bool memory_map_rings(struct local *local, const struct protocol_app_slot *slot, int fd);
/*
 * Maps `size` bytes of memory, in the place of `old_size` bytes at `old`, whose content is lost;
 * `old` may be NULL. NULL: there is no memory, and the old one is gone. Signal-safe.
 */
void *memory_map_anew(void *old, uint64_t old_size, uint64_t size);
/* Address space that all of the library's maps take. Any thread. */
uint64_t memory_map_bytes(void);
/*
 * The first part of [begin, end) that is one of them. False: none is. Any thread; a map that
 * another thread makes meanwhile is found or not.
 */
struct memory_map_extent {
	uintptr_t begin, end;
};
bool memory_map_find(uintptr_t begin, uintptr_t end, struct memory_map_extent *found);
/* The control pages of the last registration, also of a parent; NULL before the first. */
const struct lttngmap_control *memory_map_control(void);

#endif /* LIBLTTNGMAP_ATTACH_MEMORY_MAP_H */
