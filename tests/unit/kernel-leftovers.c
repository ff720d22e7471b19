/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* Which tracefs instances nobody has any more, by their names; and which kernels map none. */
#include "sessiond/kernel/kernel-leftovers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sessiond/kernel/kernel-instance.h"
#include "sessiond/kernel/kernel-probes.h"
#include "sessiond/base/pid-state.h"
#include "tests/utils/tap.h"

#define TRACEFS "/sys/kernel/tracing"

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

/* Probes of an instance are in a group of that one. */
static void check_groups(void)
{
	char group[KERNEL_PROBE_NAME_SIZE], other[KERNEL_PROBE_NAME_SIZE];

	kernel_probes_group("lttngmap-2147483647-18446744073709551615-a", group);
	ok(strncmp(group, "lttngmap_2147483647_18446744073709551615_", 41) == 0 &&
		   strlen(group) == 57,
	   "a group has room for any process");
	ok(kernel_probes_is_group(group) && !kernel_probes_is_group("lttngmap-1-1-a") &&
		   !kernel_probes_is_group("sched"),
	   "and is known as one");
	kernel_probes_group("lttngmap-2147483647-18446744073709551615-b", other);
	ok(strcmp(group, other) != 0, "another instance of one process has another one");
	ok(kernel_leftovers_is_one(group, 1, 1), "of a process that is gone: left");
	kernel_probes_group("lttngmap-1-77-a", other);
	ok(kernel_leftovers_is_one(other, 1, 77), "of ourselves: in a former life");
	kernel_probes_group("other", other);
	ok(!kernel_leftovers_is_one(other, 1, 1) && !kernel_leftovers_is_one("lttngmap_x", 1, 1) &&
		   !kernel_leftovers_is_one("lttngmap_5_5", 1, 1) &&
		   !kernel_leftovers_is_one("lttngmap__5_5_", 1, 1),
	   "what is called otherwise is not ours");
}

/* What the kernel would take for something else is not shown to it. */
static void probe_fails(const char *name, const char *path, const char *symbol, const char *args,
			const char *what)
{
	const struct kernel_probe probe = {
		.is_kernel = !path, .name = name, .path = path, .symbol = symbol, .args = args
	};
	struct kernel_problem problem = { .why = "" };

	ok(kernel_probe_check(&probe, &problem) == -EINVAL && problem.why[0], "%s", what);
}

static void check_definitions(void)
{
	static const char arguments[] = "x=%di:u64 s=+0(%si):string";
	const struct kernel_probe probe = {
		.name = "_a1", .path = "/a:b(c)%d", .file = "1:2", .args = arguments
	};
	struct kernel_probe *copy;
	struct kernel_problem problem;
	char name[KERNEL_PROBE_NAME_SIZE + 1], args[KERNEL_PROBE_ARGS_MAX + 2], path[PATH_MAX];

	memset(name, 'a', sizeof(name));
	name[KERNEL_PROBE_NAME_SIZE] = '\0';
	memset(args, 'a', sizeof(args));
	args[sizeof(args) - 1] = '\0';
	memset(path, '/', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	is(kernel_probe_check(&probe, &problem), 0, "a definition");
	copy = kernel_probe_copy(&probe);
	ok(copy && strcmp(copy->name, "_a1") == 0 && strcmp(copy->path, "/a:b(c)%d") == 0 &&
		   strcmp(copy->file, "1:2") == 0 && strcmp(copy->args, arguments) == 0 &&
		   !copy->symbol,
	   "is copied");
	ok(copy->name != probe.name && copy->args != probe.args, "with its texts");
	free(copy);
	probe_fails("", "/a", NULL, NULL, "no name");
	probe_fails("1a", "/a", NULL, NULL, "a name with a digit first");
	probe_fails("a-b", "/a", NULL, NULL, "one with another character");
	probe_fails("a/b", "/a", NULL, NULL, "one with a group of its own");
	probe_fails(name, "/a", NULL, NULL, "one that is too long");
	probe_fails("a", "a", NULL, NULL, "a path from here on");
	probe_fails("a", "/a b", NULL, NULL, "one with a space");
	probe_fails("a",
		    "/a\xa0"
		    "b",
		    NULL, NULL, "one with what the kernel takes for a space");
	probe_fails("a", "/a\nb", NULL, NULL, "one of two lines");
	probe_fails("a", "/a#b", NULL, NULL, "one with a comment");
	probe_fails("a", path, NULL, NULL, "one that is too long");
	probe_fails("a", "/a", NULL, "a=%di\n-:x/y", "arguments with another command");
	probe_fails("a", "/a", NULL, "a=%di # b", "with a comment");
	probe_fails("a", "/a", NULL, args, "too many arguments");
	probe_fails("a", NULL, "", NULL, "no function of the kernel's");
	probe_fails("a", NULL, "a b", NULL, "one with a space");
	probe_fails("a", NULL, "a+1", NULL, "one with an offset in its name");
	probe_fails("a", NULL, path + PATH_MAX / 2, NULL, "one that is a path");
}

/* ---- files, and the kernel's list ---------------------------------------------------------- */

static void check_file(void)
{
	char directory[] = "/tmp/lttngmap-test.XXXXXX", path[64];
	struct kernel_probe probe = { .name = "a", .path = path };
	struct kernel_probe_file file, other;
	struct kernel_problem problem;
	int fd;

	if (!mkdtemp(directory))
		bail_out("no directory");
	snprintf(path, sizeof(path), "%s/file", directory);
	is(kernel_probe_open(&probe, &file, &problem), -ENOENT, "a file that there is not");
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	is(kernel_probe_open(&probe, &file, &problem), 0, "one that there is");
	ok(probe.file == file.text && strchr(file.text, ':'), "is known from then on");
	is(kernel_probe_open(&probe, &other, &problem), 0, "as long as it is that one");
	kernel_probe_close(&other);
	unlink(path);
	close(fd);
	/* The first one is held: its number is not given again. */
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	probe.file = file.text;
	is(kernel_probe_open(&probe, &other, &problem), -ESTALE, "another one in its place");
	ok(strstr(problem.why, "another file") != NULL, "is told");
	kernel_probe_close(&other);
	kernel_probe_close(&file);
	unlink(path);
	probe.path = directory;
	probe.file = NULL;
	is(kernel_probe_open(&probe, &file, &problem), -EINVAL, "a directory");
	kernel_probe_close(&file);
	rmdir(directory);
	probe = (struct kernel_probe){ .is_kernel = true, .name = "a", .symbol = "f" };
	is(kernel_probe_open(&probe, &file, &problem), 0, "the kernel");
	is(file.fd, -1, "has no file");
}

static void count(const char *group, void *data)
{
	unsigned int *counts = data;
	char name[KERNEL_PROBE_NAME_SIZE];

	snprintf(name, sizeof(name), KERNEL_PROBES_PREFIX "%d_0_test", (int)getpid());
	*counts += strcmp(group, name) == 0;
}

static unsigned int count_probes(void)
{
	unsigned int counted = 0;

	kernel_probes_find(count, &counted);
	return counted;
}

/* Of a group the kernel removes some at a time, so that a daemon has other things to do. */
static void check_removal(void)
{
	struct kernel_probe probe = { .name = "a", .path = "/proc/self/exe" };
	struct kernel_probe_file file;
	struct kernel_problem problem;
	char group[KERNEL_PROBE_NAME_SIZE], name[16];
	struct rlimit limit, none;

	if (kernel_tracing_find(&problem) != 0 || access(TRACEFS "/uprobe_events", F_OK) != 0) {
		skip(7, "no uprobes: %s", geteuid() == 0 ? "no tracefs?" : "not root");
		return;
	}
	snprintf(group, sizeof(group), KERNEL_PROBES_PREFIX "%d_0_test", (int)getpid());
	if (kernel_probe_open(&probe, &file, &problem) != 0)
		bail_out("%s", problem.why);
	for (unsigned int i = 0; i < 2 * KERNEL_PROBES_AT_ONCE + 3; i++) {
		snprintf(name, sizeof(name), "a%u", i);
		probe.name = name;
		if (kernel_probe_create(group, &probe, &file, &problem) != 0)
			bail_out("%s", problem.why);
	}
	kernel_probe_close(&file);
	is(kernel_probes_remove(group, NULL), -EAGAIN, "of many probes some are removed");
	is(count_probes(), KERNEL_PROBES_AT_ONCE + 3, "as many as are said to be");
	is(kernel_probes_remove(group, "a2"), 0, "one that is gone, is removed");
	getrlimit(RLIMIT_NOFILE, &limit);
	none = (struct rlimit){ .rlim_cur = 0, .rlim_max = limit.rlim_max };
	setrlimit(RLIMIT_NOFILE, &none);
	is(kernel_probes_remove(group, NULL), -EMFILE, "a list that cannot be read is not empty");
	setrlimit(RLIMIT_NOFILE, &limit);
	is(kernel_probes_remove(group, NULL), -EAGAIN, "the next ones");
	is(kernel_probes_remove(group, NULL), 0, "and the last");
	is(count_probes(), 0, "none is left");
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
	check_groups();
	check_definitions();
	check_file();
	check_removal();
	check_probe();
	return done_testing();
}
