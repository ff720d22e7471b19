/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * target.h - a running process to attach to: checks that it can be attached to, and finds the
 * needed places in it.
 *
 * libdw reads the files that the process has mapped, as debuggers do; mapped.h opens them.
 * One thread.
 */
#ifndef CLI_ATTACH_TARGET_H
#define CLI_ATTACH_TARGET_H

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
	int lock;                /* held by the one command that attaches to the process */
	unsigned char auxv[512]; /* /proc/PID/auxv: changes with an exec */
	size_t auxv_size;
	Dwfl *dwfl;

	struct target_range libc, loader;
	struct target_range libc_malloc; /* within libc: functions that may hold malloc's lock, and
					    some others */
	/* Libraries that define malloc() themselves; or the program does. */
	struct target_range allocators[TARGET_ALLOCATORS_MAX];
	unsigned nr_allocators;
	bool program_allocates;

	struct tracee_places places;
	uint64_t dlopen, dlclose, dlerror, dlsym;
};

/*
 * 0; -EAGAIN: the process may only be starting; other -errno: it cannot be attached to. `problem`
 * says why.
 */
int target_open(struct target *target, pid_t pid, struct problem *problem);
/*
 * Call with a thread stopped. True if the process still executes the program that target_open()
 * saw. From then on, `memory` is that program's.
 */
bool target_is_same(struct target *target);
/* May be called twice. */
void target_close(struct target *target);

/*
 * Lists a process's threads: the main thread, then waiting threads, then others. Threads that
 * cannot be interrupted are left out. Returns their number, at most `max`.
 */
unsigned target_threads(const struct target *target, pid_t *threads, unsigned max);

/* The letter of a thread's state: 'S' sleeps, 'R' runs; '\0': the thread has ended. */
char target_thread_state(pid_t pid, pid_t thread);
/* True if the thread of the process has a seccomp filter. */
bool target_is_filtered(const struct target *target, pid_t thread);

bool target_in_range(struct target_range range, uint64_t address);

#endif /* CLI_ATTACH_TARGET_H */
