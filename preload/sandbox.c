/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sandbox.c - leads a program's prctl() and syscall() to liblttngmap's
 * (liblttngmap/attach/sandbox.c), and what sets its limits (liblttngmap/attach/own-limits.c), for
 * the reason that exec.c tells. Jumps, for how many arguments there are is not known. setuid() and
 * its kin call the functions behind, and then tell the daemon whose the process is
 * (liblttngmap/attach/own-user.h); of several families the first that returns tells.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <unistd.h>

#include "liblttngmap/attach/own-user.h"

#define NEXT_WITHOUT_EVENTS
#define NEXT_WHILE_FINDING (-1)
#define NEXT_FUNCTIONS(X) X(setuid) X(seteuid) X(setreuid) X(setresuid)
#include "preload/next.h"

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

#define CHANGE(call)                                                                               \
	int result = (call);                                                                       \
                                                                                                   \
	lttngmap_user_changed();                                                                   \
	return result

int setuid(uid_t user)
{
	CHANGE(NEXT(setuid)(user));
}

int seteuid(uid_t effective)
{
	CHANGE(NEXT(seteuid)(effective));
}

int setreuid(uid_t real, uid_t effective)
{
	CHANGE(NEXT(setreuid)(real, effective));
}

int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	CHANGE(NEXT(setresuid)(real, effective, saved));
}
