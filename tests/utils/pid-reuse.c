/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * pid-reuse LIVES EVENTS: one process after another, all of the same process
 * id, by clone3's set_tid. Each calls itself after its source, registers with
 * its first event and emits EVENTS. Every other one is killed at a random moment
 * of its registration, and the next is there at once: while the daemon may still
 * have to do with the former. Needs CAP_CHECKPOINT_RESTORE. Counts in
 * $NUMBERED_COUNTS; prints "killed N".
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/utils/numbered-emit.h"
#include "tests/utils/reused-pid.h"

#define PID 20000
#define KILL_USEC_MAX 800

static struct numbered_counts *counts;

static __attribute__((noreturn)) void run(uint32_t source, uint64_t events)
{
	char name[16];

	snprintf(name, sizeof(name), NUMBERED_PROCESS_NAME, source);
	prctl(PR_SET_NAME, name);
	numbered_emit_many(counts, source, events);
	syscall(SYS_exit_group, 0);
	__builtin_unreachable();
}

/* Without a system call that could take longer. */
static void spin(unsigned int usec)
{
	struct timespec begun, now;

	clock_gettime(CLOCK_MONOTONIC, &begun);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begun.tv_sec) * 1000000 + (now.tv_nsec - begun.tv_nsec) / 1000 <
		 (long)usec);
}

static bool live(uint64_t events, bool killed, unsigned int *seed)
{
	uint32_t source = numbered_source(counts);
	int status = 0;
	pid_t child;

	counts->sources[source].pid = PID;
	child = fork_as(PID);
	if (child == 0)
		run(source, events);
	if (child != PID) {
		fprintf(stderr, "pid-reuse: clone3: %s\n", strerror(errno));
		return false;
	}
	if (killed) {
		spin((unsigned int)rand_r(seed) % KILL_USEC_MAX);
		kill(child, SIGKILL);
	}
	return waitpid(child, &status, 0) == child && (killed || status == 0);
}

int main(int argc, char **argv)
{
	const char *path = getenv("NUMBERED_COUNTS");
	unsigned int seed = (unsigned int)time(NULL), killed = 0;
	int lives = argc == 3 ? atoi(argv[1]) : 0;

	if (lives < 1 || !path) {
		fprintf(stderr, "usage: NUMBERED_COUNTS=FILE pid-reuse LIVES EVENTS\n");
		return 2;
	}
	counts = numbered_open(path);
	for (int i = 0; i < lives; i++) {
		if (!live(strtoull(argv[2], NULL, 10), i & 1, &seed))
			return 1;
		killed += i & 1;
	}
	printf("killed %u\n", killed);
	return 0;
}
