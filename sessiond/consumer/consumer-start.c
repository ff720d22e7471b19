/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * consumer-start.c - a consumer's process: its start, its death, its end.
 */
#include "sessiond/consumer/consumer-private.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "sessiond/base/pid-state.h"
#include "common/base/time.h"
#include "sessiond/storage/saved-state.h"

/*
 * That many deaths in a row, each within a minute and without a packet written,
 * and no more starts.
 */
#define RESTARTS_MAX 20u
#define RESTART_CALM_USEC UINT64_C(60000000)
#define RESTART_DELAY_USEC UINT64_C(50000)
/* For all of them together, and for those that were killed then. */
#define END_WAIT_MS 1000
#define KILLED_WAIT_MS 100
#define LEAVE_USEC UINT64_C(5000000)
/* The kernel's name of a process has no more letters. */
#define TASK_NAME_MAX 15
#define DAEMON_NAME "lttngmap-sessiond"

extern char **environ;

/* ---- the saved state ---------------------------------------------------------------------- */

static struct saved_consumer *record_of(const struct consumer_link *link)
{
	struct consumer_client client;

	if (link->is_leaving)
		return NULL;
	return consumer_link_describe(link, &client) ? client.record
						     : &link->daemon->saved_state->head->idle;
}

static void write_record(const struct consumer_link *link, pid_t pid, int pidfd)
{
	struct saved_consumer *record = record_of(link);

	if (!record)
		return;
	record->pidfd = 0;
	record->pid = pid;
	record->pidfd = pidfd;
}

void consumer_link_note(const struct consumer_link *link)
{
	if (link->child)
		write_record(link, link->pid, sd_event_source_get_io_fd(link->child));
}

void consumer_link_forget(const struct consumer_link *link)
{
	write_record(link, 0, 0);
}

/* ---- starting ------------------------------------------------------------------------ */

static void start_again(struct consumer_link *link)
{
	uint64_t delay = RESTART_DELAY_USEC * (link->restarts ? link->restarts - 1 : 0);

	sd_event_source_set_time(link->restart, time_now_usec() + delay);
	sd_event_source_set_enabled(link->restart, SD_EVENT_ONESHOT);
}

static void try_to_start(struct consumer_link *link)
{
	char who[CONSUMER_WHO_SIZE];
	int error = consumer_link_spawn(link);

	if (!error)
		return;
	message_say("%s: cannot start %s: %s", consumer_link_who(link, who), link->consumers->path,
		    strerror(-error));
	if (++link->restarts <= RESTARTS_MAX)
		start_again(link);
}

static int on_restart(sd_event_source *source, uint64_t usec, void *data)
{
	struct consumer_link *link = data;

	(void)source;
	(void)usec;
	if (!link->is_leaving)
		try_to_start(link);
	else if (link->pid > 0)
		kill(link->pid, SIGKILL);
	return 0;
}

int consumer_link_add_restart(struct consumer_link *link)
{
	int error = sd_event_add_time(link->daemon->event, &link->restart, CLOCK_MONOTONIC,
				      UINT64_MAX, 0, on_restart, link);

	return error < 0 ? error : sd_event_source_set_enabled(link->restart, SD_EVENT_OFF);
}

void consumer_link_kill_later(struct consumer_link *link)
{
	sd_event_source_set_time(link->restart, time_now_usec() + LEAVE_USEC);
	sd_event_source_set_enabled(link->restart, SD_EVENT_ONESHOT);
}

static void describe_death(const siginfo_t *info, char *text, size_t size)
{
	if (info->si_code == CLD_EXITED)
		snprintf(text, size, "ended with status %d", info->si_status);
	else if (info->si_status == SIGSYS)
		snprintf(text, size, "made a system call that no consumer makes, and was killed");
	else
		snprintf(text, size, "was killed by signal %d", info->si_status);
}

static uint64_t count_delivered(const struct consumer_link *link)
{
	struct consumer_client client;

	return consumer_link_describe(link, &client) ? client.delivered : 0;
}

static void take_death(struct consumer_link *link, const siginfo_t *info)
{
	char death[80], who[CONSUMER_WHO_SIZE];

	describe_death(info, death, sizeof(death));
	if (time_now_usec() - link->started_usec > RESTART_CALM_USEC ||
	    count_delivered(link) != link->started_events)
		link->restarts = 0;
	consumer_link_who(link, who);
	if (++link->restarts > RESTARTS_MAX) {
		message_say("%s %s %u times: it is not started again, and nothing more "
			    "is written; see its messages, then restart this daemon",
			    who, death, link->restarts);
		return;
	}
	message_say("%s %s: it is started again", who, death);
	start_again(link);
}

static int on_child(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct consumer_link *link = data;
	struct consumers *consumers = link->consumers;
	siginfo_t info = { .si_pid = 0 };

	(void)source;
	(void)fd;
	(void)revents;
	if (waitid(P_PID, (id_t)link->pid, &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0)
		return 0;
	link->pid = 0;
	consumer_link_forget(link);
	link->child = sd_event_source_disable_unref(link->child);
	consumer_link_disconnect(link);
	consumer_answer_forget(link);
	if (link->is_leaving) {
		consumer_link_free(link);
		consumers_keep_one(consumers);
	} else {
		take_death(link, &info);
	}
	return 0;
}

static int watch(struct consumer_link *link, int pidfd, sd_event_io_handler_t on_end)
{
	int error =
		sd_event_add_io(link->daemon->event, &link->child, pidfd, EPOLLIN, on_end, link);

	if (error >= 0)
		sd_event_source_set_io_fd_own(link->child, 1);
	return error;
}

int consumer_link_spawn(struct consumer_link *link)
{
	const struct consumers *consumers = link->consumers;
	char control[PATH_MAX + 16];
	char *arguments[] = { consumers->path, control, NULL };
	posix_spawnattr_t attributes;
	sigset_t none;
	int error, fd;

	snprintf(control, sizeof(control), "--control=%s", consumers->control_path);
	sigemptyset(&none);
	error = posix_spawnattr_init(&attributes);
	if (error)
		return -error;
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	error = posix_spawn(&link->pid, consumers->path, NULL, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	if (error) {
		link->pid = 0;
		return -error;
	}
	link->started_usec = time_now_usec();
	link->started_events = count_delivered(link);
	fd = (int)syscall(SYS_pidfd_open, link->pid, 0);
	error = fd < 0 ? -errno : watch(link, fd, on_child);
	if (error < 0) {
		if (fd >= 0)
			close(fd);
		/* Nobody would hear of its end, and start the next one beside it. */
		kill(link->pid, SIGKILL);
		waitpid(link->pid, NULL, 0);
		link->pid = 0;
		return error;
	}
	consumer_link_note(link);
	return 0;
}

/* ---- the daemon before its restart ---------------------------------------------------------- */

/* The one of the daemon before its restart is gone. */
static int on_former(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct consumer_link *link = data;

	(void)source;
	(void)fd;
	(void)revents;
	link->pid = 0;
	link->is_former = false;
	consumer_link_forget(link);
	link->child = sd_event_source_disable_unref(link->child);
	if (!link->is_leaving) {
		try_to_start(link);
	} else {
		struct consumers *consumers = link->consumers;

		consumer_link_free(link);
		consumers_keep_one(consumers);
	}
	return 0;
}

/* Is it a consumer whose daemon has ended? The number may be another process's by now. */
static bool is_orphan(const struct consumers *consumers, pid_t pid)
{
	const char *slash = strrchr(consumers->path, '/');
	const char *program = slash ? slash + 1 : consumers->path;
	char name[NAME_PROGRAM_SIZE], parent_name[NAME_PROGRAM_SIZE];
	pid_t parent;

	return pid_is_of_user(pid, geteuid()) && pid_name(pid, name) == 0 &&
	       strncmp(name, program, TASK_NAME_MAX) == 0 && pid_parent(pid, &parent) == 0 &&
	       pid_name(parent, parent_name) == 0 &&
	       strncmp(parent_name, DAEMON_NAME, TASK_NAME_MAX) != 0;
}

static void find_former(const struct consumers *consumers, struct saved_consumer *former)
{
	int pidfd = (int)syscall(SYS_pidfd_open, former->pid, 0);
	struct pollfd end = { .fd = pidfd, .events = POLLIN };

	/* One that lives after the look was looked at. */
	if (pidfd >= 0 && is_orphan(consumers, former->pid) && poll(&end, 1, 0) == 0) {
		former->pidfd = pidfd;
		return;
	}
	if (pidfd >= 0)
		close(pidfd);
	former->pid = 0;
}

void consumers_find_former(const struct consumers *consumers)
{
	struct saved_head *head = consumers->daemon->saved_state->head;

	for (uint32_t i = 0; i < SAVED_SESSIONS; i++)
		if (head->sessions[i].consumer.pid && !head->sessions[i].consumer.pidfd)
			find_former(consumers, &head->sessions[i].consumer);
}

/*
 * It lost us and its rings, and is of no use; but two must never write at
 * once. Its end may take as long as a write to the disk.
 */
static int end_former(struct consumer_link *link)
{
	const struct saved_consumer *former = record_of(link);
	int error;

	syscall(SYS_pidfd_send_signal, former->pidfd, SIGKILL, NULL, 0);
	error = watch(link, former->pidfd, on_former);
	if (error < 0)
		return error;
	link->pid = former->pid;
	link->is_former = true;
	/* Where its output does not answer, that is told. */
	consumer_answer_expect(link);
	return 0;
}

void consumer_link_begin(struct consumer_link *link)
{
	if (!link->session || !record_of(link)->pidfd || end_former(link) < 0)
		try_to_start(link);
}

/* ---- ending ------------------------------------------------------------------------------ */

/* True: none is left but what a file system holds. */
static bool wait_all(struct consumers *consumers, int ms)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	struct consumer_link *link;
	bool all = false;
	pid_t ended;

	for (; ms > 0 && !all; ms--) {
		all = true;
		cds_list_for_each_entry(link, &consumers->links, node) {
			/* One of the daemon before a restart is not our child. */
			if (link->pid > 0 && (ended = waitpid(link->pid, NULL, WNOHANG)) != 0) {
				if (ended > 0 && link->left)
					link->left->pid = 0;
				link->pid = 0;
			}
			all &= link->pid == 0;
		}
		if (!all)
			nanosleep(&pause, NULL);
	}
	return all;
}

static void signal_all(struct consumers *consumers, int signal)
{
	struct consumer_link *link;

	cds_list_for_each_entry(link, &consumers->links, node)
		if (link->pid > 0 && !link->is_former)
			kill(link->pid, signal);
}

/* Its end of the connection is closed: it ends by itself, or is made to. */
void consumers_end_processes(struct consumers *consumers)
{
	struct consumer_link *link;

	cds_list_for_each_entry(link, &consumers->links, node) {
		link->child = sd_event_source_disable_unref(link->child);
		consumer_link_disconnect(link);
	}
	signal_all(consumers, SIGTERM);
	if (wait_all(consumers, END_WAIT_MS))
		return;
	signal_all(consumers, SIGKILL);
	/* One that a file system holds ends when that answers. */
	wait_all(consumers, KILLED_WAIT_MS);
}
