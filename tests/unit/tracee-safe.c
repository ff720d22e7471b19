/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Where a thread is not made to call anything: in a signal's handler, with a filter of
 * its system calls, computing where the kernel cannot tell of restartable sequences. And
 * a process is not attached to where one of its threads has such a filter.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <config.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/attach/target.h"
#include "cli/attach/tracee-safe.h"
#include "tests/utils/tap.h"

#ifdef __x86_64__

/* Between the target and who looks at it. */
static struct shared {
	volatile int is_ready, go;
} * shared;

static void pause_ms(long ms)
{
	const struct timespec pause = { .tv_nsec = ms * 1000000 };

	nanosleep(&pause, NULL);
}

/* ---- targets ---------------------------------------------------------------------- */

static void filter(struct sock_filter *code, unsigned short length)
{
	struct sock_fprog program = { .len = length, .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		_exit(1);
}

static void filter_nothing(void)
{
	struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };

	filter(code, 1);
}

static _Noreturn void wait_here(void)
{
	shared->is_ready = 1;
	for (;;)
		pause();
}

static _Noreturn void compute(void)
{
	shared->is_ready = 1;
	for (;;)
		__asm__ volatile("pause");
}

static void on_signal(int number)
{
	(void)number;
	wait_here();
}

/* On a stack of its own, which is small, and has other things below. */
static _Noreturn void wait_in_handler(void)
{
	static struct {
		char below[65536], stack[32768];
	} memory;
	stack_t stack = { .ss_sp = memory.stack, .ss_size = sizeof(memory.stack) };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	_exit(1);
}

static _Noreturn void filter_and_wait(void)
{
	shared->is_ready = 1;
	while (!shared->go)
		pause_ms(1);
	filter_nothing();
	wait_here();
}

static void *filter_here(void *unused)
{
	filter_nothing();
	wait_here();
	return unused;
}

static _Noreturn void filter_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, filter_here, NULL);
	for (;;)
		pause();
}

static pid_t start(void (*function)(void))
{
	pid_t pid;

	shared->is_ready = 0;
	shared->go = 0;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* Where Yama would let its parent alone. */
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
		function();
		_exit(1);
	}
	for (int i = 0; i < 5000 && !shared->is_ready; i++)
		pause_ms(2);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- looks ------------------------------------------------------------------------ */

static struct target target;
static struct tracee tracee;
static struct problem problem;

static bool open_target(pid_t pid)
{
	int error = target_open(&target, pid, &problem);

	if (error)
		diag("%s", problem.why);
	return error == 0;
}

/* Why is it not safe where it is? "" where it is. */
static const char *look(pid_t pid)
{
	const char *why;

	tracee.memory = target.memory;
	tracee.places = target.places;
	if (tracee_stop(&tracee, pid, pid, &problem) != 0)
		return "it does not stop, in a restartable sequence or elsewhere";
	if (dwfl_pid(target.dwfl) < 0 && dwfl_linux_proc_attach(target.dwfl, pid, true) != 0)
		why = "its callers cannot be told";
	else
		why = tracee_unsafe(&target, &tracee);
	tracee_release(&tracee);
	return why ? why : "";
}

/* On its way to where it waits it may be anywhere. NULL: to where nothing is said of sequences. */
static bool comes_to(pid_t pid, const char *text)
{
	const char *why = "";

	for (int i = 0; i < 1000; i++) {
		why = look(pid);
		if (text ? strstr(why, text) != NULL : !strstr(why, "restartable sequence"))
			return true;
		pause_ms(2);
	}
	diag("not '%s', but '%s'", text ? text : "", why);
	return false;
}

static void test_handler(void)
{
	pid_t pid = start(wait_in_handler);

	ok(open_target(pid), "a thread in a signal's handler");
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
	ok(look(pid)[0], "is left alone: what looks after it comes first");
#else
	ok(comes_to(pid, "in a signal's handler"), "is left alone");
#endif
	target_close(&target);
	end(pid);
}

static void test_filter(void)
{
	pid_t pid = start(filter_and_wait);

	ok(open_target(pid), "a thread that has its system calls filtered, after a look at it");
	shared->is_ready = 0;
	shared->go = 1;
	for (int i = 0; i < 5000 && !shared->is_ready; i++)
		pause_ms(2);
	ok(comes_to(pid, "filtered"), "is left alone");
	target_close(&target);
	end(pid);

	pid = start(filter_in_thread);
	is(target_open(&target, pid, &problem), -EPERM, "a process with such a thread is refused");
	ok(strstr(problem.why, "seccomp") != NULL, "and why is said");
	target_close(&target);
	end(pid);
}

/* For this process there is no such request, as on older kernels. */
static void forget_sequences(void)
{
#ifdef PTRACE_GET_RSEQ_CONFIGURATION
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PTRACE_GET_RSEQ_CONFIGURATION, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	filter(code, sizeof(code) / sizeof(code[0]));
#endif
}

static void test_sequences(void)
{
	pid_t pid = start(compute), looker = fork();
	int status = -1;

	if (looker == 0) {
		forget_sequences();
		_exit(open_target(pid) && strstr(look(pid), "restartable sequence") ? 0 : 1);
	}
	waitpid(looker, &status, 0);
	is(status, 0, "a thread that computes is left alone where sequences cannot be told");
	end(pid);

	pid = start(wait_here);
	looker = fork();
	if (looker == 0) {
		forget_sequences();
		_exit(open_target(pid) && comes_to(pid, NULL) ? 0 : 1);
	}
	waitpid(looker, &status, 0);
	is(status, 0, "not so one that waits in a system call, where there are none");
	end(pid);
}

int main(void)
{
	sigset_t child;

	plan(8);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	test_handler();
	test_filter();
	test_sequences();
	return done_testing();
}

#else

int main(void)
{
	skip_all("only x86-64 can be attached to");
}

#endif
