/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/storage/supervisor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/time.h"
#include "sessiond/base/close-untrusted.h"
#include "sessiond/base/pid-state.h"

/* A daemon that ends so soon after its fork, or before it serves, has lived for a short time. */
#define SHORT_MS 100
#define SHORT_LIVES_MAX 20u
#define PAUSE_MAX_MS 1000u
/* For all threads of a process whose first one has ended. */
#define DYING_MS 500
/*
 * How often to look for that, where the daemon may have a file system of its own; and as long as a
 * thread is watched that ends with it.
 */
#define LOOK_MS 250
#define WATCHED_LOOK_MS 30000
#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL
#endif

struct supervisor {
	const struct supervisor_config *config;
	int signals;
	int child; /* pidfd */
	pid_t pid;
	/* By number: those that were open before the first child. */
	bool *ours;
	int nr_ours;
	unsigned int short_lives;
	bool told_to_end;
};

static void pause_ms(unsigned int ms)
{
	struct timespec pause = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };

	nanosleep(&pause, NULL);
}

/* ---- descriptors ----------------------------------------------------------------- */

/* Give each open descriptor to `take`. 0 or -errno. */
static int each_open(void (*take)(int fd, void *data), void *data)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] != '.' && fd != dirfd(dir))
			take(fd, data);
	}
	closedir(dir);
	return 0;
}

struct fd_set_of {
	bool *has;
	int size;
};

static void add_to_set(int fd, void *data)
{
	struct fd_set_of *set = data;
	bool *has;

	if (fd >= set->size) {
		has = realloc(set->has, (size_t)fd + 1);
		if (!has)
			return;
		memset(has + set->size, 0, (size_t)(fd + 1 - set->size));
		set->has = has;
		set->size = fd + 1;
	}
	set->has[fd] = true;
}

static void close_unknown(int fd, void *data)
{
	const struct fd_set_of *known = data;

	if (fd >= known->size || !known->has[fd])
		close_untrusted(fd);
}

/* Closes the descriptors of the daemon that died, except those that the saved state names. */
static void close_leftovers(const struct supervisor *supervisor)
{
	struct fd_set_of known = { .has = NULL };

	for (int fd = 0; fd < supervisor->nr_ours; fd++)
		if (supervisor->ours[fd])
			add_to_set(fd, &known);
	saved_state_descriptors(supervisor->config->saved_state, add_to_set, &known);
	each_open(close_unknown, &known);
	free(known.has);
}

/* ---- the child ------------------------------------------------------------------- */

static void run_child(const struct supervisor *supervisor, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	exit(supervisor->config->serve(supervisor->config->data));
}

/* 0 or -errno. */
static int make_child(struct supervisor *supervisor)
{
	pid_t parent = getpid();

	supervisor->config->saved_state->head->ready = false;
	supervisor->config->saved_state->head->lives++;
	supervisor->pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);
	if (supervisor->pid < 0)
		return -errno;
	if (supervisor->pid == 0)
		run_child(supervisor, parent);
	supervisor->child = (int)syscall(SYS_pidfd_open, supervisor->pid, 0);
	return supervisor->child < 0 ? -errno : 0;
}

/*
 * Nobody answers requests on the mount any more. A thread of the daemon's own
 * that waits for one cannot even be killed, so this comes before waitpid.
 */
static void take_mount_away(const struct supervisor *supervisor)
{
	if (umount2(supervisor->config->rings_dir, MNT_FORCE | UMOUNT_NOFOLLOW) != 0 &&
	    errno == EBUSY)
		umount2(supervisor->config->rings_dir, MNT_DETACH | UMOUNT_NOFOLLOW);
}

/* Daemons that died, and their consumers, which end as our children. */
static void reap_orphans(const struct supervisor *supervisor)
{
	siginfo_t info;

	for (;;) {
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || !info.si_pid ||
		    info.si_pid == supervisor->pid)
			return;
		waitpid(info.si_pid, NULL, 0);
	}
}

static void pass_signal(struct supervisor *supervisor)
{
	struct signalfd_siginfo info;

	if (read(supervisor->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD) {
		reap_orphans(supervisor);
		return;
	}
	supervisor->told_to_end = true;
	if (supervisor->pid > 0)
		kill(supervisor->pid, SIGTERM);
}

/*
 * Its first thread has ended, and others have not: nothing tells of that, neither
 * a signal nor the pidfd (of Linux 6.15, not with PIDFD_THREAD either).
 */
static bool is_dying(pid_t pid)
{
	return pid_state(pid) == 'Z';
}

/*
 * The pidfd of the child's thread that serves rings, which waits for nobody and ends when the
 * child is killed. -1: it is not there yet, or Linux before 6.9.
 */
static int open_ring_thread(pid_t pid)
{
	char path[PATH_MAX], name[sizeof(RING_THREAD_NAME)];
	struct dirent *entry;
	int found = -1;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	threads = opendir(path);
	while (threads && found < 0 && (entry = readdir(threads))) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", pid, entry->d_name);
		file = fopen(path, "re");
		if (file && fgets(name, sizeof(name), file) && strcmp(name, RING_THREAD_NAME) == 0)
			found = (int)syscall(SYS_pidfd_open, atoi(entry->d_name), PIDFD_THREAD);
		if (file)
			fclose(file);
	}
	if (threads)
		closedir(threads);
	return found;
}

/*
 * True once the child and all its threads have ended; *status is as of waitpid(2). The child stays
 * a zombie until reap_orphans() runs beside the next daemon: while others look at /proc, the
 * kernel may take 200 ms to remove a process from there.
 */
static bool has_ended(pid_t pid, int *status)
{
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
		return false;
	*status = info.si_code == CLD_EXITED ? W_EXITCODE(info.si_status, 0) : info.si_status;
	return true;
}

/* Until it is gone; how it ended, as of waitpid(2). */
static int wait_child(struct supervisor *supervisor)
{
	int timeout = geteuid() == 0 ? LOOK_MS : -1, thread = -1, status = 0, ready;

	for (;;) {
		struct pollfd fds[] = {
			{ .fd = supervisor->child, .events = POLLIN },
			{ .fd = supervisor->signals, .events = POLLIN },
			{ .fd = thread, .events = POLLIN },
		};

		ready = poll(fds, 3, thread >= 0 ? WATCHED_LOOK_MS : timeout);
		if (ready < 0)
			continue;
		if (ready == 0 && is_dying(supervisor->pid))
			break;
		if (ready == 0 && thread < 0)
			thread = open_ring_thread(supervisor->pid);
		if (fds[2].revents) {
			close(thread);
			thread = -1;
		}
		if (fds[1].revents)
			pass_signal(supervisor);
		if (fds[0].revents)
			break;
	}
	if (thread >= 0)
		close(thread);
	take_mount_away(supervisor);
	close(supervisor->child);
	/*
	 * A thread that hangs in the kernel, in a hostile process's memory maybe,
	 * will never run again: what is ours it leaves alone.
	 */
	for (int ms = 0; ms < DYING_MS; ms++) {
		if (has_ended(supervisor->pid, &status))
			return status;
		pause_ms(1);
	}
	supervisor->pid = -1;
	return SIGKILL;
}

/* ---- its restarts ------------------------------------------------------------------- */

static void describe(int status, char *text, size_t size)
{
	if (WIFSIGNALED(status))
		snprintf(text, size, "was killed by signal %d", WTERMSIG(status));
	else
		snprintf(text, size, "ended with status %d", WEXITSTATUS(status));
}

/* Shall there be another restart? Says why, or why not. */
static bool is_to_go_on(struct supervisor *supervisor, int status, int64_t lived_ms)
{
	struct saved_head *head = supervisor->config->saved_state->head;
	bool was_ready = head->ready;
	unsigned int pause = 0;

	if (supervisor->told_to_end || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
		return false;
	/* It said itself why it cannot begin. */
	if (!was_ready && head->lives == 1)
		return false;
	describe(status, head->death, sizeof(head->death));
	if (was_ready && lived_ms >= SHORT_MS)
		supervisor->short_lives = 0;
	else if (++supervisor->short_lives > SHORT_LIVES_MAX) {
		log_error("the session daemon %s, %u times in a row: it is not started again; see "
			  "its messages",
			  head->death, supervisor->short_lives);
		return false;
	} else if (supervisor->short_lives > 3) {
		pause = 1u << supervisor->short_lives;
	}
	log_warning("the session daemon %s: it is started again", head->death);
	pause_ms(pause < PAUSE_MAX_MS ? pause : PAUSE_MAX_MS);
	return true;
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

int supervisor_run(const struct supervisor_config *config)
{
	struct supervisor supervisor = { .config = config, .signals = open_signals(), .pid = -1 };
	struct fd_set_of ours = { .has = NULL };
	int status = 0, error;

	if (supervisor.signals < 0 || each_open(add_to_set, &ours) != 0) {
		log_error("cannot watch over the session daemon: %s", strerror(errno));
		goto out;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	supervisor.ours = ours.has;
	supervisor.nr_ours = ours.size;
	for (;;) {
		int64_t begun = time_now_ms();

		error = make_child(&supervisor);
		if (error) {
			log_error("cannot make the session daemon's process: %s", strerror(-error));
			goto out;
		}
		/* The daemon before it, whose SIGCHLD may have been read. */
		reap_orphans(&supervisor);
		status = wait_child(&supervisor);
		if (!is_to_go_on(&supervisor, status, time_now_ms() - begun))
			break;
		close_leftovers(&supervisor);
	}
	free(ours.has);
	close(supervisor.signals);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;

out:
	free(ours.has);
	if (supervisor.signals >= 0)
		close(supervisor.signals);
	return EXIT_FAILURE;
}
