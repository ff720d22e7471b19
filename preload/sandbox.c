/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sandbox.c - leads a program's prctl() and syscall() to liblttngmap's (liblttngmap/sandbox.c),
 * for the reason that vfork.c tells. Jumps, for how many arguments there are is not known.
 */
__asm__(".pushsection .text, \"ax\", @progbits\n"
	".globl prctl\n"
	".type prctl, @function\n"
	"prctl:\n\t"
	".cfi_startproc\n\t"
	"jmp *lttngmap_prctl@GOTPCREL(%rip)\n\t"
	".cfi_endproc\n\t"
	".size prctl, . - prctl\n"
	".globl syscall\n"
	".type syscall, @function\n"
	"syscall:\n\t"
	".cfi_startproc\n\t"
	"jmp *lttngmap_syscall@GOTPCREL(%rip)\n\t"
	".cfi_endproc\n\t"
	".size syscall, . - syscall\n"
	".popsection\n");
