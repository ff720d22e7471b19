/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * map-guard.h - maps of files that somebody else may cut short, or that a full
 * disk has no room for: to touch them raises no SIGBUS that ends us. In its
 * place the whole map becomes private zeros, for good, and whoever looks at it
 * finds values that cannot be.
 *
 * A SIGBUS anywhere else ends the process, as ever; and so does any in a thread
 * that blocks the signal.
 *
 * Any thread. Adding and removing takes a lock; a fault takes none.
 */
#ifndef COMMON_BASE_MAP_GUARD_H
#define COMMON_BASE_MAP_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* Once, before the others. 0 or -errno. */
int map_guard_install(void);
bool map_guard_is_installed(void);
/*
 * Watch over a map, before it is touched. Nothing is done, and 0 returned,
 * where the guard is not installed. 0 or -ENOSPC.
 */
int map_guard_add(void *map, size_t size);
/* Before it is unmapped. Maps that are not watched over are allowed. */
void map_guard_remove(const void *map);
/* Was the map that holds this address lost? */
bool map_guard_is_lost(const void *address);
/*
 * Copies from a map whose pages are another process's, watched over or not. The kernel is asked for
 * the pages, and refuses where one cannot be had. A load would be tried without end, as long as the
 * control group that is charged for a swapped page is full. The pages are not locked afterwards.
 * 0; -ENODATA, a page cannot be had now; -EFAULT, the map is lost. No other thread unmaps it
 * meanwhile.
 */
int map_guard_copy(void *to, const void *from, size_t size);
/*
 * Asks the kernel for the pages of `size` bytes, that a load of them does not try without end. The
 * pages may go again before the load: for those of the user's own process whose trace it is. 0 or
 * -ENODATA.
 */
int map_guard_fetch(const void *from, size_t size);

#endif /* COMMON_BASE_MAP_GUARD_H */
