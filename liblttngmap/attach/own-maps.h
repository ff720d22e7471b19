/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * own-maps.h - the program unmaps, protects or advises a range of its address space in which
 * maps of the library's lie: it gets what it asked for, beside these maps.
 *
 * A program sees maps in /proc/self/maps that it did not make, and may want to be rid of them, or
 * keep its children from having them (MADV_DONTFORK). An event would then end it by SIGSEGV, for
 * tracepoints read our memory without a check. So each family of preload wraps the C library's
 * functions (preload/own-maps.c) and calls this.
 *
 * Not seen are bare system calls, and mmap(MAP_FIXED) or mremap() over a map that the program
 * did not make. Signal-safe; errno as the function behind sets it.
 */
#ifndef LIBLTTNGMAP_ATTACH_OWN_MAPS_H
#define LIBLTTNGMAP_ATTACH_OWN_MAPS_H

#include <stddef.h>

/* munmap(), which ignores the last argument, mprotect() or madvise(). */
typedef int lttngmap_maps_call(void *at, size_t size, int argument);

/*
 * `call` for all of [at, at + size) that is not the library's: in one call, as it was given, where
 * none of it is. `goes_on`: ENOMEM of one part keeps it from no other, as madvise() does.
 */
int lttngmap_maps_leave(lttngmap_maps_call *call, void *at, size_t size, int argument, int goes_on);

#endif /* LIBLTTNGMAP_ATTACH_OWN_MAPS_H */
