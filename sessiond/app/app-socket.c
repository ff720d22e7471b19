/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/app/app-socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "common/base/socket.h"
#include "sessiond/app/app-connection.h"
#include "sessiond/app/late-attach.h"
#include "sessiond/base/listen.h"
#include "sessiond/base/parts.h"
#include "common/base/time.h"
#include "sessiond/memory/memory-set.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/executed.h"
#include "sessiond/session/process.h"
#include "sessiond/session/session.h"
#include "sessiond/session/untraced.h"

/* Without a free descriptor accepting would fail, and be asked for, again and again. */
#define ACCEPT_PAUSE_USEC UINT64_C(50000)
#define RETRY_USEC UINT64_C(100000)
/* So many are there again, before who had none is tried again. */
#define RETRY_DESCRIPTORS 8
#define ACCEPT_ACCURACY_USEC UINT64_C(10000)
/*
 * Accepted in one turn of the loop. All of it, while that is not endless: the
 * queue is everybody's, and whose connections are too many is seen here only.
 * It is little work each.
 */
#define ACCEPTS_PER_TURN 512
/* More than can be waiting: socket_listen()'s queue. */
#define ACCEPTS_PER_STOP 8192
/* Refused for want of descriptors before each pause. */
#define REFUSALS_PER_TURN 256

struct app_socket {
	struct app_connections connections;
	struct daemon *daemon;
	int fd;
	int reserve_fd; /* closed to let one more in, when descriptors are short, and refuse it */
	sd_event_source *source;
	sd_event_source *pause; /* accepting again */
	sd_event_source *retry; /* on while somebody lacks descriptors */
	bool refused_for_now;   /* somebody was, and is to be told when there are some */
};

static bool is_shortage(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM || error == -ENOBUFS;
}

/* Refuses all connections that wait to be accepted, rather than leave them waiting. */
static void refuse_waiting(struct app_socket *app, int reason)
{
	int accepted;

	if (app->reserve_fd < 0)
		return;
	close(app->reserve_fd);
	for (int i = 0; i < REFUSALS_PER_TURN; i++) {
		if (socket_accept(app->fd, SOCK_NONBLOCK, &accepted) != 0)
			break;
		app_connection_refuse_short(&app->connections, accepted, reason);
	}
	app->reserve_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static bool shrink_pools(const struct daemon *daemon)
{
	return memory_pool_shrink(daemon->pool);
}

/* Up to so many. -EAGAIN: nobody else waits; 0; or a shortage. */
static int accept_waiting(struct app_socket *app, unsigned int most)
{
	int accepted, error = 0;

	for (unsigned int i = 0; i < most; i++) {
		error = socket_accept(app->fd, SOCK_NONBLOCK, &accepted);
		if (error == -EAGAIN)
			break;
		if (error == 0 && accepted >= app->daemon->descriptors) {
			app_connection_refuse_short(&app->connections, accepted, -EMFILE);
			continue;
		}
		if (is_shortage(error) && shrink_pools(app->daemon))
			continue;
		if (is_shortage(error))
			break;
		if (error == 0)
			app_connection_open(&app->connections, accepted);
	}
	return error;
}

static int on_accept(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct app_socket *app = data;
	int error = accept_waiting(app, ACCEPTS_PER_TURN);

	(void)fd;
	(void)revents;
	if (is_shortage(error)) {
		refuse_waiting(app, error);
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
		sd_event_source_set_time(app->pause, time_now_usec() + ACCEPT_PAUSE_USEC);
		sd_event_source_set_enabled(app->pause, SD_EVENT_ONESHOT);
	}
	return 0;
}

static int on_pause_over(sd_event_source *source, uint64_t usec, void *data)
{
	struct app_socket *app = data;

	(void)source;
	(void)usec;
	return sd_event_source_set_enabled(app->source, SD_EVENT_ON);
}

static bool has_descriptors(const struct daemon *daemon)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0 && fd + RETRY_DESCRIPTORS < daemon->descriptors;
}

/* Processes without rings for want of descriptors. True: some are left. */
static bool admit_again(const struct daemon *daemon)
{
	struct process *process;
	bool left = false;

	cds_list_for_each_entry(process, processes_list(daemon->processes), list) {
		for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++) {
			struct channel *channel;

			if (process->slots[slot].left_out != UNTRACED_SHORT)
				continue;
			channel = sessions_channel_at(daemon->sessions, slot);
			if (channel)
				channel_admit(channel, process);
			left |= channel && process->slots[slot].left_out == UNTRACED_SHORT;
		}
	}
	return left;
}

static void arm_retry(struct app_socket *app)
{
	sd_event_source_set_time(app->retry, time_now_usec() + RETRY_USEC);
	sd_event_source_set_enabled(app->retry, SD_EVENT_ONESHOT);
}

static int on_retry(sd_event_source *source, uint64_t usec, void *data)
{
	struct app_socket *app = data;

	(void)source;
	(void)usec;
	if (!has_descriptors(app->daemon)) {
		arm_retry(app);
		return 0;
	}
	/* A refused process looks for a daemon when the daemon sends it an attach request. */
	if (app->refused_for_now && app->daemon->late_attach)
		late_attach_scan(app->daemon->late_attach, 0);
	app->refused_for_now = false;
	if (admit_again(app->daemon))
		arm_retry(app);
	return 0;
}

void app_socket_retry_soon(struct app_socket *app)
{
	int enabled;

	if (!app)
		return;
	app->refused_for_now = true;
	if (sd_event_source_get_enabled(app->retry, &enabled) <= 0)
		arm_retry(app);
}

static int add_sources(struct app_socket *app, const char *path)
{
	sd_event *event = app->daemon->event;
	int error = sd_event_add_time(event, &app->pause, CLOCK_MONOTONIC, UINT64_MAX,
				      ACCEPT_ACCURACY_USEC, on_pause_over, app);

	if (error >= 0)
		error = sd_event_source_set_enabled(app->pause, SD_EVENT_OFF);
	if (error >= 0)
		error = sd_event_add_time(event, &app->retry, CLOCK_MONOTONIC, UINT64_MAX,
					  ACCEPT_ACCURACY_USEC, on_retry, app);
	if (error >= 0)
		error = sd_event_source_set_enabled(app->retry, SD_EVENT_OFF);
	if (error >= 0)
		error = listen_at(path, &app->fd);
	/* Accepted sockets have it from the first message on. */
	if (error >= 0)
		error = socket_pass_sender(app->fd);
	return error < 0 ? error
			 : sd_event_add_io(event, &app->source, app->fd, EPOLLIN, on_accept, app);
}

int app_socket_create(struct daemon *daemon, const char *path, struct app_socket **result)
{
	struct app_socket *app = calloc(1, sizeof(*app));
	int error;

	*result = NULL;
	if (!app)
		return -ENOMEM;
	app->daemon = daemon;
	app->fd = -1;
	app->reserve_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	error = app_connections_init(&app->connections, daemon);
	if (error >= 0)
		error = add_sources(app, path);
	if (error < 0) {
		app_socket_destroy(app);
		return error;
	}
	*result = app;
	return 0;
}

void app_socket_destroy(struct app_socket *app)
{
	if (!app)
		return;
	app_connections_fini(&app->connections);
	sd_event_source_disable_unref(app->source);
	sd_event_source_disable_unref(app->pause);
	sd_event_source_disable_unref(app->retry);
	if (app->reserve_fd >= 0)
		close(app->reserve_fd);
	free(app);
}

static int restore(struct app_socket *app, struct process *process, int fd)
{
	return app_connection_restore(&app->connections, process, fd);
}

const struct process_ops app_socket_ops = {
	.forget = app_connection_close,
	.restore = restore,
	.retry_soon = app_socket_retry_soon,
};

void app_socket_settle(struct app_socket *app)
{
	accept_waiting(app, ACCEPTS_PER_STOP);
	app_connections_settle(&app->connections);
	executed_count_all(app->daemon);
}

uint64_t app_socket_refused(const struct app_socket *app)
{
	return app->connections.refused;
}

uint64_t app_socket_unanswered(const struct app_socket *app)
{
	return app->connections.unanswered;
}

uint64_t app_socket_foreign(const struct app_socket *app)
{
	return app->connections.foreign;
}
