/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * tracee.h - stops a thread of a running process for a moment and makes it call functions.
 *
 *   tracee_stop ── is it at a safe point? (tracee-safe.h) ── tracee_prepare
 *       │ no                                                   │
 *       │                                             tracee_call, as often as needed
 *       ▼                                                      │
 *   tracee_release: goes on as if nothing had happened ◄───────┘
 *
 * From tracee_prepare() on, the thread can return by itself at any instant: each called function
 * returns to code that ends in rt_sigreturn(2), with a frame that the kernel would make for a
 * signal. If the caller is killed in the middle, the thread finishes the call and then continues
 * its own work.
 *
 * Functions run on a stack of their own. All signals are blocked except those that a thread's own
 * instructions raise. Such a signal ends the call. If another process sent the signal,
 * tracee_release() sends it again.
 *
 * Only x86-64 with 64 bits. One thread, because ptrace(2) binds a tracee to its tracer's thread;
 * SIGCHLD has to be blocked there.
 */
#ifndef CLI_ATTACH_TRACEE_H
#define CLI_ATTACH_TRACEE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "cli/base/problem.h"

#define TRACEE_XSTATE_MAX 16384u
/* One for each such signal: each is pending once. */
#define TRACEE_KEPT_MAX 6u

/* Addresses in the process, valid as long as it lives. */
struct tracee_places {
	uint64_t syscall_return; /* `syscall; ret` */
	uint64_t sigreturn;      /* the C library's sa_restorer */
	uint64_t errno_location; /* __errno_location() */
};

struct tracee {
	pid_t pid;
	pid_t thread;
	int memory; /* /proc/PID/mem */
	struct tracee_places places;

	bool is_stopped;
	bool is_gone; /* it ended or executed another program: restore nothing */
	struct user_regs_struct registers; /* at the stop */
	uint64_t signals;                  /* its signal mask */

	siginfo_t kept[TRACEE_KEPT_MAX]; /* signals that others sent during calls */
	unsigned nr_kept;

	bool is_prepared;
	unsigned char state[TRACEE_XSTATE_MAX]; /* extended state: floating point and others */
	size_t state_size;
	uint64_t frame; /* on the thread's stack */
	uint64_t code;  /* the page with our code */
	uint64_t area;  /* our stack and the request */
};

/* Requests are written behind the end of the stack. */
#define TRACEE_STACK_SIZE (256u * 1024u)
#define TRACEE_ROOM_SIZE (64u * 1024u)
#define TRACEE_ROOM(tracee) ((tracee)->area + TRACEE_STACK_SIZE)

/*
 * Stops a thread of process `pid` as soon as a CPU runs it. 0; -EBUSY: the thread does not stop,
 * and only the end of this process lets it go; other -errno. `problem` says why.
 */
int tracee_stop(struct tracee *tracee, pid_t pid, pid_t thread, struct problem *problem);
/*
 * True if the stop made a system call fail with EINTR; tracee_release() then starts it again, with
 * its whole timeout.
 */
bool tracee_begins_anew(const struct tracee *tracee);
/* Undoes what was prepared and lets the thread continue. Does nothing if it is not stopped. */
void tracee_release(struct tracee *tracee);

/* Allocates a stack and `room` bytes in the process. 0 or -errno. */
int tracee_prepare(struct tracee *tracee, struct problem *problem);
/*
 * Calls function(first, second, third) in the thread, for `timeout_ms` at most. 0; -ETIMEDOUT: the
 * function still runs, and the thread was let go to finish it; -EFAULT: the function failed and was
 * ended, and its locks stay locked; -ESRCH: the process ended.
 */
int tracee_call(struct tracee *tracee, uint64_t function, uint64_t first, uint64_t second,
		uint64_t third, unsigned timeout_ms, uint64_t *result);

/* Copies all `size` bytes, or returns false. */
bool tracee_read(const struct tracee *tracee, uint64_t address, void *bytes, size_t size);
bool tracee_write(const struct tracee *tracee, uint64_t address, const void *bytes, size_t size);

/* The system call that the stop interrupted, or -1. */
long tracee_system_call(const struct tracee *tracee);

#endif /* CLI_ATTACH_TRACEE_H */
