/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* target-private.h - what target.c and target-inside.c have of each other. */
#ifndef LTTNGMAP_CLI_ATTACH_TARGET_PRIVATE_H
#define LTTNGMAP_CLI_ATTACH_TARGET_PRIVATE_H

#include <libelf.h>
#include <stdbool.h>

#include "cli/attach/target.h"

/* /proc/PID/NAME: a descriptor or -1, and errno. */
int target_open_proc(pid_t pid, const char *name, int flags);
/* The letter for a thread's state: 'S' waits, 'R' runs; '\0': it is not there. */
char target_thread_state(pid_t pid, pid_t thread);
/* Does the file name a dynamic loader, as programs do and libraries do not? */
bool target_has_loader(Elf *elf);

/* Fills `dwfl` and all places. As target_open() returns. */
int target_look_inside(struct target *target, struct problem *problem);
/* Is the code still at the places where it was found? */
bool target_has_code(const struct target *target);

#endif /* LTTNGMAP_CLI_ATTACH_TARGET_PRIVATE_H */
