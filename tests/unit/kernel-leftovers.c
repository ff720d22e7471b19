/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* Which tracefs instances nobody has any more, by their names; and which kernels map none. */
#include "sessiond/kernel-leftovers.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sessiond/kernel-instance.h"
#include "sessiond/pid-state.h"
#include "tests/utils/tap.h"

static bool is_left(pid_t pid, uint64_t start, const char *rest)
{
	char name[128];

	snprintf(name, sizeof(name), "lttngmap-%d-%" PRIu64 "%s", (int)pid, start, rest);
	return kernel_leftovers_is_one(name, getpid(), 1);
}

static void check_names(void)
{
	siginfo_t info;
	uint64_t start;
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	is(pid_start(child, &start), 0, "a process has a start time");
	ok(start > 0, "which is not 0");
	ok(!is_left(child, start, "-s"), "one that lives has what is called after it");
	ok(is_left(child, start + 1, "-s"), "not what another one of its number left");
	ok(is_left(getpid(), 1, "-s"), "of ourselves: in a former life");
	ok(!is_left(child, start, "") && !is_left(child, start + 1, ""), "without a key: no name");
	kill(child, SIGKILL);
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	ok(is_left(child, start, "-s"), "one that has ended, though nobody waited for it yet");
	waitpid(child, NULL, 0);
	ok(is_left(child, start, "-s"), "one that is gone");
	is(pid_start(child, &start), -ESRCH, "has no start time");
	ok(!kernel_leftovers_is_one("lttngmap--1-1-s", 1, 1) &&
		   !kernel_leftovers_is_one("lttngmap-x", 1, 1) &&
		   !kernel_leftovers_is_one("other-1-1-s", 1, 1) &&
		   !kernel_leftovers_is_one("", 1, 1),
	   "what is called otherwise is not ours");
}

/* As a kernel before Linux 6.10 answers: what is there cannot be mapped. */
static void check_probe(void)
{
	char directory[] = "/tmp/lttngmap-test.XXXXXX", path[PATH_MAX];
	static const char *const parts[] = { "per_cpu", "per_cpu/cpu0" };

	if (!mkdtemp(directory))
		bail_out("no directory");
	is(kernel_instance_probe(directory), -ENOENT, "no instance");
	for (unsigned int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, parts[i]);
		mkdir(path, 0700);
	}
	snprintf(path, sizeof(path), "%s/per_cpu/cpu0/trace_pipe_raw", directory);
	if (mkfifo(path, 0600) != 0)
		bail_out("no pipe");
	is(kernel_instance_probe(directory), -EOPNOTSUPP, "a ring that cannot be mapped");
	unlink(path);
	for (int i = 1; i >= 0; i--) {
		snprintf(path, sizeof(path), "%s/%s", directory, parts[i]);
		rmdir(path);
	}
	rmdir(directory);
}

int main(void)
{
	check_names();
	check_probe();
	return done_testing();
}
