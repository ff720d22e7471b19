/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * proc-vfork.c - as exec.c's vfork(), with an event of it: proc_vforked() is called in the
 * parent, once the child is gone, with the return address on top of the stack.
 */
__asm__(".pushsection .text, \"ax\", @progbits\n"
	".globl vfork\n"
	".type vfork, @function\n"
	"vfork:\n\t"
	".cfi_startproc\n\t"
	"leaq proc_vforked(%rip), %rsi\n\t"
	"jmp *lttngmap_vfork_then@GOTPCREL(%rip)\n\t"
	".cfi_endproc\n\t"
	".size vfork, . - vfork\n"
	".popsection\n");
