/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * confined.h - what comes of a call in a child that gave up its rights: for
 * the tests of both daemons' lists. After tap.h.
 */
#ifndef CONFINED_H
#define CONFINED_H

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONFINED_KILLED (-1)
#define CONFINED_FAILED (-2)

/* Its result, 0 or an errno value, or one of the above: killed by SIGSYS, or not confined. */
static int confined(int (*confine)(void), int (*call)(void))
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		if (confine() != 0)
			_exit(255);
		_exit(call() & 0xff);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return CONFINED_FAILED;
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGSYS ? CONFINED_KILLED : CONFINED_FAILED;
	return WEXITSTATUS(status) == 255 ? CONFINED_FAILED : WEXITSTATUS(status);
}

/* A system call's result as an errno value. */
static int outcome(long result)
{
	return result < 0 ? errno : 0;
}

#endif /* CONFINED_H */
