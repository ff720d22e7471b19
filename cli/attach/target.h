/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * target.h - a running process that is to be attached to: can it be, and where in it
 * is what is needed for that.
 *
 * Files that it has mapped are read by libdw, as debuggers do; it may map anybody's.
 * One thread.
 */
#ifndef LTTNGMAP_CLI_ATTACH_TARGET_H
#define LTTNGMAP_CLI_ATTACH_TARGET_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/attach/tracee.h"
#include "cli/base/problem.h"

#define TARGET_ALLOCATORS_MAX 8u

struct target_range {
	uint64_t begin, end;
};

struct target {
	pid_t pid;
	int memory;              /* /proc/PID/mem */
	int lock;                /* one at a time attaches to a process */
	unsigned char auxv[512]; /* /proc/PID/auxv: differs when it becomes another program */
	size_t auxv_size;
	Dwfl *dwfl;

	struct target_range libc, loader;
	struct target_range libc_malloc; /* within libc: what may hold its lock, and some more */
	/* Libraries that define malloc() themselves; or the program does. */
	struct target_range allocators[TARGET_ALLOCATORS_MAX];
	unsigned nr_allocators;
	bool program_allocates;

	struct tracee_places places;
	uint64_t dlopen, dlclose, dlerror, dlsym;
};

/*
 * 0; -EAGAIN: it may be that it only begins; else -errno, and `problem` says why it cannot be
 * attached to.
 */
int target_open(struct target *target, pid_t pid, struct problem *problem);
/*
 * Now that a thread of it is stopped: is it still the program that was looked at? From
 * here on `memory` is that of this one.
 */
bool target_is_same(struct target *target);
/* May be done twice. */
void target_close(struct target *target);

/*
 * The threads of a process: the main one first, then those that wait, then others; not
 * such as cannot be interrupted. How many, at most `max`.
 */
unsigned target_threads(const struct target *target, pid_t *threads, unsigned max);

/* The letter of a thread's state: 'S' sleeps, 'R' runs; '\0': the thread has ended. */
char target_thread_state(pid_t pid, pid_t thread);
/* Has this thread of the process a seccomp filter? */
bool target_is_filtered(const struct target *target, pid_t thread);

bool target_in_range(struct target_range range, uint64_t address);

#endif /* LTTNGMAP_CLI_ATTACH_TARGET_H */
