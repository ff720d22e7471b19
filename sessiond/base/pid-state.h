/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef SESSIOND_BASE_PID_STATE_H
#define SESSIOND_BASE_PID_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/name.h"

/*
 * The state of a process's first thread, a letter as in proc_pid_stat(5): 'Z' where
 * it has ended, whether or not others are left. 0: there is no such process.
 */
char pid_state(pid_t pid);
/*
 * When it started, in clock ticks since the boot: two processes of one number
 * differ in it. 0; -ESRCH: there is none.
 */
int pid_start(pid_t pid, uint64_t *start);
/* The process that started it, or that took it on since. 0; -ESRCH: there is none. */
int pid_parent(pid_t pid, pid_t *parent);
/* A process's effective user. 0; -ESRCH: there is none. */
int pid_effective_user(pid_t pid, uid_t *uid);
/*
 * Are the process's real and effective user both `uid`? Another user's process that executes a
 * set-user-ID program has that user as its real one. False: also if there is no such process.
 */
bool pid_is_of_user(pid_t pid, uid_t uid);

/* The kernel's name of the process's program, cleaned. 0, or -ESRCH with `name` "?". */
int pid_name(pid_t pid, char name[NAME_PROGRAM_SIZE]);

#endif /* SESSIOND_BASE_PID_STATE_H */
