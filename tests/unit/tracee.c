/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A thread that is made to call something goes on as it was: its registers, its
 * signals, its errno; also where the caller dies at any step of it, where the call
 * breaks, does not end, or ends the process, or executes another program there. Signals that are
 * sent meanwhile break nothing, and are not lost. System calls that a stop ends go on.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <config.h>

#include <errno.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/attach/target.h"
#include "cli/attach/tracee.h"
#include "tests/utils/tap.h"

#ifdef __x86_64__

#define PLAIN __attribute__((noinline, no_sanitize("address", "undefined", "thread")))
#define ERRNO 77
#define ROUNDS 40

/* Between the target and who looks at it. */
static struct shared {
	volatile unsigned long rounds, wrong, calls;
	volatile int go, is_calling;
	volatile int traps, bus_errors; /* that its handlers saw */
	volatile pid_t thread;
} * shared;

/* Full of values that are looked at again later: what is not 0 is wrong. */
static PLAIN unsigned long hold_values(void)
{
	unsigned long wrong = 1, count = 20000;

	__asm__ volatile("movq $0x1122334455667788, %%rbx\n\t"
			 "leaq 1(%%rbx), %%r8\n\t"
			 "leaq 2(%%rbx), %%r9\n\t"
			 "leaq 3(%%rbx), %%r10\n\t"
			 "leaq 5(%%rbx), %%r12\n\t"
			 "leaq 8(%%rbx), %%r15\n\t"
			 "movq %%rbx, %%xmm0\n\t"
			 "movq %%r9, %%xmm15\n\t"
			 "fldpi\n\t"
			 /* What is below the stack pointer is ours, too. */
			 "movq %%rbx, -120(%%rsp)\n"
			 "1:\tdecq %1\n\t"
			 "jnz 1b\n\t"
			 "movq %%xmm0, %%r11\n\t"
			 "xorq %%rbx, %%r11\n\t"
			 "movq %%r11, %0\n\t"
			 "movq %%xmm15, %%r11\n\t"
			 "xorq %%r9, %%r11\n\t"
			 "orq %%r11, %0\n\t"
			 "movq -120(%%rsp), %%r11\n\t"
			 "xorq %%rbx, %%r11\n\t"
			 "orq %%r11, %0\n\t"
			 "subq %%rbx, %%r8\n\t"
			 "subq %%rbx, %%r9\n\t"
			 "subq %%rbx, %%r10\n\t"
			 "subq %%rbx, %%r12\n\t"
			 "subq %%rbx, %%r15\n\t"
			 "addq %%r9, %%r8\n\t"
			 "addq %%r10, %%r8\n\t"
			 "addq %%r12, %%r8\n\t"
			 "addq %%r15, %%r8\n\t"
			 "subq $19, %%r8\n\t"
			 "orq %%r8, %0\n\t"
			 "fldpi\n\t"
			 "fcompp\n\t"
			 "fnstsw %%ax\n\t"
			 "andl $0x4000, %%eax\n\t"
			 "xorl $0x4000, %%eax\n\t"
			 "orq %%rax, %0"
			 : "=&d"(wrong), "+c"(count)
			 :
			 : "rax", "rbx", "r8", "r9", "r10", "r11", "r12", "r15", "xmm0", "xmm15",
			   "st", "memory", "cc");
	return wrong;
}

/* ---- what is called there -------------------------------------------------------- */

static PLAIN long spoil(long first, long second, long third)
{
	__asm__ volatile("pxor %%xmm0, %%xmm0\n\tpxor %%xmm15, %%xmm15" ::: "xmm0", "xmm15");
	errno = EIO;
	shared->calls++;
	return first + 10 * second + 100 * third;
}

static PLAIN long linger(void)
{
	shared->is_calling = 1;
	while (!shared->go)
		__asm__ volatile("pause");
	shared->calls++;
	return 0;
}

static PLAIN long chatter(void)
{
	while (!shared->go)
		getppid();
	shared->calls++;
	return 0;
}

static PLAIN long crash(void)
{
	volatile int *volatile nowhere = (volatile int *)8;

	*nowhere = 1;
	return 0;
}

static PLAIN long leave(void)
{
	_exit(3);
}

static PLAIN long become(void)
{
	static char *const arguments[] = { "sleep", "60", NULL };

	execv("/bin/sleep", arguments);
	return 0;
}

/* ---- the target ------------------------------------------------------------------- */

static void on_sent(int number)
{
	if (number == SIGTRAP)
		shared->traps++;
	else
		shared->bus_errors++;
}

static _Noreturn void be_target(void)
{
	sigset_t set;

	signal(SIGTRAP, on_sent);
	signal(SIGBUS, on_sent);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Where Yama would let its parent alone. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_SETMASK, &set, NULL);
	errno = ERRNO;
	for (;;) {
		if (hold_values() || errno != ERRNO)
			shared->wrong++;
		shared->rounds++;
	}
}

static pid_t start(void)
{
	pid_t pid = fork();

	if (pid == 0)
		be_target();
	return pid;
}

static void pause_ms(long ms)
{
	const struct timespec pause = { .tv_nsec = ms * 1000000 };

	nanosleep(&pause, NULL);
}

static bool has_its_signals(pid_t pid)
{
	char path[64], line[256];
	unsigned long long blocked = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		sscanf(line, "SigBlk: %llx", &blocked);
	if (status)
		fclose(status);
	return blocked == 1ull << (SIGUSR1 - 1);
}

static bool is_running(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == 0;
}

/* It goes on, and goes on right. */
static bool is_well(pid_t pid)
{
	unsigned long before = shared->rounds;

	for (int i = 0; i < 5000 && shared->rounds < before + 3 && is_running(pid); i++)
		pause_ms(2);
	if (shared->wrong || shared->rounds < before + 3 || !has_its_signals(pid))
		printf("# %lu rounds more, %lu wrong, signals %s\n", shared->rounds - before,
		       shared->wrong, has_its_signals(pid) ? "as they were" : "changed");
	return !shared->wrong && shared->rounds >= before + 3 && has_its_signals(pid);
}

/* ---- one that has no turn to run ------------------------------------------------------- */

static bool is_hidden;
static struct timespec hidden_until;

/* In place of libc's: where a machine is busy, what a thread does is seen late. */
pid_t waitpid(pid_t pid, int *status, int options)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (is_hidden && options & WNOHANG &&
	    (now.tv_sec < hidden_until.tv_sec ||
	     (now.tv_sec == hidden_until.tv_sec && now.tv_nsec < hidden_until.tv_nsec)))
		return 0;
	return wait4(pid, status, options, NULL);
}

/* ---- calls ---------------------------------------------------------------------------- */

static struct target target;
static struct tracee tracee;
static struct problem problem;

static bool stop(pid_t pid)
{
	int error;

	tracee.memory = target.memory;
	tracee.places = target.places;
	error = tracee_stop(&tracee, pid, pid, &problem);
	if (error)
		printf("# %s\n", problem.why);
	return error == 0;
}

static bool prepare(pid_t pid)
{
	int error = stop(pid) ? tracee_prepare(&tracee, &problem) : -1;

	if (error)
		printf("# %s\n", problem.why);
	return error == 0;
}

static int call(long (*function)(void), unsigned timeout)
{
	uint64_t result;

	return tracee_call(&tracee, (uint64_t)function, 0, 0, 0, timeout, &result);
}

static void test_calls(pid_t pid)
{
	int good = 0;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t result = 0;

		if (prepare(pid) &&
		    tracee_call(&tracee, (uint64_t)spoil, 1, (uint64_t)i, 3, 10000, &result) == 0 &&
		    result == 301 + 10 * (uint64_t)i &&
		    tracee_call(&tracee, (uint64_t)spoil, 4, 5, 6, 10000, &result) == 0 &&
		    result == 654)
			good++;
		tracee_release(&tracee);
	}
	is(good, ROUNDS, "functions are called with arguments, and their results come back");
	is(shared->calls, 2 * ROUNDS, "once each");
	ok(is_well(pid), "the thread goes on as it was");
	is(hold_values(), 0, "which would be noticed: the values are held here, too");
}

static void test_late(pid_t pid)
{
	clock_gettime(CLOCK_MONOTONIC, &hidden_until);
	hidden_until.tv_sec += 2;
	is_hidden = true;
	/* One that is not stays as it is till our end. */
	if (!ok(stop(pid), "a thread that has no turn to run for two seconds is stopped")) {
		kill(pid, SIGKILL);
		bail_out("nothing more can be made of it");
	}
	is_hidden = false;
	tracee_release(&tracee);
	ok(is_well(pid), "and goes on as it was");
}

static _Noreturn void wait_for_vfork(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	/* As of vfork(), which ThreadSanitizer makes a fork(). */
	if (syscall(SYS_clone, CLONE_VFORK | SIGCHLD, NULL, NULL, NULL, NULL) == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		shared->go = 1;
		for (;;)
			pause();
	}
	_exit(1);
}

static void test_uninterruptible(void)
{
	pid_t pid;

	shared->go = 0;
	pid = fork();
	if (pid == 0)
		wait_for_vfork();
	while (!shared->go && is_running(pid))
		pause_ms(1);
	is(tracee_stop(&tracee, pid, pid, &problem), -EBUSY,
	   "one that nothing interrupts is not waited for");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The caller dies after so many steps, and nobody cleans up behind it. */
static void die_at(pid_t pid, int step)
{
	uint64_t result;

	if (!stop(pid) || step == 0)
		_exit(0);
	if (tracee_prepare(&tracee, &problem) != 0)
		_exit(1);
	if (step == 2)
		tracee_call(&tracee, (uint64_t)linger, 0, 0, 0, 50, &result);
	if (step == 3)
		tracee_call(&tracee, (uint64_t)spoil, 0, 0, 0, 10000, &result);
	_exit(0);
}

static void test_deaths(pid_t pid)
{
	static const char *const steps[] = { "when it is stopped", "with memory mapped there",
					     "in the call", "after the call" };

	for (int step = 0; step < 4; step++) {
		pid_t child;
		int status = -1;

		shared->go = 0;
		child = fork();
		if (child == 0)
			die_at(pid, step);
		waitpid(child, &status, 0);
		is(status, 0, "the caller dies");
		shared->go = 1;
		ok(is_well(pid), "%s: the thread goes on as it was", steps[step]);
	}
}

static void test_ends(pid_t pid)
{
	unsigned long calls = shared->calls;

	ok(prepare(pid), "another call");
	is(call(crash, 10000), -EFAULT, "one that breaks is told");
	tracee_release(&tracee);
	ok(is_well(pid), "and given up");

	shared->go = 0;
	ok(prepare(pid), "another call");
	is(call(chatter, 100), -ETIMEDOUT, "one that makes system calls without end is left alone");
	tracee_release(&tracee);
	shared->go = 1;
	ok(is_well(pid), "and ends by itself");
	is(shared->calls, calls + 1, "once");

	ok(prepare(pid), "another call");
	is(call(leave, 10000), -ESRCH, "one that ends the process is told");
	tracee_release(&tracee);
	/* Who traces it hears of its end first. */
	ok(kill(pid, 0) != 0, "which is gone");
	kill(pid, SIGKILL);
	is(tracee_stop(&tracee, pid, pid, &problem), -ESRCH, "and cannot be stopped any more");
}

/* Of the kind that ends a call, but sent by somebody. */
static void test_sent(pid_t pid)
{
	pid_t sender;

	shared->go = 0;
	shared->is_calling = 0;
	sender = fork();
	if (sender == 0) {
		while (!shared->is_calling)
			pause_ms(1);
		kill(pid, SIGTRAP);
		syscall(SYS_tgkill, pid, pid, SIGBUS);
		shared->go = 1;
		_exit(0);
	}
	ok(prepare(pid), "another call");
	is(call(linger, 60000), 0, "signals that are sent to the thread do not break it");
	is(shared->traps + shared->bus_errors, 0, "nor are they handled in the midst of it");
	tracee_release(&tracee);
	ok(is_well(pid), "the thread goes on as it was");
	is(shared->traps * 10 + shared->bus_errors, 11, "and has them handled then, once each");
	waitpid(sender, NULL, 0);
}

/* ---- another program ----------------------------------------------------------------- */

static void *be_thread(void *unused)
{
	shared->thread = (pid_t)syscall(SYS_gettid);
	for (;;)
		__asm__ volatile("pause");
	return unused;
}

static int status_number(pid_t pid, const char *format)
{
	char path[64], line[256];
	int number = -1;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		sscanf(line, format, &number);
	if (status)
		fclose(status);
	return number;
}

/* A thread that is not the first one becomes that by it. */
static void test_execution(void)
{
	pid_t pid = fork();
	char name[32] = "";
	pthread_t thread;
	FILE *comm;

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
		pthread_create(&thread, NULL, be_thread, NULL);
		for (;;)
			pause();
	}
	while (!shared->thread)
		pause_ms(1);
	if (target_open(&target, pid, &problem) != 0)
		diag("%s", problem.why);
	tracee.memory = target.memory;
	tracee.places = target.places;
	is(tracee_stop(&tracee, pid, shared->thread, &problem), 0, "another thread");
	is(tracee_prepare(&tracee, &problem), 0, "is to call");
	is(call(become, 60000), -ESRCH, "what executes a program: that is told");
	tracee_release(&tracee);
	is(status_number(pid, "TracerPid: %d"), 0, "it is not traced any more");
	snprintf(name, sizeof(name), "/proc/%d/comm", (int)pid);
	comm = fopen(name, "re");
	ok(comm && fgets(name, sizeof(name), comm) && strcmp(name, "sleep\n") == 0,
	   "and is the other program");
	if (comm)
		fclose(comm);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	target_close(&target);
}

/* ---- system calls that end by a stop -------------------------------------------------- */

static int input[2];

/* With a timeout, which makes it end so. */
static void wait_in_readv(void)
{
	struct timeval limit = { .tv_sec = 600 };
	char byte;
	struct iovec vector = { &byte, 1 };

	setsockopt(input[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	shared->go = 1;
	_exit(readv(input[0], &vector, 1) == 1 ? 0 : 1);
}

/* For something to be done that never was begun. */
static void wait_in_ring(void)
{
	struct io_uring_params parameters = { .flags = 0 };
	int ring = (int)syscall(SYS_io_uring_setup, 4, &parameters);

	if (ring < 0)
		_exit(2);
	shared->go = 1;
	syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0);
	_exit(1);
}

/* Until it has been found in there `times`; false where it came out. */
static bool stays(pid_t pid, long number, int times)
{
	for (int i = 0; i < 10000 && times > 0 && is_running(pid); i++) {
		if (tracee_stop(&tracee, pid, pid, &problem) != 0)
			return false;
		if (tracee_system_call(&tracee) == number &&
		    (long long)tracee.registers.rax == -EINTR)
			times--;
		tracee_release(&tracee);
		pause_ms(1);
	}
	return times == 0 && is_running(pid);
}

static void test_interrupted(void (*wait)(void), long number, const char *name)
{
	int status = -1;
	pid_t pid;

	shared->go = 0;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
		wait();
	}
	while (!shared->go && is_running(pid))
		pause_ms(1);
	if (!shared->go) {
		waitpid(pid, NULL, 0);
		skip(1, "the kernel lets nobody make such rings");
		return;
	}
	ok(stays(pid, number, 20), "%s goes on after a stop", name);
	if (number == SYS_readv) {
		if (write(input[1], "", 1) != 1)
			kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		is(status, 0, "and ends as it should");
		return;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	sigset_t child;
	pid_t pid;

	plan(1 + 4 + 3 + 2 * 4 + 5 + 11 + 5 + 3);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	pid = start();
	if (target_open(&target, pid, &problem) != 0) {
		printf("Bail out! %s\n", problem.why);
		kill(pid, SIGKILL);
		return 1;
	}
	ok(target_is_same(&target), "it is the program that was looked at");
	test_calls(pid);
	test_late(pid);
	test_uninterruptible();
	test_deaths(pid);
	test_sent(pid);
	test_ends(pid);
	target_close(&target);
	test_execution();
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, input) != 0)
		return 1;
	test_interrupted(wait_in_readv, SYS_readv, "readv");
	test_interrupted(wait_in_ring, SYS_io_uring_enter, "io_uring_enter");
	return done_testing();
}

#else

int main(void)
{
	skip_all("only x86-64 can be attached to");
}

#endif
