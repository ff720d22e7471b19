/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/utils/numbered-emit.h"
#include "tests/utils/processes.h"

#define NOBODY 65534

/* A child that emits as itself. */
static void fork_one(void)
{
	pid_t child = fork();

	if (child == 0) {
		emit_some();
		_exit(0);
	}
	expect_status(child, 0);
}

/* ---- descriptors ------------------------------------------------------------------ */

#define FILES 5000

/* Enough to fill many small sub-buffers. */
static void emit_much(void)
{
	emit_many(new_source(), 20000);
}

static void expect_empty(int fd, const char *what)
{
	struct stat status;

	expect(fstat(fd, &status) == 0 && status.st_size == 0, what);
}

/* What another program left open is not there; then files come into its place. */
static void run_closefrom(const char *argument)
{
	int files[FILES], opened = 0;

	(void)argument;
	emit_much();
	closefrom(3);
	while (opened < FILES && (files[opened] = memfd_create("file", 0)) >= 0)
		opened++;
	emit_much();
	for (int i = 0; i < opened; i++)
		expect_empty(files[i], "something was written to a file after closefrom()");
	closefrom(3);
	fork_one();
	emit_some();
}

static void run_dup_over(const char *argument)
{
	int file = memfd_create("file", 0);
	long limit = sysconf(_SC_OPEN_MAX);

	(void)argument;
	emit_much();
	for (int fd = 3; fd < limit && fd < FILES; fd++)
		dup2(file, fd);
	emit_much();
	expect_empty(file, "something was written to a file after dup2()");
	/* A child needs some to register. */
	for (int fd = 3; fd < 40; fd++)
		if (fd != file)
			close(fd);
	fork_one();
	emit_many(new_source(), 2000);
	expect_empty(file, "a child wrote something to a file after dup2()");
}

/* Nothing of it may be ours that a program could rely on. */
static void run_few_files(const char *argument)
{
	struct rlimit limit = { 20, 20 };

	if (!argument) {
		emit_some();
		expect(setrlimit(RLIMIT_NOFILE, &limit) == 0, "setrlimit() failed");
		execl(self, self, "few-files", "again", NULL);
		expect(false, "exec failed");
	}
	run_closefrom(NULL);
	fork_one();
	execl(self, self, "child", NULL);
}

static void run_little_memory(const char *argument)
{
	struct rlimit limit = { 200 << 20, 200 << 20 };

	if (!argument) {
		expect(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit() failed");
		execl(self, self, "little-memory", "again", NULL);
		expect(false, "exec failed");
	}
	/* Traced or not: neither of these fails for it. */
	emit_some();
	for (int i = 0; i < 1000; i++) {
		void *volatile memory = malloc(100000);

		expect(memory != NULL, "no memory left");
		free(memory);
	}
	fork_one();
}

/* ---- rights ------------------------------------------------------------------------- */

static void run_setuid(const char *argument)
{
	(void)argument;
	emit_some();
	expect(setgid(NOBODY) == 0 && setuid(NOBODY) == 0, "setuid() failed");
	emit_some();
	/* Whether it is traced is a matter of who may enter the daemon's directory. */
	fork_one();
}

static void run_chroot(const char *argument)
{
	emit_some();
	expect(chroot(argument) == 0 && chdir("/") == 0, "chroot() failed");
	emit_much();
	/* Where the daemon's socket is not to be seen, it is not traced. */
	fork_one();
}

static void run_namespaces(const char *argument)
{
	int flags = argument && strcmp(argument, "pid") == 0 ? CLONE_NEWPID | CLONE_NEWNS
							     : CLONE_NEWUSER | CLONE_NEWPID;

	emit_some();
	if (unshare(flags) != 0) {
		fprintf(stderr, "processes: unshare: %s\n", strerror(errno));
		_exit(77);
	}
	emit_some();
	fork_one();
	emit_some();
}

static void run_undumpable(const char *argument)
{
	(void)argument;
	emit_some();
	expect(prctl(PR_SET_DUMPABLE, 0) == 0, "prctl() failed");
	emit_much();
	fork_one();
}

static void run_no_environment(const char *argument)
{
	(void)argument;
	emit_some();
	clearenv();
	environ = NULL;
	emit_much();
	fork_one();
}

/* ---- signals -------------------------------------------------------------------------- */

static uint32_t handler_source;
static volatile pid_t forked_in_handler;
static volatile unsigned int handled;

static void interrupt_each(long usec, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct itimerval timer = { { 0, usec }, { 0, usec } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, usec ? &timer : &(struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL);
}

static void emit_in_handler(int signal)
{
	(void)signal;
	handled++;
	emit_many(handler_source, 3);
}

static void run_handler(const char *argument)
{
	uint32_t source = new_source();

	(void)argument;
	handler_source = new_source();
	interrupt_each(50, emit_in_handler);
	while (handled < 2000)
		emit(source);
	interrupt_each(0, SIG_IGN);
}

/* ---- signals in signals, in malloc --------------------------------------------------- */

#define DEPTHS 3
/*
 * ThreadSanitizer holds signals back until the next call that it knows of, and leaves all
 * of them blocked where one was held back while it delivered another.
 */
#ifdef __SANITIZE_THREAD__
#define NESTED 200
#define UNBLOCK_SIGNALS() sigprocmask(SIG_SETMASK, &(const sigset_t){ 0 }, NULL)
#else
#define NESTED 2000
#define UNBLOCK_SIGNALS() ((void)0)
#endif

static const int nested_signals[DEPTHS] = { SIGALRM, SIGUSR1, SIGUSR2 };
static uint32_t nested_sources[DEPTHS];

/* Each of them is interrupted by the next, before it emits, between and after. */
static void emit_nested(int signal)
{
	int depth = 0;

	while (nested_signals[depth] != signal)
		depth++;
	handled += depth == DEPTHS - 1;
	emit(nested_sources[depth]);
	if (depth + 1 < DEPTHS)
		raise(nested_signals[depth + 1]);
	emit(nested_sources[depth]);
}

/* Signals at any moment, most of them in malloc, which may be traced itself. */
static void run_nested(const char *argument)
{
	unsigned int wanted = argument ? (unsigned int)atoi(argument) : NESTED;
	uint32_t source = new_source();

	for (int i = 0; i < DEPTHS; i++) {
		struct sigaction action = { .sa_handler = emit_nested, .sa_flags = SA_RESTART };

		nested_sources[i] = new_source();
		sigaction(nested_signals[i], &action, NULL);
	}
	interrupt_each(50, emit_nested);
	for (unsigned int i = 0; handled < wanted; i++) {
		void *volatile memory = malloc(i * 37 % 5000);

		emit(source);
		free(memory);
		UNBLOCK_SIGNALS();
	}
	interrupt_each(0, SIG_IGN);
}

/*
 * Parent and child both go on with the event that the signal interrupted. By
 * trylock the child goes first: see "What is left" in doc/design/ring.md.
 */
static void fork_in_handler(int signal)
{
	int before = errno;
	pid_t child;

	(void)signal;
	handled++;
	emit(handler_source);
	child = fork();
	if (child == 0) {
		forked_in_handler = getpid();
		interrupt_each(0, SIG_IGN);
	} else {
		expect(child > 0, "fork() failed");
		if (__rseq_size == 0)
			expect_status(child, 0);
	}
	errno = before;
}

static void run_fork_in_handler(const char *argument)
{
	uint32_t source = new_source();
	int status;

	(void)argument;
	counts->sources[source].forked = 1;
	handler_source = new_source();
	interrupt_each(3000, fork_in_handler);
	while (handled < 100 && !forked_in_handler)
		numbered_emit(counts, source, &forked_in_handler);
	if (forked_in_handler) {
		emit_some();
		_exit(0);
	}
	interrupt_each(0, SIG_IGN);
	while (wait(&status) > 0)
		expect(status == 0, "a child that was forked in a handler crashed");
}

static void exit_in_handler(int signal)
{
	(void)signal;
	emit(handler_source);
	_exit(9);
}

static void run_exit_in_handler(const char *argument)
{
	(void)argument;
	for (int i = 0; i < 30; i++) {
		pid_t child = fork();

		if (child == 0) {
			uint32_t source = new_source();

			handler_source = new_source();
			/* Registered: what is lost before that is counted with a later event. */
			emit(source);
			interrupt_each(50 + 37 * i, exit_in_handler);
			for (;;)
				emit(source);
		}
		expect_status(child, 9);
	}
}

static void *emit_for_ever(void *unused)
{
	uint32_t source = new_source();

	for (;;)
		emit(source);
	return unused;
}

static void *emit_a_thousand(void *unused)
{
	emit_many(new_source(), 1000);
	return unused;
}

static void run_killed(const char *argument)
{
	int times = argument ? atoi(argument) : 40;
	uint32_t before;

	for (int i = 0; i < times; i++) {
		pid_t child;
		pthread_t thread;

		before = counts->finished;
		child = fork();
		if (child == 0) {
			emit_some();
			finished();
			pthread_create(&thread, NULL, emit_for_ever, NULL);
			emit_for_ever(NULL);
		}
		wait_finished(before + 1);
		usleep((useconds_t)(i * 7919 % 4000));
		kill(child, SIGKILL);
		expect_signal(child, SIGKILL);
	}
}

/* As early as while it registers; but with no event less than it registered for. */
static void run_killed_early(const char *argument)
{
	int times = argument ? atoi(argument) : 60;

	for (int i = 0; i < times; i++) {
		pid_t child = fork();

		if (child == 0)
			emit_for_ever(NULL);
		usleep((useconds_t)(i * 20));
		kill(child, SIGKILL);
		expect_signal(child, SIGKILL);
	}
}

/* All threads of a child emit their first events at once. */
static void run_first_events(const char *argument)
{
	(void)argument;
	emit_some();
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();
		pthread_t threads[4];

		if (child == 0) {
			for (int t = 0; t < 4; t++)
				pthread_create(&threads[t], NULL, emit_a_thousand, NULL);
			for (int t = 0; t < 4; t++)
				pthread_join(threads[t], NULL);
			_exit(0);
		}
		expect_status(child, 0);
	}
}

/* Not a child of anybody who is traced. */
static void run_kill_self(const char *argument)
{
	(void)argument;
	emit_much();
	raise(SIGKILL);
}

static void run_crash(const char *argument)
{
	struct rlimit none = { 0, 0 };

	(void)argument;
	setrlimit(RLIMIT_CORE, &none);
	emit_much();
	*(volatile int *)NULL = 1;
}

const struct scenario odd_scenarios[] = {
	{ "closefrom", run_closefrom },
	{ "dup-over", run_dup_over },
	{ "few-files", run_few_files },
	{ "little-memory", run_little_memory },
	{ "setuid", run_setuid },
	{ "chroot", run_chroot },
	{ "namespaces", run_namespaces },
	{ "undumpable", run_undumpable },
	{ "no-environment", run_no_environment },
	{ "handler", run_handler },
	{ "nested", run_nested },
	{ "fork-in-handler", run_fork_in_handler },
	{ "exit-in-handler", run_exit_in_handler },
	{ "first-events", run_first_events },
	{ "killed", run_killed },
	{ "killed-early", run_killed_early },
	{ "kill-self", run_kill_self },
	{ "crash", run_crash },
	{ NULL, NULL },
};
