/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sleepers PROCESSES: starts so many processes, which emit one event each at the same
 * moment and then sleep. Prints "started" before that moment, which is when its standard
 * input says a byte, and "ready" when all have emitted. On SIGUSR1 a sleeper closes its
 * descriptors, so that the daemon sees it hang up and not end. All end with standard input.
 */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(sleepers, here, LTTNGMAP_LOGLEVEL_INFO, (integer, int, number));

static void hang_up(int signal)
{
	(void)signal;
	close_range(STDERR_FILENO + 1, ~0u, 0);
}

static void sleep_after(int number, int go, int ready)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGUSR1, hang_up);
	while (read(go, &byte, 1) > 0)
		continue;
	lttngmap_tracepoint(sleepers, here, number);
	if (write(ready, "r", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void say(const char *line)
{
	if (write(STDOUT_FILENO, line, strlen(line)) < 0)
		err(1, "write");
}

int main(int argc, char **argv)
{
	int processes = argc > 1 ? atoi(argv[1]) : 0, go[2], ready[2];
	char byte;

	if (processes < 1) {
		fprintf(stderr, "usage: sleepers PROCESSES\n");
		return 2;
	}
	signal(SIGUSR1, SIG_IGN);
	if (pipe(go) != 0 || pipe(ready) != 0)
		err(1, "pipe");
	for (int i = 0; i < processes; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (pid == 0) {
			close(go[1]);
			sleep_after(i, go[0], ready[1]);
		}
	}
	say("started\n");
	if (read(STDIN_FILENO, &byte, 1) != 1)
		return 1;
	close(go[1]);
	for (int i = 0; i < processes; i++)
		if (read(ready[0], &byte, 1) != 1)
			err(1, "read");
	say("ready\n");
	while (read(STDIN_FILENO, &byte, 1) > 0)
		continue;
	return 0;
}
