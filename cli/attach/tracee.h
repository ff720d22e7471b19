/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * tracee.h - a thread of a running process that is stopped for a moment, and
 * made to call functions there.
 *
 *   tracee_stop ── is it at a safe point? (tracee-safe.h) ── tracee_prepare
 *       │ no                                                   │
 *       │                                             tracee_call, as often as wanted
 *       ▼                                                      │
 *   tracee_release: goes on as if nothing had been  ◄──────────┘
 *
 * From tracee_prepare() on the thread can go on by itself at any instant: what it calls
 * returns to code that ends in rt_sigreturn(2), with a frame as the kernel makes
 * it for a signal, of the registers that it had. So when the caller is killed in the
 * middle, the thread finishes the call and goes on with what it did before.
 *
 * The functions run on a stack of their own, with all signals blocked but those that
 * a thread raises by what it does; where it does, that ends the call. The same signals sent
 * by others meanwhile are kept, and sent again when the thread goes on.
 *
 * x86-64 only, of 64 bits. One thread of ours: ptrace(2) knows its caller by it. SIGCHLD
 * is to be blocked there.
 */
#ifndef LTTNGMAP_CLI_ATTACH_TRACEE_H
#define LTTNGMAP_CLI_ATTACH_TRACEE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "cli/base/problem.h"

#define TRACEE_XSTATE_MAX 16384u
/* As many as there are of that kind: each is pending once. */
#define TRACEE_KEPT_MAX 6u

/* Where things are in the process; of one process for as long as it lives. */
struct tracee_places {
	uint64_t syscall_return; /* `syscall; ret` */
	uint64_t sigreturn;      /* what the C library names as sa_restorer */
	uint64_t errno_location; /* __errno_location() */
};

struct tracee {
	pid_t pid;
	pid_t thread;
	int memory; /* /proc/PID/mem */
	struct tracee_places places;

	bool is_stopped;
	bool is_gone; /* it ended, or became another program: nothing is to be put back */
	struct user_regs_struct registers; /* as it stopped */
	uint64_t signals;                  /* its mask */

	siginfo_t kept[TRACEE_KEPT_MAX]; /* signals that were sent to it during calls */
	unsigned nr_kept;

	bool is_prepared;
	unsigned char state[TRACEE_XSTATE_MAX]; /* of its floating point unit, and beyond */
	size_t state_size;
	uint64_t frame; /* on its stack */
	uint64_t code;  /* our page */
	uint64_t area;  /* our stack and what is handed over */
};

/* What is behind the area's end: where requests are written. */
#define TRACEE_STACK_SIZE (256u * 1024u)
#define TRACEE_ROOM_SIZE (64u * 1024u)
#define TRACEE_ROOM(tracee) ((tracee)->area + TRACEE_STACK_SIZE)

/*
 * Stop a thread of process `pid`, when it has its turn to run. 0; -EBUSY: it does not stop, and
 * cannot be let go of but by our end; else -errno. `problem` says why.
 */
int tracee_stop(struct tracee *tracee, pid_t pid, pid_t thread, struct problem *problem);
/*
 * Did the stop end a system call of it with EINTR, so that tracee_release() begins it anew? It has
 * its whole timeout before it again then.
 */
bool tracee_begins_anew(const struct tracee *tracee);
/* Let it go on. What was prepared is taken back. Does nothing where it is not stopped. */
void tracee_release(struct tracee *tracee);

/* Memory for a stack and `room`. 0 or -errno. */
int tracee_prepare(struct tracee *tracee, struct problem *problem);
/*
 * function(first, second, third) there, at most `timeout_ms`. 0; -ETIMEDOUT: it
 * still runs, and goes on by itself, for the thread was let go; -EFAULT: it broke,
 * and was ended, with the locks that it held held for ever; -ESRCH: the process ended.
 */
int tracee_call(struct tracee *tracee, uint64_t function, uint64_t first, uint64_t second,
		uint64_t third, unsigned timeout_ms, uint64_t *result);

/* All `size` bytes, or false. */
bool tracee_read(const struct tracee *tracee, uint64_t address, void *bytes, size_t size);
bool tracee_write(const struct tracee *tracee, uint64_t address, const void *bytes, size_t size);

/* The system call that it was stopped in, or -1. */
long tracee_system_call(const struct tracee *tracee);

#endif /* LTTNGMAP_CLI_ATTACH_TRACEE_H */
