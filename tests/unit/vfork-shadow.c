/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The library's vfork() under a shadow stack (x86 CET), which few machines have: a process is
 * stepped through it, each call and return is kept in a stack beside its own, and each return has
 * to lead where that one says. Parent and child have one such memory, as the kernel gives it to
 * them, and each its own place in it.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/utils/tap.h"

#ifdef __x86_64__

#define DEPTH 4096u
#define DEEP 4

enum instruction { OTHER, CALL, RETURN };

struct tracee {
	pid_t pid;
	enum instruction stepped; /* since it stopped last */
	unsigned int place;       /* entries that are its */
	unsigned int calls;
};

static uint64_t shadow[DEPTH];
static unsigned int wrong;

/* ---- what is stepped through --------------------------------------------------------- */

/* As preload/proc-vfork.c: the parent goes on in then(). */
pid_t vfork_then(void) __attribute__((returns_twice));
__asm__(".pushsection .text, \"ax\", @progbits\n"
	".type vfork_then, @function\n"
	"vfork_then:\n\t"
	"leaq then(%rip), %rsi\n\t"
	"jmp lttngmap_vfork_then\n\t"
	".size vfork_then, . - vfork_then\n"
	".popsection\n");

__attribute__((used, visibility("hidden"))) int then(long result)
{
	return (int)result;
}

/* So many calls, one in the other. */
static __attribute__((noinline)) int deep(volatile int calls)
{
	return calls > 0 ? deep(calls - 1) + 1 : 0;
}

static void be_stepped(bool with_then)
{
	pid_t child;
	int status;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	if (with_then)
		child = vfork_then();
	else
		child = vfork();
	if (child == 0)
		_exit(deep(DEEP));
	_exit(child > 0 && deep(DEEP) == DEEP && waitpid(child, &status, 0) == child ? DEEP : 1);
}

/* ---- who steps ------------------------------------------------------------------------- */

static bool is_prefix(uint8_t byte)
{
	return byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0x3e || byte == 0x66 ||
	       (byte & 0xf0) == 0x40;
}

static enum instruction decode(uint64_t word)
{
	while (is_prefix((uint8_t)word))
		word >>= 8;
	switch ((uint8_t)word) {
	case 0xe8:
		return CALL;
	case 0xff:
		return (word >> 11 & 7) == 2 ? CALL : OTHER;
	case 0xc2:
	case 0xc3:
		return RETURN;
	default:
		return OTHER;
	}
}

static uint64_t peek(pid_t pid, uint64_t at)
{
	return (uint64_t)ptrace(PTRACE_PEEKDATA, pid, (void *)at, NULL);
}

/* It has executed what `stepped` says. */
static void follow(struct tracee *tracee, const struct user_regs_struct *registers)
{
	if (tracee->stepped == CALL && tracee->place < DEPTH) {
		shadow[tracee->place++] = peek(tracee->pid, registers->rsp);
		tracee->calls++;
	}
	/* Who called before the first step is not known. */
	if (tracee->stepped == RETURN && tracee->place > 0)
		wrong += shadow[--tracee->place] != registers->rip;
}

static void step(struct tracee *tracee, int status)
{
	struct user_regs_struct registers;

	ptrace(PTRACE_GETREGS, tracee->pid, NULL, &registers);
	if (WSTOPSIG(status) == SIGTRAP && status >> 16 == 0)
		follow(tracee, &registers);
	tracee->stepped = decode(peek(tracee->pid, registers.rip));
	ptrace(PTRACE_SINGLESTEP, tracee->pid, NULL, NULL);
}

/* Both to their ends. How many returns led elsewhere. */
static unsigned int step_through(bool with_then)
{
	struct tracee parent = { .pid = fork() }, child = { .pid = 0 };
	int status, exits = 0;
	pid_t pid;

	if (parent.pid == 0)
		be_stepped(with_then);
	wrong = 0;
	waitpid(parent.pid, &status, 0);
	ptrace(PTRACE_SETOPTIONS, parent.pid, NULL, PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL);
	step(&parent, status);
	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status)) {
			exits += WIFEXITED(status) && WEXITSTATUS(status) == DEEP;
		} else if (pid == parent.pid) {
			step(&parent, status);
		} else {
			if (!child.pid)
				child = (struct tracee){ .pid = pid, .place = parent.place };
			step(&child, status);
		}
	}
	is(exits, 2, "the child ends well, and its parent");
	ok(child.calls > DEEP && parent.calls > DEEP, "both were seen to call: %u and %u times",
	   child.calls, parent.calls);
	return wrong;
}

int main(void)
{
	is(step_through(false), 0, "vfork: each return leads where the shadow stack says");
	is(step_through(true), 0, "  ... also in a parent that goes on elsewhere");
	return done_testing();
}

#else

int main(void)
{
	skip(1, "vfork() of the library is for x86-64");
	return done_testing();
}

#endif
