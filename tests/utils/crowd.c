/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * crowd STOP PROCESSES LIFE: so many processes at once, each a program of its own that
 * emits numbered events now and then. They live for LIFE seconds or so, then half of
 * them are killed and half leave, and others come, until the file STOP is there.
 * Prints how many there were. Counts in $NUMBERED_COUNTS.
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/utils/numbered-emit.h"

#define MEMBERS_MAX 4096
#define BURST 20
#define PAUSE_USEC 200000
/* The longest pause between two comings, so that STOP is seen. */
#define STEP_NSEC 50000000

extern char **environ;

static volatile sig_atomic_t leaving;

static void leave(int signal)
{
	(void)signal;
	leaving = 1;
}

static int be_member(struct numbered_counts *counts)
{
	uint32_t source = numbered_source(counts);

	signal(SIGTERM, leave);
	while (!leaving && getppid() != 1) {
		numbered_emit_many(counts, source, BURST);
		usleep(PAUSE_USEC);
	}
	return 0;
}

static pid_t start_member(char *program)
{
	char *arguments[] = { program, NULL };
	pid_t pid;
	int error = posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environ);

	if (error != 0) {
		fprintf(stderr, "a member does not start: %s\n", strerror(error));
		return -1;
	}
	return pid;
}

/* How many ended otherwise than they were told to. */
static int end_member(pid_t pid, int signal)
{
	int status;

	kill(pid, signal);
	if (waitpid(pid, &status, 0) != pid)
		return 1;
	if (signal == SIGKILL)
		return !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL;
	/* It may not have come as far as to its handler. */
	return status != 0 && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

int main(int argc, char **argv)
{
	const char *path = getenv("NUMBERED_COUNTS");
	unsigned int nr_members, come = 0;
	struct timespec step = { 0 };
	double pause;
	pid_t *members;
	int failed = 0;

	if (!path)
		return 2;
	if (argc == 1)
		return be_member(numbered_open(path));
	nr_members = argc == 4 ? (unsigned int)atoi(argv[2]) : 0;
	if (nr_members == 0 || nr_members > MEMBERS_MAX || atof(argv[3]) <= 0)
		return 2;
	members = calloc(nr_members, sizeof(*members));
	if (!members)
		return 2;
	numbered_open(path);
	pause = atof(argv[3]) / nr_members * 1e9;
	step.tv_nsec = pause < STEP_NSEC ? (long)pause : STEP_NSEC;
	for (; access(argv[1], F_OK) != 0 && come < NUMBERED_SOURCES - 1; come++) {
		pid_t *member = &members[come % nr_members];

		if (*member > 0)
			failed += end_member(*member, come / nr_members % 2 ? SIGKILL : SIGTERM);
		*member = start_member(argv[0]);
		failed += *member < 0;
		nanosleep(&step, NULL);
	}
	for (unsigned int i = 0; i < nr_members; i++)
		if (members[i] > 0)
			failed += end_member(members[i], SIGTERM);
	free(members);
	printf("%u processes\n", come);
	return failed > 0;
}
