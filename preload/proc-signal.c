/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * proc-signal.c - signals that are sent, waited for, and what is to happen when they
 * come. Not that they come: handlers stay the program's own.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "preload/proc.h"

/* C library function called by programs that were built without the BSD signal semantics. */
__sighandler_t __sysv_signal(int number, __sighandler_t handler);

#define NEXT_FUNCTIONS(X)                                                                          \
	X(kill)                                                                                    \
	X(killpg)                                                                                  \
	X(raise)                                                                                   \
	X(tgkill)                                                                                  \
	X(sigqueue)                                                                                \
	X(pthread_kill)                                                                            \
	X(pthread_sigqueue)                                                                        \
	X(sigaction)                                                                               \
	X(signal)                                                                                  \
	X(__sysv_signal)                                                                           \
	X(sigprocmask)                                                                             \
	X(pthread_sigmask)                                                                         \
	X(sigwait)                                                                                 \
	X(sigwaitinfo)                                                                             \
	X(sigtimedwait)                                                                            \
	X(sigsuspend)                                                                              \
	X(pause)

/* The older one finds no thread that has ended. */
#define NEXT_VERSIONS(X) X(pthread_kill, "GLIBC_2.2.5", "GLIBC_2.34")

#include "preload/next.h"

/* ---- sent: it may be for this process, and its end ------------------------------------ */

#define SIGNAL (integer, int, signal)

EVENT(kill_req, (integer, int, pid), SIGNAL);
EVENT(kill_ret, (integer, int, pid), SIGNAL, RESULT);
EVENT(killpg_req, (integer, int, pgrp), SIGNAL);
EVENT(killpg_ret, (integer, int, pgrp), SIGNAL, RESULT);
EVENT(raise_req, SIGNAL);
EVENT(raise_ret, SIGNAL, RESULT);
EVENT(tgkill_req, (integer, int, tgid), (integer, int, tid), SIGNAL);
EVENT(tgkill_ret, (integer, int, tgid), (integer, int, tid), SIGNAL, RESULT);
EVENT(sigqueue_req, (integer, int, pid), SIGNAL, (hex, uint64_t, value));
EVENT(sigqueue_ret, (integer, int, pid), SIGNAL, (hex, uint64_t, value), RESULT);
EVENT(pthread_kill_req, (hex, uint64_t, thread), SIGNAL);
EVENT(pthread_kill_ret, (hex, uint64_t, thread), SIGNAL, RESULT);
EVENT(pthread_sigqueue_req, (hex, uint64_t, thread), SIGNAL, (hex, uint64_t, value));
EVENT(pthread_sigqueue_ret, (hex, uint64_t, thread), SIGNAL, (hex, uint64_t, value), RESULT);

int kill(pid_t pid, int signal)
{
	PARTING_CALL(kill, NEXT(kill)(pid, signal), pid, signal);
}

int killpg(pid_t pgrp, int signal)
{
	PARTING_CALL(killpg, NEXT(killpg)(pgrp, signal), pgrp, signal);
}

int raise(int signal)
{
	PARTING_CALL(raise, NEXT(raise)(signal), signal);
}

int tgkill(pid_t tgid, pid_t tid, int signal)
{
	PARTING_CALL(tgkill, NEXT(tgkill)(tgid, tid, signal), tgid, tid, signal);
}

int sigqueue(pid_t pid, int signal, const union sigval value)
{
	PARTING_CALL(sigqueue, NEXT(sigqueue)(pid, signal, value), pid, signal,
		     (uint64_t)(uintptr_t)value.sival_ptr);
}

/* These two return the error. */
int pthread_kill(pthread_t thread, int signal)
{
	int result;

	EMIT(pthread_kill_req, thread, signal);
	result = NEXT(pthread_kill)(thread, signal);
	EMIT(pthread_kill_ret, thread, signal, result, result);
	return result;
}

int pthread_sigqueue(pthread_t thread, int signal, const union sigval value)
{
	uint64_t number = (uint64_t)(uintptr_t)value.sival_ptr;
	int result;

	EMIT(pthread_sigqueue_req, thread, signal, number);
	result = NEXT(pthread_sigqueue)(thread, signal, value);
	EMIT(pthread_sigqueue_ret, thread, signal, number, result, result);
	return result;
}

/* ---- what is to happen then ------------------------------------------------------------ */

EVENT(sigaction, SIGNAL, (integer, uint8_t, has_action), (pointer, handler), (hex, int, flags),
      RESULT);
EVENT(signal, SIGNAL, (pointer, handler), (pointer, result), (integer, int, error));
EVENT(sigprocmask, (integer, int, how), (integer, uint8_t, has_set), (hex, uint64_t, set), RESULT);

/*
 * The new action may lie where the old one is stored, so it is read first. The C library does the
 * same if the signal exists.
 */
int sigaction(int signal, const struct sigaction *action, struct sigaction *before)
{
	const void *handler = NULL;
	int flags = 0;

	if (lttngmap_tracepoint_enabled(lttngmap_proc, sigaction) && action && signal > 0 &&
	    signal < NSIG) {
		handler = action->sa_flags & SA_SIGINFO ? (const void *)action->sa_sigaction
							: (const void *)action->sa_handler;
		flags = action->sa_flags;
	}
	CALL(sigaction, NEXT(sigaction)(signal, action, before), signal, action != NULL, handler,
	     flags, );
}

#define SIGNAL_CALL(call)                                                                          \
	__sighandler_t result = (call);                                                            \
                                                                                                   \
	EMIT(signal, number, (const void *)handler, (const void *)result,                          \
	     result == SIG_ERR ? errno : 0);                                                       \
	return result

__sighandler_t signal(int number, __sighandler_t handler)
{
	SIGNAL_CALL(NEXT(signal)(number, handler));
}

__sighandler_t __sysv_signal(int number, __sighandler_t handler)
{
	SIGNAL_CALL(NEXT(__sysv_signal)(number, handler));
}

/* Signals 1 to 64, from the lowest bit on. */
static uint64_t first_word(const sigset_t *set)
{
	uint64_t word = 0;

	if (set)
		memcpy(&word, set, sizeof(word));
	return word;
}

int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
	uint64_t word = lttngmap_tracepoint_enabled(lttngmap_proc, sigprocmask) ? first_word(set)
										: 0;

	CALL(sigprocmask, NEXT(sigprocmask)(how, set, before), how, set != NULL, word, );
}

/* It returns the error. */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	uint64_t word = lttngmap_tracepoint_enabled(lttngmap_proc, sigprocmask) ? first_word(set)
										: 0;
	int result = NEXT(pthread_sigmask)(how, set, before);

	EMIT(sigprocmask, how, set != NULL, word, result, result);
	return result;
}

/* ---- waited for ------------------------------------------------------------------------- */

EVENT(sigwait, SIGNAL, WAITED);
EVENT(sigsuspend, WAITED);
EVENT(pause, WAITED);

/* It returns the error, and the signal elsewhere. */
int sigwait(const sigset_t *set, int *signal)
{
	uint64_t begin = lttngmap_tracepoint_enabled(lttngmap_proc, sigwait) ? proc_now() : 0;
	int result = NEXT(sigwait)(set, signal);

	if (begin)
		EMIT(sigwait, result ? 0 : *signal, result, result, proc_now() - begin);
	return result;
}

int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	WAITING_CALL(sigwait, int, NEXT(sigwaitinfo)(set, info), result < 0 ? 0 : result, );
}

int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	WAITING_CALL(sigwait, int, NEXT(sigtimedwait)(set, info, timeout),
		     result < 0 ? 0 : result, );
}

int sigsuspend(const sigset_t *set)
{
	WAITING_CALL(sigsuspend, int, NEXT(sigsuspend)(set), );
}

int pause(void)
{
	WAITING_CALL(pause, int, NEXT(pause)(), );
}
