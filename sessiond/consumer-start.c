/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/consumer-link-parts.h"

#include <errno.h>
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

#include "sessiond/daemon.h"
#include "sessiond/ledger.h"
#include "sessiond/messages.h"
#include "sessiond/session.h"

/*
 * That many deaths in a row, each within a minute and without a packet written,
 * and no more starts.
 */
#define RESTARTS_MAX 20u
#define RESTART_CALM_USEC UINT64_C(60000000)
#define RESTART_DELAY_USEC UINT64_C(50000)
#define END_WAIT_MS 1000

extern char **environ;

static int link_spawn(struct consumer_link *link);

static int on_restart(sd_event_source *source, uint64_t usec, void *data)
{
	struct consumer_link *link = data;
	int error = link_spawn(link);

	(void)source;
	(void)usec;
	if (error)
		message_say("cannot start %s: %s", link->path, strerror(-error));
	return 0;
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

/* Of all sessions. */
static uint64_t count_delivered(const struct consumer_link *link)
{
	struct session *session;
	uint64_t events = 0;

	cds_list_for_each_entry(session, sessions_list(link->daemon->sessions), node)
		events += __atomic_load_n(&session->totals->rings.delivered, __ATOMIC_RELAXED);
	return events;
}

/* In the ledger, so that the next life finds it. 0: there is none. */
static void note_consumer(struct consumer_link *link, pid_t pid, int pidfd)
{
	struct ledger_head *head = link->daemon->ledger->head;

	head->consumer_pidfd = 0;
	head->consumer = pid;
	head->consumer_pidfd = pidfd;
}

static int on_child(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct consumer_link *link = data;
	uint64_t now = daemon_now_usec();
	siginfo_t info = { .si_pid = 0 };
	char death[80];

	(void)source;
	(void)fd;
	(void)revents;
	if (waitid(P_PID, (id_t)link->pid, &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0)
		return 0;
	link->pid = 0;
	note_consumer(link, 0, 0);
	link->child = sd_event_source_disable_unref(link->child);
	consumer_link_disconnect(link);

	describe_death(&info, death, sizeof(death));
	if (now - link->started_usec > RESTART_CALM_USEC ||
	    count_delivered(link) != link->started_events)
		link->restarts = 0;
	if (++link->restarts > RESTARTS_MAX) {
		message_say("the consumer %s %u times: it is not started again, and nothing more "
			    "is written; see its messages, then restart this daemon",
			    death, link->restarts);
		return 0;
	}
	message_say("the consumer %s: it is started again", death);
	sd_event_source_set_time(link->restart, now + RESTART_DELAY_USEC * (link->restarts - 1));
	sd_event_source_set_enabled(link->restart, SD_EVENT_ONESHOT);
	return 0;
}

static int link_spawn(struct consumer_link *link)
{
	char control[PATH_MAX + 16];
	char *arguments[] = { link->path, control, NULL };
	posix_spawnattr_t attributes;
	sigset_t none;
	int error, fd;

	snprintf(control, sizeof(control), "--control=%s", link->control_path);
	sigemptyset(&none);
	error = posix_spawnattr_init(&attributes);
	if (error)
		return -error;
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	error = posix_spawn(&link->pid, link->path, NULL, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	if (error) {
		link->pid = 0;
		return -error;
	}
	link->started_usec = daemon_now_usec();
	link->started_events = count_delivered(link);
	fd = (int)syscall(SYS_pidfd_open, link->pid, 0);
	if (fd < 0)
		return -errno;
	note_consumer(link, link->pid, fd);
	error = sd_event_add_io(link->daemon->event, &link->child, fd, EPOLLIN, on_child, link);
	if (error < 0) {
		note_consumer(link, 0, 0);
		close(fd);
		return error;
	}
	sd_event_source_set_io_fd_own(link->child, 1);
	return 0;
}

int consumer_link_create(struct daemon *daemon, struct consumer_link **result)
{
	struct consumer_link *link = calloc(1, sizeof(*link));
	int error;

	*result = NULL;
	if (!link)
		return -ENOMEM;
	link->daemon = daemon;
	link->fd = -1;
	CDS_INIT_LIST_HEAD(&link->queue);
	error = sd_event_add_time(daemon->event, &link->restart, CLOCK_MONOTONIC, UINT64_MAX, 0,
				  on_restart, link);
	if (error >= 0)
		error = sd_event_source_set_enabled(link->restart, SD_EVENT_OFF);
	if (error >= 0)
		error = consumer_link_add_timer(link);
	if (error < 0) {
		consumer_link_destroy(link);
		return error;
	}
	*result = link;
	return 0;
}

/* The one of the daemon's former life is gone. */
static int on_former(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct consumer_link *link = data;
	int error;

	(void)source;
	(void)fd;
	(void)revents;
	link->pid = 0;
	note_consumer(link, 0, 0);
	link->child = sd_event_source_disable_unref(link->child);
	error = link_spawn(link);
	if (error)
		message_say("cannot start %s: %s", link->path, strerror(-error));
	return 0;
}

/*
 * It lost us and its rings, and is of no use; but two must never write at
 * once. Its end may take as long as a write to the disk.
 */
static int end_former(struct consumer_link *link)
{
	const struct ledger_head *head = link->daemon->ledger->head;
	int error;

	syscall(SYS_pidfd_send_signal, head->consumer_pidfd, SIGKILL, NULL, 0);
	error = sd_event_add_io(link->daemon->event, &link->child, head->consumer_pidfd, EPOLLIN,
				on_former, link);
	if (error < 0)
		return error;
	sd_event_source_set_io_fd_own(link->child, 1);
	link->pid = head->consumer;
	return 0;
}

int consumer_link_start(struct consumer_link *link, const char *path, const char *control_path)
{
	if (strcmp(path, "none") == 0)
		return 0;
	link->path = strdup(path);
	link->control_path = strdup(control_path);
	if (!link->path || !link->control_path)
		return -ENOMEM;
	return link->daemon->ledger->head->consumer_pidfd ? end_former(link) : link_spawn(link);
}

/* Its end of the connection is closed: it ends by itself, or is made to. */
static void link_wait_end(struct consumer_link *link)
{
	struct timespec pause = { .tv_nsec = 1000000 };

	if (link->pid <= 0)
		return;
	kill(link->pid, SIGTERM);
	for (int ms = 0; ms < END_WAIT_MS; ms++) {
		/* One of a former life is not our child. */
		if (waitpid(link->pid, NULL, WNOHANG) != 0)
			return;
		nanosleep(&pause, NULL);
	}
	kill(link->pid, SIGKILL);
	waitpid(link->pid, NULL, 0);
}

void consumer_link_destroy(struct consumer_link *link)
{
	if (!link)
		return;
	link->child = sd_event_source_disable_unref(link->child);
	sd_event_source_disable_unref(link->restart);
	consumer_link_disconnect(link);
	sd_event_source_disable_unref(link->stuck);
	link_wait_end(link);
	free(link->path);
	free(link->control_path);
	free(link);
}
