/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/base/vfork.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "liblttngmap/base/local.h"

__thread uint32_t vfork_depth;

__attribute__((visibility("default"))) void lttngmap_vfork_count(int change)
{
	vfork_depth += (uint32_t)change;
	if (change > 0)
		local_close_fast();
	else
		local_open_fast();
}

/* Turns the kernel's error into the C return value. */
__attribute__((used, visibility("hidden"))) int vfork_failed(int error)
{
	errno = error;
	return -1;
}

/*
 * The child returns first and may overwrite the stack below its caller's
 * frame, the return address among it: rdi keeps that over the system call,
 * rdx the address of the depth. The parent goes on when the child has called
 * exec or _exit.
 *
 * Parent and child share the shadow stack, too, where there is one (CET). A child that returned by
 * `ret` would pop the caller's entry from it, and its next call would put another one there,
 * which the parent's `ret` faults at. So the child jumps, as the C library's does: its calls
 * go above that entry, and its own return from the caller is a fault, as it is undefined anyway.
 *
 * lttngmap_vfork_then() wants in rsi what the parent then goes on in, as if that
 * had been called instead, with the kernel's answer; nothing for the child.
 */
__asm__(".pushsection .text, \"ax\", @progbits\n"
	".globl vfork\n"
	".type vfork, @function\n"
	"vfork:\n\t"
	".cfi_startproc\n\t"
	"xorl %esi, %esi\n"
	".globl lttngmap_vfork_then\n"
	".type lttngmap_vfork_then, @function\n"
	"lttngmap_vfork_then:\n\t"
	"pushq %rsi\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"call local_close_fast\n\t"
	"popq %rsi\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"popq %rdi\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	".cfi_register %rip, %rdi\n\t"
	"movq vfork_depth@gottpoff(%rip), %rdx\n\t"
	"incl %fs:(%rdx)\n\t"
	"movl $58, %eax\n\t" /* SYS_vfork */
	"syscall\n\t"
	"testl %eax, %eax\n\t"
	"je 1f\n\t"
	".cfi_remember_state\n\t"
	"pushq %rdi\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	".cfi_rel_offset %rip, 0\n\t"
	"decl %fs:(%rdx)\n\t"
	"lock decq local_first(%rip)\n\t"
	"testq %rsi, %rsi\n\t"
	"jne 3f\n\t"
	"cmpq $-4095, %rax\n\t"
	"jae 2f\n\t"
	"ret\n"
	"2:\tnegl %eax\n\t"
	"movl %eax, %edi\n\t"
	"jmp vfork_failed\n"
	"3:\tmovq %rax, %rdi\n\t"
	"jmp *%rsi\n\t"
	".cfi_restore_state\n"
	"1:\tjmp *%rdi\n\t"
	".cfi_endproc\n\t"
	".size vfork, . - vfork\n"
	".size lttngmap_vfork_then, . - lttngmap_vfork_then\n"
	/* By names that are ours alone, for preload/exec.c and preload/proc-vfork.c. */
	".globl lttngmap_vfork\n"
	".type lttngmap_vfork, @function\n"
	".set lttngmap_vfork, vfork\n"
	".popsection\n");

_Static_assert(SYS_vfork == 58, "the assembly above knows the number");
_Static_assert(offsetof(struct local_first, guard) == 0, "and that of vfork children");
