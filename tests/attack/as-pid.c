/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * as-pid PID COMMAND...: executes the command with that process id, or the least that is free for
 * 0, and ends as it does. Needs CAP_CHECKPOINT_RESTORE.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/utils/reused-pid.h"

/* Where the kernel begins again when it has given the last one. */
#define PID_FIRST 301
#define PID_LAST 32767

int main(int argc, char **argv)
{
	pid_t wanted = argc > 2 ? atoi(argv[1]) : -1, child;
	int status;

	if (wanted < 0) {
		fprintf(stderr, "usage: as-pid PID COMMAND...\n");
		return 2;
	}
	child = fork_as(wanted ? wanted : PID_FIRST);
	for (pid_t pid = PID_FIRST + 1; child < 0 && !wanted && pid <= PID_LAST; pid++)
		child = fork_as(pid);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (child < 0) {
		fprintf(stderr, "as-pid: process id %d: %s\n", wanted, strerror(errno));
		return 1;
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
