/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * preload-proc.c - each wrapper of liblttngmap-proc.so does what the function does,
 * errno included, and says so; bad pointers stay errors; what does not come back has
 * its event before.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "tests/utils/watched.h"

void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
	__attribute__((noreturn));
__sighandler_t __sysv_signal(int number, __sighandler_t handler);

static void *volatile bad = (void *)1;
static char *const no_environment[] = { NULL };

/* Durations are above 0, and then of no interest. */
static void strip_durations(void)
{
	for (int i = 0; i < nr_events; i++) {
		char *duration = strstr(events[i], " duration=");

		if (duration && atoll(duration + 10) > 0)
			*duration = '\0';
	}
}

/* CALL(type, what is called, its errno or 0, its events) */
#define CALL(type, call, expected_errno, ...)                                                      \
	({                                                                                         \
		type got_;                                                                         \
                                                                                                   \
		watch();                                                                           \
		got_ = (call);                                                                     \
		set_hook(NULL);                                                                    \
		strip_durations();                                                                 \
		happened(#call, (expected_errno) ? (expected_errno) : ERRNO_BEFORE, __VA_ARGS__);  \
		got_;                                                                              \
	})

/* ---- what a child says before it is gone ------------------------------------------------ */

static int child_says;

static void say_event(const struct lttngmap_event_class *event_class, const void *fields,
		      size_t size)
{
	int before = nr_events;

	keep_event(event_class, fields, size);
	if (nr_events > before) {
		strip_durations();
		dprintf(child_says, "%s\n", events[before]);
	}
}

/* A child does what `work` does; the status of its end. */
static int child_events(void (*work)(void), const char *what, const char *expected)
{
	char said[2000];
	size_t used = 0;
	ssize_t length;
	int pipes[2], status;
	pid_t child;

	if (pipe2(pipes, O_CLOEXEC))
		bail_out("cannot make a pipe: %m");
	fflush(stdout);
	child = fork();
	if (child == 0) {
		child_says = pipes[1];
		watch();
		set_hook(say_event);
		work();
		syscall(SYS_exit_group, 99);
	}
	close(pipes[1]);
	while ((length = read(pipes[0], said + used, sizeof(said) - 1 - used)) > 0)
		used += (size_t)length;
	said[used] = '\0';
	close(pipes[0]);
	waitpid(child, &status, 0);
	is_string(said, expected, what);
	return status;
}

/* ---- come, and are waited for ------------------------------------------------------------- */

static int end_at_once(void *unused)
{
	(void)unused;
	syscall(SYS_exit, 7);
	return 0;
}

static char stack[65536];

static void test_come(void)
{
	int status = 0, master = -1;
	siginfo_t info = { .si_signo = 0 };
	struct rusage usage;
	pid_t child;

	watch();
	child = fork();
	if (child == 0)
		syscall(SYS_exit_group, nr_events ? 1 : 3);
	set_hook(NULL);
	strip_durations();
	happened("fork", ERRNO_BEFORE, "fork result=%d error=0", child);
	CALL(pid_t, waitpid(child, &status, 0), 0,
	     "wait pid=%d options=0 status=0x300 result=%d error=0", child, child);
	is(status, 3 << 8, "  ... its status is given, and there is no event in the child");
	CALL(pid_t, waitpid(child, &status, WNOHANG), ECHILD,
	     "wait pid=%d options=0x1 status=0 result=-1 error=%d", child, ECHILD);

	watch();
	child = _Fork();
	if (child == 0)
		syscall(SYS_exit_group, 4);
	set_hook(NULL);
	strip_durations();
	happened("_Fork", ERRNO_BEFORE, "fork result=%d error=0", child);
	CALL(int, waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT), 0,
	     "waitid idtype=1 id=%d options=0x1000004 child=%d code=1 status=4 result=0 error=0",
	     child, child);
	CALL(int, waitid(P_PID, (id_t)child, &info, WEXITED), 0,
	     "waitid idtype=1 id=%d options=0x4 child=%d code=1 status=4 result=0 error=0", child,
	     child);
	is(info.si_status, 4, "  ... and is given");

	watch();
	child = vfork();
	if (child == 0)
		syscall(SYS_exit_group, 5);
	set_hook(NULL);
	happened("vfork", ERRNO_BEFORE, "vfork result=%d error=0", child);
	CALL(pid_t, wait4(child, NULL, 0, &usage), 0,
	     "wait pid=%d options=0 status=0x500 result=%d error=0", child, child);

	child = CALL(int, clone(end_at_once, stack + sizeof(stack), SIGCHLD, &status), 0,
		     "clone function=%p flags=0x11 arg=%p result=%d error=0", (void *)end_at_once,
		     (void *)&status, got_);
	CALL(pid_t, wait(&status), 0, "wait pid=-1 options=0 status=0x700 result=%d error=0",
	     child);
	CALL(pid_t, wait3(NULL, 0, &usage), ECHILD,
	     "wait pid=-1 options=0 status=0 result=-1 error=%d", ECHILD);

	watch();
	child = forkpty(&master, NULL, NULL, NULL);
	if (child == 0)
		syscall(SYS_exit_group, 0);
	set_hook(NULL);
	ok(child > 0 && !strncmp(events[0], "forkpty result=", 15), "forkpty");
	close(master);
	waitpid(child, NULL, 0);
}

/* No more processes: not for root, whom the limit does not bind. */
static void test_failing_vfork(void)
{
	const struct rlimit none = { 0, 0 };
	pid_t child;
	int status;

	child = fork();
	if (child == 0) {
		if (getuid() == 0 && syscall(SYS_setuid, 54321))
			syscall(SYS_exit_group, 3);
		setrlimit(RLIMIT_NPROC, &none);
		watch();
		if (vfork() == 0)
			syscall(SYS_exit_group, 2);
		set_hook(NULL);
		syscall(SYS_exit_group,
			errno != EAGAIN || strcmp(events[0], "vfork result=-1 error=11") != 0);
	}
	waitpid(child, &status, 0);
	is(status, 0, "a vfork that fails says so");
}

/* ---- other programs ---------------------------------------------------------------------- */

static void exec_l(void)
{
	execl("/bin/sh", "sh", "-c", "exit 3", NULL);
}

static void exec_le(void)
{
	static char *const environment[] = { "A=4", NULL };

	execle("/bin/sh", "sh", "-c", "exit $A", NULL, environment);
}

static void exec_lp(void)
{
	execlp("sh", "sh", "-c", "exit 5", "more", NULL);
}

static void exec_v(void)
{
	char *const argv[] = { "sh", "-c", "exit 6", NULL };

	execv("/nosuch/sh", argv);
	execvp("nosuch-sh", argv);
	execvpe("nosuch-sh", argv, no_environment);
	execv("/bin/sh", argv);
}

static void exec_fd(void)
{
	char *const argv[] = { "sh", "-c", "exit 7", NULL };

	execveat(-1, "nosuch", argv, no_environment, 0);
	fexecve(dup2(open("/bin/sh", O_RDONLY | O_CLOEXEC), 100), argv, no_environment);
}

static void test_exec(void)
{
	is(child_events(exec_l, "execl", "exec_req path=\"/bin/sh\" arguments=\"sh -c exit 3\"\n"),
	   3 << 8, "  ... does it");
	is(child_events(exec_le, "execle",
			"exec_req path=\"/bin/sh\" arguments=\"sh -c exit $A\"\n"),
	   4 << 8, "  ... does it");
	is(child_events(exec_lp, "execlp",
			"exec_req path=\"sh\" arguments=\"sh -c exit 5 more\"\n"),
	   5 << 8, "  ... does it");
	is(child_events(exec_v, "execv, after some that fail",
			"exec_req path=\"/nosuch/sh\" arguments=\"sh -c exit 6\"\n"
			"exec_ret result=-1 error=2\n"
			"exec_req path=\"nosuch-sh\" arguments=\"sh -c exit 6\"\n"
			"exec_ret result=-1 error=2\n"
			"exec_req path=\"nosuch-sh\" arguments=\"sh -c exit 6\"\n"
			"exec_ret result=-1 error=2\n"
			"exec_req path=\"/bin/sh\" arguments=\"sh -c exit 6\"\n"),
	   6 << 8, "  ... does it");
	is(child_events(exec_fd, "fexecve, and execveat that fails",
			"execveat_req dirfd=-1 path=\"nosuch\" arguments=\"sh -c exit 7\" flags=0\n"
			"execveat_ret result=-1 error=9\n"
			"fexecve_req fd=100 arguments=\"sh -c exit 7\"\n"),
	   7 << 8, "  ... does it");
}

static void test_bad_pointers(void)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char long_text[3000];
	char *argv[] = { "a", bad, NULL }, **last = (char **)(page + 4096) - 1;
	const char *event;

	munmap(page + 4096, 4096);
	memcpy(page + 4093, "abc", 3);
	CALL(int, execve(bad, argv, no_environment), EFAULT,
	     "exec_req path=\"\" arguments=\"a \"\nexec_ret result=-1 error=%d", EFAULT);
	CALL(int, execve(page + 4093, bad, no_environment), EFAULT,
	     "exec_req path=\"abc\" arguments=\"\"\nexec_ret result=-1 error=%d", EFAULT);
	*last = "b";
	CALL(int, execv("/bin/true", last), EFAULT,
	     "exec_req path=\"/bin/true\" arguments=\"b\"\nexec_ret result=-1 error=%d", EFAULT);
	CALL(int, execv("/bin/true", (char **)((char *)last + 4)), EFAULT,
	     "exec_req path=\"/bin/true\" arguments=\"\"\nexec_ret result=-1 error=%d", EFAULT);
	CALL(int, posix_spawn(NULL, bad, NULL, NULL, argv + 2, no_environment), EFAULT,
	     "posix_spawn path=\"\" arguments=\"\" child=0 result=%d error=%d", EFAULT, EFAULT);
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	argv[1] = long_text;
	watch();
	execv(long_text, argv);
	set_hook(NULL);
	event = strstr(events[0], "path=\"xxx");
	ok(event && errno == ENAMETOOLONG, "what is long is cut");
	munmap(page, 4096);
}

static void test_spawn(void)
{
	char *const argv[] = { "sh", "-c", "exit 8", NULL };
	posix_spawnattr_t attributes;
	unsigned long was;
	pid_t child = 0;
	FILE *stream;
	int status;

	posix_spawnattr_init(&attributes);
	CALL(int, posix_spawn(&child, "/bin/sh", NULL, &attributes, argv, no_environment), 0,
	     "posix_spawn path=\"/bin/sh\" arguments=\"sh -c exit 8\" child=%d result=0 error=0",
	     child);
	waitpid(child, &status, 0);
	is(status, 8 << 8, "  ... does it");
	child = 0;
	CALL(int, posix_spawnp(&child, "nosuch-sh", NULL, NULL, argv, no_environment), ENOENT,
	     "posix_spawn path=\"nosuch-sh\" arguments=\"sh -c exit 8\" child=0 result=2 error=2");
	is(child, 0, "  ... and gives no child");
	is(CALL(int, system("exit 9"), 0, "system command=\"exit 9\" result=2304 error=0"), 9 << 8,
	   "  ... does it");
	CALL(int, system(NULL), 0, "system command=\"(null)\" result=1 error=0");
	stream = CALL(FILE *, popen("exit 10", "r"), 0,
		      "popen command=\"exit 10\" type=\"r\" result=%p error=0", (void *)got_);
	was = (unsigned long)stream;
	CALL(int, pclose(stream), 0, "pclose stream=%#lx result=2560 error=0", was);
	CALL(FILE *, popen("exit 10", "?"), EINVAL,
	     "popen command=\"exit 10\" type=\"?\" result=0 error=%d", EINVAL);
}

/* ---- go ------------------------------------------------------------------------------------ */

static void end_by_exit(void)
{
	exit(3);
}

static void end_now(void)
{
	_exit(4);
}

static void end_now_by_its_other_name(void)
{
	_Exit(5);
}

static void end_quickly(void)
{
	quick_exit(6);
}

static void end_by_abort(void)
{
	abort();
}

static void end_by_assertion(void)
{
	freopen("/dev/null", "w", stderr);
	__assert_fail("1 > 2", "file.c", 77, "function");
}

static void end_by_signal(void)
{
	raise(SIGKILL);
}

static void end_main_thread(void)
{
	pthread_exit(NULL);
}

static void end_as_daemon(void)
{
	if (daemon(1, 1))
		exit(1);
	syscall(SYS_exit_group, 0);
}

static void test_go(void)
{
	const struct rlimit no_core = { 0, 0 };

	setrlimit(RLIMIT_CORE, &no_core);
	is(child_events(end_by_exit, "exit", "exit status=3\nat_exit status=3\n"), 3 << 8,
	   "  ... ends it");
	is(child_events(end_now, "_exit", "_exit status=4\n"), 4 << 8, "  ... ends it");
	is(child_events(end_now_by_its_other_name, "_Exit", "_exit status=5\n"), 5 << 8,
	   "  ... ends it");
	is(child_events(end_quickly, "quick_exit", "quick_exit status=6\n"), 6 << 8,
	   "  ... ends it");
	is(child_events(end_by_abort, "abort", "abort\n"), SIGABRT, "  ... ends it");
	is(child_events(end_by_assertion, "an assertion",
			"assert_fail assertion=\"1 > 2\" file=\"file.c\" line=77 function="
			"\"function\"\n"),
	   SIGABRT, "  ... ends it");
	is(child_events(end_main_thread, "the last thread's end", "at_exit status=0\n"), 0,
	   "  ... ends it");
	is(child_events(end_as_daemon, "daemon",
			"daemon_req nochdir=1 noclose=1\n"
			"daemon_ret nochdir=1 noclose=1 result=0 error=0\n"),
	   0, "  ... ends the one that calls it");
	is(child_events(end_by_signal, "its own signal", "raise_req signal=9\n"), SIGKILL,
	   "  ... ends it");
}

/* ---- signals --------------------------------------------------------------------------------- */

static volatile int handled;

static void handle(int number)
{
	handled = number;
}

static void test_sending(void)
{
	const union sigval value = { .sival_ptr = (void *)0x1234 };
	const int pid = getpid(), other = SIGUSR2;

	signal(SIGUSR1, handle);
	signal(SIGUSR2, SIG_IGN);
	CALL(int, kill(pid, 0), 0,
	     "kill_req pid=%d signal=0\nkill_ret pid=%d signal=0 result=0 error=0", pid, pid);
	CALL(int, kill(pid, 1000), EINVAL,
	     "kill_req pid=%d signal=1000\nkill_ret pid=%d signal=1000 result=-1 error=%d", pid,
	     pid, EINVAL);
	CALL(int, killpg(getpgrp(), 0), 0,
	     "killpg_req pgrp=%d signal=0\nkillpg_ret pgrp=%d signal=0 result=0 error=0", getpgrp(),
	     getpgrp());
	CALL(int, raise(SIGUSR1), 0, "raise_req signal=%d\nraise_ret signal=%d result=0 error=0",
	     SIGUSR1, SIGUSR1);
	is(handled, SIGUSR1, "  ... and is handled");
	CALL(int, tgkill(pid, pid, other), 0,
	     "tgkill_req tgid=%d tid=%d signal=%d\n"
	     "tgkill_ret tgid=%d tid=%d signal=%d result=0 error=0",
	     pid, pid, other, pid, pid, other);
	CALL(int, sigqueue(pid, other, value), 0,
	     "sigqueue_req pid=%d signal=%d value=0x1234\n"
	     "sigqueue_ret pid=%d signal=%d value=0x1234 result=0 error=0",
	     pid, other, pid, other);
	CALL(int, pthread_kill(pthread_self(), 1000), 0,
	     "pthread_kill_req thread=%p signal=1000\n"
	     "pthread_kill_ret thread=%p signal=1000 result=%d error=%d",
	     (void *)pthread_self(), (void *)pthread_self(), EINVAL, EINVAL);
	CALL(int, pthread_sigqueue(pthread_self(), other, value), 0,
	     "pthread_sigqueue_req thread=%p signal=%d value=0x1234\n"
	     "pthread_sigqueue_ret thread=%p signal=%d value=0x1234 result=0 error=0",
	     (void *)pthread_self(), other, (void *)pthread_self(), other);
}

static void test_handling(void)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_NODEFER };
	struct sigaction *volatile same_action = &action;
	const int number = SIGUSR1;
	sigset_t set, *volatile same_set = &set;

	CALL(int, sigaction(number, &action, same_action), 0,
	     "sigaction signal=%d has_action=1 handler=%p flags=0x40000000 result=0 error=0",
	     number, (void *)handle);
	CALL(int, sigaction(number, NULL, &action), 0,
	     "sigaction signal=%d has_action=0 handler=0 flags=0 result=0 error=0", number);
	ok(action.sa_handler == handle && action.sa_flags & SA_NODEFER,
	   "  ... and is what was set");
	CALL(int, sigaction(-1, bad, NULL), EINVAL,
	     "sigaction signal=-1 has_action=1 handler=0 flags=0 result=-1 error=%d", EINVAL);
	CALL(__sighandler_t, signal(number, SIG_IGN), 0,
	     "signal signal=%d handler=0x1 result=%p error=0", number, (void *)handle);
	CALL(__sighandler_t, signal(SIGKILL, SIG_IGN), EINVAL,
	     "signal signal=9 handler=0x1 result=%p error=%d", (void *)-1, EINVAL);
	CALL(__sighandler_t, __sysv_signal(number, handle), 0,
	     "signal signal=%d handler=%p result=0x1 error=0", number, (void *)handle);
	sigemptyset(&set);
	sigaddset(&set, 1);
	CALL(int, sigprocmask(SIG_BLOCK, &set, same_set), 0,
	     "sigprocmask how=0 has_set=1 set=0x1 result=0 error=0");
	CALL(int, pthread_sigmask(SIG_SETMASK, &set, NULL), 0,
	     "sigprocmask how=2 has_set=1 set=0 result=0 error=0");
	CALL(int, sigprocmask(SIG_BLOCK, NULL, &set), 0,
	     "sigprocmask how=0 has_set=0 set=0 result=0 error=0");
	CALL(int, sigprocmask(77, &set, NULL), EINVAL,
	     "sigprocmask how=77 has_set=1 set=0 result=-1 error=%d", EINVAL);
}

static void test_waiting(void)
{
	const struct timespec at_once = { 0, 0 };
	const struct itimerval soon = { .it_value = { 0, 1000 }, .it_interval = { 0, 50000 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	siginfo_t info;
	sigset_t set;
	int number = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	CALL(int, sigwait(&set, &number), 0, "sigwait signal=%d result=0 error=0", SIGUSR1);
	is(number, SIGUSR1, "  ... and gives it");
	raise(SIGUSR1);
	CALL(int, sigwaitinfo(&set, &info), 0, "sigwait signal=%d result=%d error=0", SIGUSR1,
	     SIGUSR1);
	is(info.si_signo, SIGUSR1, "  ... and tells of it");
	CALL(int, sigtimedwait(&set, NULL, &at_once), EAGAIN, "sigwait signal=0 result=-1 error=%d",
	     EAGAIN);
	signal(SIGALRM, handle);
	setitimer(ITIMER_REAL, &soon, NULL);
	CALL(int, pause(), EINTR, "pause result=-1 error=%d", EINTR);
	sigemptyset(&set);
	CALL(int, sigsuspend(&set), EINTR, "sigsuspend result=-1 error=%d", EINTR);
	setitimer(ITIMER_REAL, &never, NULL);
	is(handled, SIGALRM, "  ... and is handled");
}

static void test_classes(void)
{
	static const struct watched_class expected[] = {
		{ "fork", " result:10s error:10s duration:10" },
		{ "exec_req", " path:string arguments:string" },
		{ "kill_ret", " pid:10s signal:10s result:10s error:10s" },
		{ "wait", " pid:10s options:16s status:16s result:10s error:10s duration:10" },
	};

	test_watched_classes("lttngmap_proc", expected, sizeof(expected) / sizeof(expected[0]),
			     LTTNGMAP_LOGLEVEL_DEBUG_LINE);
}

int main(int argc, char **argv)
{
	(void)argc;
	watch_preloaded(argv, ".libs/liblttngmap-proc.so");
	test_classes();
	test_come();
	test_failing_vfork();
	test_exec();
	test_bad_pointers();
	test_spawn();
	test_go();
	test_sending();
	test_handling();
	test_waiting();
	return done_testing();
}
