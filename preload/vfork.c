/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * vfork.c - leads a program's vfork() to liblttngmap's (liblttngmap/base/vfork.c). In a
 * program that is only preloaded into, liblttngmap comes behind the C library:
 * the loader's order is the program, what is preloaded, what the program needs,
 * and then what that needs.
 *
 * A jump, for the return address is to be on top of the stack there.
 */
__asm__(".pushsection .text, \"ax\", @progbits\n"
	".globl vfork\n"
	".type vfork, @function\n"
	"vfork:\n\t"
	".cfi_startproc\n\t"
	"jmp *lttngmap_vfork@GOTPCREL(%rip)\n\t"
	".cfi_endproc\n\t"
	".size vfork, . - vfork\n"
	".popsection\n");
