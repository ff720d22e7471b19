/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * executed.h - traced processes that execute a program which loads no library of ours.
 *
 * Only with --preloaded: there every program was to register, and one that does not is
 * counted as not traced. The socket closes at exec, and /proc tells whether the process has
 * another program since. A process that registers again is not counted.
 *
 * Main thread.
 */
#ifndef SESSIOND_SESSION_EXECUTED_H
#define SESSIOND_SESSION_EXECUTED_H

#include "common/base/name.h"

struct daemon;
struct process;

/* It registers: note which program that is. */
void executed_begin(struct process *process);
/* It says itself that it executes such a program, of that clean name; "": it could not. */
void executed_tell(struct process *process, const char name[NAME_PROGRAM_SIZE]);
/* Its socket hung up: note the name of the program that it has now, if that is another one. */
void executed_look(struct process *process);
/* It ends, and did not register again. */
void executed_count(const struct process *process);
/* The same for all that have not ended: their session does. */
void executed_count_all(struct daemon *daemon);

#endif /* SESSIOND_SESSION_EXECUTED_H */
