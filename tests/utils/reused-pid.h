/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* reused-pid.h - a child with a chosen process id. Needs CAP_CHECKPOINT_RESTORE. */
#ifndef REUSED_PID_H
#define REUSED_PID_H

#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As fork(), where nobody has the pid; else -1. */
static inline pid_t fork_as(pid_t pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&pid,
		.set_tid_size = 1,
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

#endif /* REUSED_PID_H */
