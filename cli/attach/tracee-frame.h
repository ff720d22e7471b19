/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * tracee-frame.h - how a thread that was made to call something goes on: the
 * frame of a signal, as rt_sigreturn(2) takes it from the stack, and the code that ends
 * in that.
 */
#ifndef LTTNGMAP_CLI_ATTACH_TRACEE_FRAME_H
#define LTTNGMAP_CLI_ATTACH_TRACEE_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#define TRACEE_FRAME_MAX 8192u
#define TRACEE_SYSCALL_SIZE 2u
/* What a function may use below its stack pointer. */
#define TRACEE_RED_ZONE 128u

/*
 * The frame for a thread with these registers: its bytes, and where on the thread's
 * stack they belong; 0: there is no way to make one. The first word is the return
 * address, `sigreturn`.
 */
uint64_t tracee_frame_make(const struct user_regs_struct *registers, uint64_t signals,
			   const unsigned char *state, size_t state_size, uint64_t sigreturn,
			   unsigned char *bytes, size_t *size);
/* With these it goes on: a system call that was interrupted begins anew. */
struct user_regs_struct tracee_frame_registers(const struct user_regs_struct *registers);

/*
 * Calls the function in rbx, with rdi, rsi and rdx as its arguments; r12 is
 * __errno_location(), whose word is kept; r13 the frame, behind its first word. The last
 * instruction is rt_sigreturn's, with the result in rdi.
 */
extern const unsigned char tracee_stub[];
extern const size_t tracee_stub_size;

#endif /* LTTNGMAP_CLI_ATTACH_TRACEE_FRAME_H */
