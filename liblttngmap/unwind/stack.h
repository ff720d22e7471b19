/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * stack.h - which memory is a thread's stack, and the thread's return addresses.
 *
 * A thread's own stack ends at its thread pointer, for glibc puts a thread's storage at the end of
 * the stack that the thread begins on. The main thread's ends where the loader found it. From
 * where the thread stands up to that end, the kernel is asked once a page whether it can be read;
 * the answer is kept for the thread. A page of a stack stays as long as the thread does.
 *
 * The kernel also tells the bounds of the alternate stack that a handler is on. Any other stack,
 * such as a coroutine's, is not known, and a walk stops there.
 */
#ifndef LIBLTTNGMAP_UNWIND_STACK_H
#define LIBLTTNGMAP_UNWIND_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "liblttngmap/unwind/walk.h"

/* Bytes: an address further below a stack's end is not taken for a part of it. */
#define UNWIND_STACK_MAX (UINT64_C(16) << 20)

/*
 * unwind_walk() of the calling thread, which stands at `registers`: by its own stack, and from a
 * handler's alternate stack on to the own one. Without `may_ask` no system call is made, and only
 * what is known already is read. Signal-safe, keeps errno.
 */
size_t unwind_thread(const struct unwind_objects *objects, struct unwind_registers registers,
		     bool may_ask, uint64_t *addresses, size_t room, bool *is_whole);

#endif /* LIBLTTNGMAP_UNWIND_STACK_H */
