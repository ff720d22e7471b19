/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/futex.h>

#include "tests/utils/numbered.h"
#include "tests/utils/processes.h"

extern char **environ;

/* A new program of the same name: a constructor's registration, some events. */
static void run_child(const char *argument)
{
	(void)argument;
	emit_some();
}

/* How often something is to be done. */
static int times(const char *argument, int otherwise)
{
	return argument ? atoi(argument) : otherwise;
}

static void run_fork(const char *argument)
{
	uint32_t source = new_source();

	for (int i = times(argument, 10); i > 0; i--) {
		pid_t child;

		emit_many(source, 10);
		child = fork();
		if (child == 0) {
			emit_some();
			_exit(7);
		}
		emit_many(source, 10);
		expect_status(child, 7);
	}
}

/* ---- threads ------------------------------------------------------------------ */

static bool stop; /* atomic */

static void *emit_on(void *unused)
{
	uint32_t source = new_source();

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		emit_many(source, 100);
		usleep(100);
	}
	return unused;
}

static void *fork_some(void *unused)
{
	for (int i = 0; i < 10; i++) {
		pid_t child = fork();

		if (child == 0) {
			emit_some();
			_exit(0);
		}
		expect_status(child, 0);
	}
	return unused;
}

static void run_fork_threads(const char *argument)
{
	pthread_t emitting[2], forking[4];

	(void)argument;
	for (int i = 0; i < 2; i++)
		pthread_create(&emitting[i], NULL, emit_on, NULL);
	for (int i = 0; i < 4; i++)
		pthread_create(&forking[i], NULL, fork_some, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(forking[i], NULL);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join(emitting[i], NULL);
}

static void *unregistered(void *unused)
{
	uint32_t source = new_source();

	/* As a thread that another runtime made: the kernel knows no sequence of it. */
	syscall(SYS_rseq, (char *)__builtin_thread_pointer() + __rseq_offset, 32, 1, 0x53053053);
	emit_many(source, 20000);
	return unused;
}

static void run_unregistered(const char *argument)
{
	pthread_t threads[4];

	(void)argument;
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, i < 2 ? unregistered : emit_on, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 2; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static uint32_t clone_running = 1;

/* In the memory of its creator: to whom its events belong. */
static int clone_body(void *creator)
{
	uint32_t source = new_source();

	counts->sources[source].pid = *(const uint32_t *)creator;
	emit_many(source, 20);
	return 3;
}

/* On its creator's thread-local storage, while that one sleeps. */
static void run_raw_clone(const char *argument)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			  CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
	static char stack[65536] __attribute__((aligned(16)));
	uint32_t pid = (uint32_t)getpid(), source = new_source();
	uint32_t value;

#ifdef __SANITIZE_THREAD__
	fputs("processes: ThreadSanitizer ends in a thread that it does not know\n", stderr);
	_exit(77);
#endif
	for (int i = times(argument, 20); i > 0; i--) {
		emit_many(source, 10);
		__atomic_store_n(&clone_running, 1, __ATOMIC_SEQ_CST);
		if (clone(clone_body, stack + sizeof(stack), flags, &pid, NULL, NULL,
			  &clone_running) < 0) {
			expect(false, "clone failed");
			return;
		}
		while ((value = __atomic_load_n(&clone_running, __ATOMIC_SEQ_CST)) != 0)
			syscall(SYS_futex, &clone_running, FUTEX_WAIT, value, NULL, NULL, 0);
	}
}

static void run_clone_vfork(const char *argument)
{
	static char stack[65536] __attribute__((aligned(16)));
	uint32_t pid = (uint32_t)getpid(), source = new_source();

	for (int i = times(argument, 20); i > 0; i--) {
		emit_many(source, 10);
		expect_status(clone(clone_body, stack + sizeof(stack),
				    CLONE_VM | CLONE_VFORK | SIGCHLD, &pid),
			      3);
	}
}

/* As fork, but that the C library does not know of it. */
static void run_clone(const char *argument)
{
	uint32_t source = new_source();

	for (int i = times(argument, 10); i > 0; i--) {
		pid_t child;

		emit_many(source, 10);
		child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
		if (child == 0) {
			emit_some();
			syscall(SYS_exit_group, 7);
		}
		expect_status(child, 7);
	}
}

/* ---- generations ---------------------------------------------------------------- */

static void run_chain(const char *argument)
{
	int depth = argument ? atoi(argument) : 300;

	for (; depth > 0; depth--) {
		pid_t child;

		emit_many(new_source(), 5);
		child = fork();
		if (child > 0) {
			expect_status(child, 0);
			_exit(0);
		}
	}
	emit_some();
	_exit(0);
}

/* Whoever the parent was, it is gone when this one emits. */
static void run_double_fork(const char *argument)
{
	(void)argument;
	emit_some();
	for (int i = 0; i < 10; i++) {
		pid_t child = fork();

		if (child == 0) {
			if (fork() == 0) {
				setsid();
				emit_some();
				finished();
			}
			_exit(0);
		}
		expect_status(child, 0);
	}
	wait_finished(10);
}

static void run_daemon(const char *argument)
{
	int daemons = times(argument, 1);

	for (int i = 0; i < daemons; i++) {
		uint32_t before = counts->finished;
		pid_t child = fork();

		if (child == 0) {
			emit_some();
			expect(daemon(0, 0) == 0, "daemon() failed");
			emit_some();
			finished();
			_exit(0);
		}
		expect_status(child, 0);
		wait_finished(before + 1);
	}
	emit_some();
}

/* ---- exec ----------------------------------------------------------------------- */

static void run_vfork(const char *argument)
{
	uint32_t source = new_source();

#ifdef __SANITIZE_THREAD__
	fputs("processes: ThreadSanitizer forks where vfork is called\n", stderr);
	_exit(77);
#endif
	for (int i = 0; i < times(argument, 30); i++) {
		pid_t child;

		emit_many(source, 3);
		child = vfork();
		if (child == 0) {
			emit_many(source, 3);
			if (i % 3 == 0)
				execl(self, self, "child", NULL);
			if (i % 3 == 1)
				execl("/nowhere/at/all", "all", NULL);
			emit_many(source, 3);
			_exit(i % 3 == 1 ? 5 : 0);
		}
		emit_many(source, 3);
		expect_status(child, i % 3 == 1 ? 5 : 0);
	}
}

static void *vfork_some(void *unused)
{
	uint32_t source = new_source();

	for (int i = 0; i < 20; i++) {
		pid_t child = vfork();

		if (child == 0) {
			emit_many(source, 200);
			_exit(0);
		}
		expect_status(child, 0);
		emit_many(source, 10);
	}
	return unused;
}

static void run_vfork_threads(const char *argument)
{
	pthread_t threads[4];

	(void)argument;
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, i < 2 ? vfork_some : emit_on, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 2; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void run_spawn(const char *argument)
{
	char *const arguments[] = { (char *)self, "child", NULL };
	char command[4200];
	FILE *pipe;

	(void)argument;
	emit_some();
	for (int i = 0; i < 10; i++) {
		pid_t child = -1;

		expect(posix_spawn(&child, self, NULL, NULL, arguments, environ) == 0,
		       "posix_spawn() failed");
		emit_some();
		expect_status(child, 0);
	}
	snprintf(command, sizeof(command), "'%s' child; '%s' child & wait", self, self);
	expect(system(command) == 0, "system() failed");
	emit_some();
	pipe = popen(command, "r");
	expect(pipe && pclose(pipe) == 0, "popen() failed");
	emit_some();
}

static void run_exec_self(const char *argument)
{
	int left = argument ? atoi(argument) : 30;
	char next[12];

	emit_some();
	if (left == 0)
		return;
	snprintf(next, sizeof(next), "%d", left - 1);
	execl(self, self, "exec-self", next, NULL);
	expect(false, "exec failed");
}

static void *exec_in_thread(void *argument)
{
	execl(self, self, "exec-thread", (char *)argument, NULL);
	return NULL;
}

/* The other threads are killed in the middle of what they do. */
static void run_exec_thread(const char *argument)
{
	int left = argument ? atoi(argument) : 10;
	pthread_t threads[3];
	char next[12];

	emit_some();
	if (left == 0)
		return;
	snprintf(next, sizeof(next), "%d", left - 1);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, emit_on, NULL);
	usleep(2000);
	pthread_create(&threads[2], NULL, exec_in_thread, next);
	pthread_join(threads[2], NULL);
	expect(false, "exec failed");
}

static void run_exec_fails(const char *argument)
{
	uint32_t source = new_source();

	(void)argument;
	for (int i = 0; i < 10; i++) {
		emit_many(source, 10);
		expect(execl("/nowhere/at/all", "all", NULL) == -1, "exec of nothing");
		emit_many(source, 10);
		expect(execl("/etc/passwd", "passwd", NULL) == -1, "exec of a text");
	}
}

/* Libraries that come and go, with events of their own. */
static void run_dlopen(const char *argument)
{
	const char *path = getenv("NUMBERED_PLUGIN");
	uint32_t source = new_source(), of_plugin = new_source();

	for (int i = times(argument, 10); i > 0; i--) {
		void (*plugin_emit)(struct numbered_counts * counts, uint32_t source);
		void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);

		*(void **)&plugin_emit = plugin ? dlsym(plugin, "plugin_emit") : NULL;
		if (!plugin_emit) {
			expect(false, "the plugin cannot be loaded");
			return;
		}
		emit_many(source, 3);
		plugin_emit(counts, of_plugin);
		expect(dlclose(plugin) == 0, "dlclose() failed");
		expect(!dlopen(path, RTLD_NOW | RTLD_NOLOAD), "the plugin is still there");
		emit_many(source, 3);
	}
}

/* As many at once as there are. */
static void run_storm(const char *argument)
{
	int processes = argument ? atoi(argument) : 500;
	pid_t *children = calloc((size_t)processes, sizeof(*children));

	emit_some();
	for (int i = 0; i < processes; i++) {
		char *const arguments[] = { (char *)self, "child", NULL };

		expect(posix_spawn(&children[i], self, NULL, NULL, arguments, environ) == 0,
		       "posix_spawn() failed");
	}
	for (int i = 0; i < processes; i++)
		expect_status(children[i], 0);
	free(children);
}

static void run_fork_storm(const char *argument)
{
	int processes = argument ? atoi(argument) : 500;
	pid_t *children = calloc((size_t)processes, sizeof(*children));

	emit_some();
	for (int i = 0; i < processes; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			emit_some();
			_exit(0);
		}
	}
	for (int i = 0; i < processes; i++)
		expect_status(children[i], 0);
	free(children);
}

const struct scenario life_scenarios[] = {
	{ "child", run_child },
	{ "fork", run_fork },
	{ "fork-threads", run_fork_threads },
	{ "unregistered", run_unregistered },
	{ "raw-clone", run_raw_clone },
	{ "clone-vfork", run_clone_vfork },
	{ "clone", run_clone },
	{ "chain", run_chain },
	{ "double-fork", run_double_fork },
	{ "daemon", run_daemon },
	{ "vfork", run_vfork },
	{ "vfork-threads", run_vfork_threads },
	{ "spawn", run_spawn },
	{ "exec-self", run_exec_self },
	{ "exec-thread", run_exec_thread },
	{ "exec-fails", run_exec_fails },
	{ "dlopen", run_dlopen },
	{ "storm", run_storm },
	{ "fork-storm", run_fork_storm },
	{ NULL, NULL },
};
