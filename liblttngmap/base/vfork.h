/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * vfork.h - the library's own vfork(2).
 *
 * A vfork child runs on its parent's memory and thread pointer, but the
 * kernel has no restartable sequence registered for it: it would not abort
 * one. So this vfork() counts the thread's depth up before the call and down
 * in the parent; a thread with a depth writes by trylock. Meanwhile no event of
 * the process goes the fast way, which does not look at the depth. posix_spawn's
 * child calls nothing of ours.
 */
#ifndef LIBLTTNGMAP_BASE_VFORK_H
#define LIBLTTNGMAP_BASE_VFORK_H

#include <stdint.h>

extern __thread uint32_t vfork_depth
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/*
 * Exported, for preload/proc.c: count this thread's depth up, where it is about to make
 * another kind of child on its own thread pointer, or down again.
 */
void lttngmap_vfork_count(int change);

#endif /* LIBLTTNGMAP_BASE_VFORK_H */
