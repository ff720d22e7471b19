/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sandbox.h - has this process, or the parent that forked it, asked for a seccomp filter since it
 * was started? A filter may kill whoever makes a system call that the program does not make, and
 * asking the kernel for filters is such a call, too. So the library has prctl() and syscall() of
 * its own. Once a program asked for a filter there, the library makes no more system calls to
 * register.
 *
 * Filters that were there when the program was started have let its registration pass. A filter
 * that a program asks for by a bare instruction is not seen.
 */
#ifndef LIBLTTNGMAP_ATTACH_SANDBOX_H
#define LIBLTTNGMAP_ATTACH_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Filters that were asked for, and calls that ask for one at this moment. Inherited by children; an
 * exec ends it.
 */
extern uint32_t sandbox_requests __attribute__((visibility("hidden")));

/* Signal-safe. */
static inline bool sandbox_is_on(void)
{
	return __atomic_load_n(&sandbox_requests, __ATOMIC_RELAXED) > 0;
}

#endif /* LIBLTTNGMAP_ATTACH_SANDBOX_H */
