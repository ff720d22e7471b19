/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sandbox.c - leads a program's prctl() and syscall() to liblttngmap's
 * (liblttngmap/attach/sandbox.c), and what sets its limits (liblttngmap/attach/own-limits.c), for
 * the reason that exec.c tells. Jumps, for how many arguments there are is not known.
 */
#define JUMP(name, to)                                                                             \
	__asm__(".pushsection .text, \"ax\", @progbits\n"                                          \
		".globl " #name "\n"                                                               \
		".type " #name ", @function\n" #name ":\n\t"                                       \
		".cfi_startproc\n\t"                                                               \
		"jmp *" #to "@GOTPCREL(%rip)\n\t"                                                  \
		".cfi_endproc\n\t"                                                                 \
		".size " #name ", . - " #name "\n"                                                 \
		".popsection\n")

JUMP(prctl, lttngmap_prctl);
JUMP(syscall, lttngmap_syscall);
JUMP(setrlimit, lttngmap_setrlimit);
JUMP(setrlimit64, lttngmap_setrlimit);
JUMP(getrlimit, lttngmap_getrlimit);
JUMP(getrlimit64, lttngmap_getrlimit);
JUMP(prlimit, lttngmap_prlimit);
JUMP(prlimit64, lttngmap_prlimit);
JUMP(mlockall, lttngmap_mlockall);
