/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * proc.c - liblttngmap-proc.so: processes that come and go, and signals.
 *
 *   LD_PRELOAD=liblttngmap-proc.so PROGRAM
 *
 * Here: how processes come to be, are waited for, and end. The others are in
 * proc-exec.c and proc-signal.c.
 *
 * There is no event in the child of a fork: its first one is what it does, and the
 * parent's tells its number. The process that is ended from outside, or by an
 * instruction that is an error, leaves no event of its end; its parent's `wait` tells.
 *
 * All of this is called in handlers of signals, and in children of vfork.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "preload/proc.h"

#include <assert.h>
#include <pty.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Also where <assert.h> does not say it. */
void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
	__attribute__((noreturn));

#define NEXT_FUNCTIONS(X)                                                                          \
	X(fork)                                                                                    \
	X(_Fork)                                                                                   \
	X(forkpty)                                                                                 \
	X(clone)                                                                                   \
	X(daemon)                                                                                  \
	X(wait)                                                                                    \
	X(waitpid)                                                                                 \
	X(wait3)                                                                                   \
	X(wait4)                                                                                   \
	X(waitid)                                                                                  \
	X(exit)                                                                                    \
	X(_exit)                                                                                   \
	X(_Exit)                                                                                   \
	X(quick_exit)                                                                              \
	X(abort)                                                                                   \
	X(__assert_fail)

#include "preload/next.h"

/* ---- come ------------------------------------------------------------------------------ */

EVENT(fork, WAITED);
EVENT(forkpty, WAITED);
EVENT(vfork, RESULT);
EVENT(clone, (pointer, function), (hex, int, flags), (pointer, arg), WAITED);
EVENT(daemon_req, (integer, int, nochdir), (integer, int, noclose));
EVENT(daemon_ret, (integer, int, nochdir), (integer, int, noclose), RESULT);

/* Both return here: the child with 0. */
#define FORK(event, call)                                                                          \
	uint64_t begin = lttngmap_tracepoint_enabled(lttngmap_proc, event) ? proc_now() : 0;       \
	pid_t result = (call);                                                                     \
                                                                                                   \
	if (result != 0 && begin)                                                                  \
		EMIT(event, result, result < 0 ? errno : 0, proc_now() - begin);                   \
	return result

pid_t fork(void)
{
	FORK(fork, NEXT(fork)());
}

pid_t _Fork(void)
{
	FORK(fork, NEXT(_Fork)());
}

int forkpty(int *master, char *name, const struct termios *terminal, const struct winsize *size)
{
	FORK(forkpty, NEXT(forkpty)(master, name, terminal, size));
}

/*
 * vfork() itself is in proc-vfork.c. This is called in the parent, when the child is
 * gone, by liblttngmap's, as if the caller had: `result` is the kernel's.
 */
__attribute__((used, visibility("hidden"))) int proc_vforked(long result)
{
	if (result < 0) {
		errno = (int)-result;
		result = -1;
	}
	EMIT(vfork, (int)result, result < 0 ? errno : 0);
	return (int)result;
}

/* liblttngmap/base/vfork.h */
void lttngmap_vfork_count(int change);

/*
 * The child goes on in `function`. One that is given no thread pointer of its own has
 * its parent's, and no restartable sequence, so that neither of them may write by one: the
 * parent until the child is gone, or from now on where it does not wait for that.
 */
static int clone_counted(int (*function)(void *), void *stack, int flags, void *arg,
			 pid_t *parent_tid, void *tls, pid_t *child_tid)
{
	bool is_shared = flags & CLONE_VM && !(flags & CLONE_SETTLS);
	int result;

	if (is_shared)
		lttngmap_vfork_count(1);
	result = NEXT(clone)(function, stack, flags, arg, parent_tid, tls, child_tid);
	if (is_shared && (flags & CLONE_VFORK || result < 0))
		lttngmap_vfork_count(-1);
	return result;
}

/* Which of the last three arguments are there, the flags say. */
int clone(int (*function)(void *), void *stack, int flags, void *arg, ...)
{
	pid_t *parent_tid, *child_tid;
	va_list list;
	void *tls;

	va_start(list, arg);
	parent_tid = va_arg(list, pid_t *);
	tls = va_arg(list, void *);
	child_tid = va_arg(list, pid_t *);
	va_end(list);
	WAITING_CALL(clone, int,
		     clone_counted(function, stack, flags, arg, parent_tid, tls, child_tid),
		     (const void *)function, flags, arg, );
}

/* The caller's process ends in there; who returns is a child. */
int daemon(int nochdir, int noclose)
{
	PARTING_CALL(daemon, NEXT(daemon)(nochdir, noclose), nochdir, noclose);
}

/* ---- are waited for ----------------------------------------------------------------------- */

EVENT(wait, (integer, int, pid), (hex, int, options), (hex, int, status), WAITED);
EVENT(waitid, (integer, int, idtype), (integer, int, id), (hex, int, options),
      (integer, int, child), (integer, int, code), (integer, int, status), WAITED);

/* The status is in the trace also where the caller does not want it. */
#define WAIT(call, pid, options)                                                                   \
	int own_status = 0, *at = status ? status : &own_status;                                   \
	WAITING_CALL(wait, pid_t, call, pid, options, result > 0 ? *at : 0, )

pid_t wait(int *status)
{
	WAIT(NEXT(wait)(at), -1, 0);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	WAIT(NEXT(waitpid)(pid, at, options), pid, options);
}

pid_t wait3(int *status, int options, struct rusage *usage)
{
	WAIT(NEXT(wait3)(at, options, usage), -1, options);
}

pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	WAIT(NEXT(wait4)(pid, at, options, usage), pid, options);
}

int waitid(idtype_t idtype, id_t id, siginfo_t *info, int options)
{
	siginfo_t own_info = { .si_signo = 0 }, *at = info ? info : &own_info;

	WAITING_CALL(waitid, int, NEXT(waitid)(idtype, id, at, options), idtype, (int)id, options,
		     result < 0 ? 0 : at->si_pid, result < 0 ? 0 : at->si_code,
		     result < 0 ? 0 : at->si_status, );
}

/* ---- go ------------------------------------------------------------------------------------ */

EVENT(exit, (integer, int, status));
EVENT(_exit, (integer, int, status));
EVENT(quick_exit, (integer, int, status));
LTTNGMAP_TRACEPOINT(lttngmap_proc, abort, LEVEL);
EVENT(assert_fail, (string, assertion), (string, file), (integer, unsigned, line),
      (string, function));
EVENT(at_exit, (integer, int, status));

/* A function that is called while it is looked for comes back, which none of these may. */
static __attribute__((noreturn)) void leave(int function, int status)
{
	((void (*)(int))next_get(function))(status);
	for (;;)
		syscall(SYS_exit_group, status);
}

void exit(int status)
{
	EMIT(exit, status);
	leave(NEXT_exit, status);
}

void _exit(int status)
{
	EMIT(_exit, status);
	leave(NEXT__exit, status);
}

void _Exit(int status)
{
	EMIT(_exit, status);
	leave(NEXT__Exit, status);
}

void quick_exit(int status)
{
	EMIT(quick_exit, status);
	leave(NEXT_quick_exit, status);
}

void abort(void)
{
	EMIT(abort);
	((void (*)(void))next_get(NEXT_abort))();
	__builtin_trap();
}

void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
{
	EMIT(assert_fail, assertion, file, line, function);
	((__typeof__(void (*)(const char *, const char *, unsigned, const char *)))next_get(
		NEXT___assert_fail))(assertion, file, line, function);
	__builtin_trap();
}

/*
 * However exit() came to be called: by main() that returned, by the C library as in
 * err(), or by the last thread's end. After all that the program registered itself.
 */
static void tell_at_exit(int status, void *unused)
{
	(void)unused;
	lttngmap_tracepoint(lttngmap_proc, at_exit, status);
}

static __attribute__((constructor)) void expect_exit(void)
{
	on_exit(tell_at_exit, NULL);
}
