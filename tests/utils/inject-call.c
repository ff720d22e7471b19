/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * inject-call PID NUMBER [ARGUMENT...]: have a process make a system call, as
 * if somebody had taken it over. Prints its result, or "killed by signal N".
 * Exit status 77 where processes cannot be traced here.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#define CANNOT 77

static int fail(const char *what)
{
	fprintf(stderr, "inject-call: %s: %s\n", what, strerror(errno));
	return EXIT_FAILURE;
}

#ifdef __x86_64__
/* syscall, then int3. */
#define CODE 0xcc050f

static int inject(pid_t pid, unsigned long long *words)
{
	struct user_regs_struct saved, registers;
	long code;
	int status;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &saved) != 0)
		return fail("registers");
	errno = 0;
	code = ptrace(PTRACE_PEEKTEXT, pid, saved.rip, NULL);
	if (errno || ptrace(PTRACE_POKETEXT, pid, saved.rip, (code & ~0xffffffl) | CODE) != 0)
		return fail("code");
	registers = saved;
	registers.rax = words[0];
	registers.rdi = words[1];
	registers.rsi = words[2];
	registers.rdx = words[3];
	registers.r10 = words[4];
	/* The call that it was stopped in is not gone on with yet. */
	registers.orig_rax = (unsigned long long)-1;
	if (ptrace(PTRACE_SETREGS, pid, NULL, &registers) != 0 ||
	    ptrace(PTRACE_CONT, pid, NULL, NULL) != 0 || waitpid(pid, &status, 0) != pid)
		return fail("the call");
	if (WIFSIGNALED(status)) {
		printf("killed by signal %d\n", WTERMSIG(status));
		return EXIT_SUCCESS;
	}
	if (ptrace(PTRACE_GETREGS, pid, NULL, &registers) != 0)
		return fail("result");
	printf("%lld\n", (long long)registers.rax);
	if (ptrace(PTRACE_POKETEXT, pid, saved.rip, code) != 0 ||
	    ptrace(PTRACE_SETREGS, pid, NULL, &saved) != 0 ||
	    ptrace(PTRACE_DETACH, pid, NULL, NULL) != 0)
		return fail("putting it back");
	return EXIT_SUCCESS;
}
#else
static int inject(pid_t pid, unsigned long long *words)
{
	(void)words;
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return CANNOT;
}
#endif

int main(int argc, char **argv)
{
	unsigned long long words[5] = { 0 };
	pid_t pid;
	int status;

	if (argc < 3 || argc > 7) {
		fputs("usage: inject-call PID NUMBER [ARGUMENT...]\n", stderr);
		return 2;
	}
	pid = (pid_t)atoi(argv[1]);
	for (int i = 2; i < argc; i++)
		words[i - 2] = strtoull(argv[i], NULL, 0);
	if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) != 0)
		return errno == EPERM ? CANNOT : fail("attach");
	if (waitpid(pid, &status, 0) != pid)
		return fail("stop");
	return inject(pid, words);
}
