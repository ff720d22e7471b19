/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * running.h - running processes by their names, for messages; and the descendants of one.
 */
#ifndef CLI_BASE_RUNNING_H
#define CLI_BASE_RUNNING_H

#include <sys/types.h>

#include "common/base/name.h"

/* At most so many processes are named to the user. */
#define RUNNING_NAMED_MAX 5

struct running {
	unsigned count;
	/* "4711 (nginx), 4712 (nginx)", and " and others" if there are more. */
	char text[RUNNING_NAMED_MAX * (NAME_PROGRAM_SIZE + 20) + 16];
};

void running_add(struct running *running, pid_t pid);

/*
 * Adds the descendants of the process that have not mapped a library of that name. None where /proc
 * does not list children.
 */
void running_add_descendants_without(struct running *running, pid_t pid, const char *library);

#endif /* CLI_BASE_RUNNING_H */
