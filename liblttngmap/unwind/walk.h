/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * walk.h - the return addresses on a thread's stack, without frame pointers.
 *
 * Signal-safe: no lock, no malloc, no system call, no thread storage. A walk reads the stack that
 * it is given, copies of tables that are never freed (objects.h), and a cache of rules.
 *
 * The cache is one for all threads. An entry is two words, the rule and its key mixed with the
 * rule, so that one thread's word beside another's matches no key. A key has the snapshot's
 * generation in it: no rule of an object that went is found.
 */
#ifndef LIBLTTNGMAP_UNWIND_WALK_H
#define LIBLTTNGMAP_UNWIND_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "liblttngmap/unwind/objects.h"

struct unwind_registers {
	uintptr_t rip, rsp, rbp, rbx;
};

/* Memory that this thread may read as long as the walk takes; begin == end: none. */
struct unwind_stack {
	uintptr_t begin, end;
};

/*
 * Writes to `addresses`, which has room for `room`, the address at which the thread stands, then
 * those to which its callers return, innermost first. `*is_whole` becomes true if the last is the
 * outermost frame's. Returns how many there are. A walk ends early at code without a known rule,
 * and at a frame that is not in `stack` or not further out than the one before. `*registers` then
 * are those of the last address.
 */
size_t unwind_walk(const struct unwind_objects *objects, struct unwind_registers *registers,
		   const struct unwind_stack *stack, uint64_t *addresses, size_t room,
		   bool *is_whole);

/* The registers of the function that this is used in. */
#define UNWIND_REGISTERS_HERE(registers)                                                           \
	__asm__ volatile("leaq 0(%%rip), %%rax\n\t"                                                \
			 "movq %%rax, %0\n\t"                                                      \
			 "movq %%rsp, %1\n\t"                                                      \
			 "movq %%rbp, %2\n\t"                                                      \
			 "movq %%rbx, %3"                                                          \
			 : "=m"((registers).rip), "=m"((registers).rsp), "=m"((registers).rbp),    \
			   "=m"((registers).rbx)                                                   \
			 :                                                                         \
			 : "rax")

#endif /* LIBLTTNGMAP_UNWIND_WALK_H */
