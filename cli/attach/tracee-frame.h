/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * tracee-frame.h - returns a thread to what it did before a call: a signal frame, as
 * rt_sigreturn(2) takes it from the stack, and code that ends in rt_sigreturn(2).
 */
#ifndef CLI_ATTACH_TRACEE_FRAME_H
#define CLI_ATTACH_TRACEE_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#define TRACEE_FRAME_MAX 8192u
#define TRACEE_SYSCALL_SIZE 2u
/* Bytes that a function may use below its stack pointer. */
#define TRACEE_RED_ZONE 128u

/*
 * Makes the frame for a thread with these registers: its bytes, and its address on the thread's
 * stack. Its first word is the return address, `sigreturn`. 0: no frame can be made.
 */
uint64_t tracee_frame_make(const struct user_regs_struct *registers, uint64_t signals,
			   const unsigned char *state, size_t state_size, uint64_t sigreturn,
			   unsigned char *bytes, size_t *size);
/* The registers with which the thread goes on; an interrupted system call starts again. */
struct user_regs_struct tracee_frame_registers(const struct user_regs_struct *registers);

/*
 * Calls the function in rbx with the arguments rdi, rsi and rdx. r12 is __errno_location(), whose
 * value is preserved; r13 is the frame without its first word. The last instruction is
 * rt_sigreturn's, with the result in rdi.
 */
extern const unsigned char tracee_stub[];
extern const size_t tracee_stub_size;

#endif /* CLI_ATTACH_TRACEE_FRAME_H */
