/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/app-socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <urcu/list.h>

#include "common/socket.h"
#include "sessiond/app-message.h"
#include "sessiond/app-request.h"
#include "sessiond/daemon.h"
#include "sessiond/ledger.h"
#include "sessiond/listen.h"
#include "sessiond/memory-set.h"
#include "sessiond/messages.h"
#include "sessiond/process.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

#define REGISTER_USEC UINT64_C(5000000)
/* Without a free descriptor accepting would fail, and be asked for, again and again. */
#define ACCEPT_PAUSE_USEC UINT64_C(50000)
/* Connections that have not registered; the oldest goes when there are more. */
#define PENDING_MAX 512u
#define PENDING_PER_USER_MAX 128u
/* Accepted in one turn of the loop, for the others' sake. */
#define ACCEPTS_PER_TURN 16

struct app_connection {
	struct cds_list_head node;
	struct app_socket *app;
	sd_event_source *source; /* owns the descriptor */
	int fd;
	struct ucred peer;
	uint64_t deadline_usec;
	struct process *process; /* NULL: not registered */
};

struct app_socket {
	struct daemon *daemon;
	int fd;
	int spare; /* closed to let one more in, when descriptors are short, and refuse it */
	sd_event_source *source;
	sd_event_source *pause;       /* accepting again */
	sd_event_source *timeout;     /* the oldest pending connection's */
	struct cds_list_head pending; /* oldest first */
	struct cds_list_head registered;
	unsigned int nr_pending;
	uint64_t refused;
};

static void pending_remove(struct app_connection *connection)
{
	cds_list_del(&connection->node);
	connection->app->nr_pending--;
}

static void connection_close(struct app_connection *connection)
{
	if (connection->process) {
		/* Before the number is another descriptor's. */
		connection->process->record->socket = 0;
		connection->process->connection = NULL;
		cds_list_del(&connection->node);
	} else {
		pending_remove(connection);
	}
	sd_event_source_disable_unref(connection->source);
	free(connection);
}

/* It hung up, or is not to be listened to any more. */
static void connection_end(struct app_connection *connection)
{
	struct process *process = connection->process;

	connection_close(connection);
	if (process)
		process_hung_up(process);
}

static void send_refusal(struct app_connection *connection, const struct app_refusal *refusal)
{
	struct protocol_app_refused refused = {
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .minor = PROTOCOL_APP_MINOR,
			    .type = PROTOCOL_APP_REFUSED,
			    .size = sizeof(refused) },
		.error = refusal->error,
	};

	if (!connection->process)
		connection->app->refused++;
	message_say("process %d of user %u is not served: %s", connection->peer.pid,
		    connection->peer.uid,
		    refusal->error ? refusal->message : "it does not speak our protocol");
	if (refusal->error == 0)
		return;
	memcpy(refused.message, refusal->message, sizeof(refused.message));
	/* Who does not take it goes without. */
	socket_send(connection->fd, &refused, sizeof(refused), NULL, 0);
}

/* What was looked at is done with. */
static void take_message(const struct app_connection *connection)
{
	recv(connection->fd, NULL, 0, MSG_DONTWAIT | MSG_TRUNC);
}

/* Linux before 6.5 does not say. */
static bool peer_is_alive(const struct app_connection *connection)
{
	socklen_t size = sizeof(int);
	struct pollfd end = { .events = POLLIN };
	bool alive;

	if (getsockopt(connection->fd, SOL_SOCKET, SO_PEERPIDFD, &end.fd, &size) != 0)
		return false;
	alive = poll(&end, 1, 0) == 0;
	close(end.fd);
	return alive;
}

/*
 * 0: go on; else the connection is gone. EPIPE and ECONNRESET: an answer came
 * too late, and was not read.
 */
static int connection_serve(struct app_connection *connection)
{
	/* One message at a time is in hand, and this is the only thread. */
	static _Alignas(8) char bytes[PROTOCOL_APP_MESSAGE_MAX];
	struct app_refusal refusal = { .error = 0 };
	bool was_registered = connection->process != NULL;
	/*
	 * It stays in the socket until it was answered: where the daemon is killed
	 * meanwhile, the next life finds it there.
	 */
	ssize_t size = socket_receive(connection->fd, bytes, sizeof(bytes), MSG_DONTWAIT | MSG_PEEK,
				      NULL, NULL);
	int error;

	if (size == -EAGAIN)
		return 0;
	if (size == -EMSGSIZE)
		app_refuse(&refusal, EMSGSIZE, "a message is larger than %u bytes",
			   PROTOCOL_APP_MESSAGE_MAX);
	if (size <= 0) {
		error = (int)size;
	} else {
		struct app_request request = {
			.daemon = connection->app->daemon,
			.fd = connection->fd,
			.peer = connection->peer,
			.process = connection->process,
		};

		error = app_request_serve(&request, bytes, (size_t)size, &refusal);
		if (!was_registered && request.process) {
			pending_remove(connection);
			cds_list_add(&connection->node, &connection->app->registered);
			connection->process = request.process;
			connection->process->connection = connection;
		}
	}
	/* Left unread, it would take a refusal with it when the socket is closed. */
	if (size > 0 || size == -EMSGSIZE)
		take_message(connection);
	if (error == 0 && size > 0)
		return 0;
	if (refusal.error || error == -EPROTO)
		send_refusal(connection, &refusal);
	if ((error == -EPIPE || error == -ECONNRESET) && peer_is_alive(connection))
		message_say("process %d of user %u did not wait for an answer: where that was its "
			    "registration, its events are not recorded. Is the machine overloaded?",
			    connection->peer.pid, connection->peer.uid);
	connection_end(connection);
	return -ECONNRESET;
}

static int on_connection(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	(void)source;
	(void)fd;
	(void)revents;
	connection_serve(data);
	return 0;
}

static void arm_timeout(struct app_socket *app)
{
	struct app_connection *oldest;

	if (cds_list_empty(&app->pending)) {
		sd_event_source_set_enabled(app->timeout, SD_EVENT_OFF);
		return;
	}
	oldest = cds_list_first_entry(&app->pending, struct app_connection, node);
	sd_event_source_set_time(app->timeout, oldest->deadline_usec);
	sd_event_source_set_enabled(app->timeout, SD_EVENT_ONESHOT);
}

static int on_timeout(sd_event_source *source, uint64_t usec, void *data)
{
	struct app_socket *app = data;
	struct app_connection *connection, *next;
	uint64_t now = daemon_now_usec();

	(void)source;
	(void)usec;
	cds_list_for_each_entry_safe(connection, next, &app->pending, node) {
		if (connection->deadline_usec > now)
			break;
		connection_close(connection);
	}
	arm_timeout(app);
	return 0;
}

static bool is_allowed(const struct ucred *peer)
{
	return geteuid() == 0 || peer->uid == 0 || peer->uid == geteuid();
}

/* Make room: one user cannot use up the places of the others. */
static void limit_pending(struct app_socket *app, uid_t uid)
{
	struct app_connection *connection, *oldest = NULL;
	unsigned int of_user = 0;

	if (app->nr_pending < PENDING_PER_USER_MAX)
		return;
	cds_list_for_each_entry(connection, &app->pending, node) {
		if (connection->peer.uid != uid)
			continue;
		if (of_user++ == 0)
			oldest = connection;
	}
	if (of_user >= PENDING_PER_USER_MAX)
		connection_close(oldest);
	else if (app->nr_pending >= PENDING_MAX)
		connection_close(cds_list_first_entry(&app->pending, struct app_connection, node));
}

/* Takes fd. */
static void connection_open(struct app_socket *app, int fd)
{
	struct app_connection *connection = calloc(1, sizeof(*connection));
	struct app_refusal refusal;

	if (!connection || socket_peer(fd, &connection->peer) != 0)
		goto fail;
	limit_pending(app, connection->peer.uid);
	connection->app = app;
	connection->fd = fd;
	connection->deadline_usec = daemon_now_usec() + REGISTER_USEC;
	if (sd_event_add_io(app->daemon->event, &connection->source, fd, EPOLLIN, on_connection,
			    connection) < 0)
		goto fail;
	sd_event_source_set_io_fd_own(connection->source, 1);
	cds_list_add_tail(&connection->node, &app->pending);
	if (app->nr_pending++ == 0)
		arm_timeout(app);

	if (!is_allowed(&connection->peer)) {
		app_refuse(&refusal, EPERM, "this daemon traces user %u's programs only",
			   geteuid());
		send_refusal(connection, &refusal);
		connection_close(connection);
		return;
	}
	/* Its message is most often there already. */
	connection_serve(connection);
	return;

fail:
	free(connection);
	close(fd);
}

static bool is_shortage(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM || error == -ENOBUFS;
}

/* Whoever waits to be accepted is told, rather than left waiting. */
static void refuse_waiting(struct app_socket *app, int reason)
{
	struct app_refusal refusal;
	int accepted;

	if (app->spare < 0)
		return;
	close(app->spare);
	while (socket_accept(app->fd, SOCK_NONBLOCK, &accepted) == 0) {
		struct app_connection connection = { .app = app, .fd = accepted };

		socket_peer(accepted, &connection.peer);
		app_refuse(&refusal, -reason, "%s: raise the limit of open files (ulimit -n)",
			   strerror(-reason));
		send_refusal(&connection, &refusal);
		close(accepted);
	}
	app->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int on_accept(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct app_socket *app = data;

	(void)revents;
	for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
		int accepted;
		int error = socket_accept(fd, SOCK_NONBLOCK, &accepted);

		if (error == -EAGAIN)
			break;
		if (is_shortage(error) && memory_pool_shrink(app->daemon->pool))
			continue;
		if (is_shortage(error)) {
			refuse_waiting(app, error);
			sd_event_source_set_enabled(source, SD_EVENT_OFF);
			sd_event_source_set_time(app->pause, daemon_now_usec() + ACCEPT_PAUSE_USEC);
			sd_event_source_set_enabled(app->pause, SD_EVENT_ONESHOT);
			break;
		}
		if (error == 0)
			connection_open(app, accepted);
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

static int add_timer(struct app_socket *app, sd_event_source **timer,
		     sd_event_time_handler_t handler)
{
	int error = sd_event_add_time(app->daemon->event, timer, CLOCK_MONOTONIC, UINT64_MAX, 0,
				      handler, app);

	return error < 0 ? error : sd_event_source_set_enabled(*timer, SD_EVENT_OFF);
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
	app->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CDS_INIT_LIST_HEAD(&app->pending);
	CDS_INIT_LIST_HEAD(&app->registered);
	error = add_timer(app, &app->pause, on_pause_over);
	if (error < 0)
		goto fail;
	error = add_timer(app, &app->timeout, on_timeout);
	if (error < 0)
		goto fail;
	error = listen_at(path, &app->fd);
	if (error)
		goto fail;
	error = sd_event_add_io(daemon->event, &app->source, app->fd, EPOLLIN, on_accept, app);
	if (error < 0)
		goto fail;
	*result = app;
	return 0;

fail:
	app_socket_destroy(app);
	return error;
}

void app_socket_destroy(struct app_socket *app)
{
	struct app_connection *connection, *next;

	if (!app)
		return;
	cds_list_for_each_entry_safe(connection, next, &app->pending, node)
		connection_close(connection);
	cds_list_for_each_entry_safe(connection, next, &app->registered, node)
		connection_close(connection);
	sd_event_source_disable_unref(app->source);
	sd_event_source_disable_unref(app->pause);
	sd_event_source_disable_unref(app->timeout);
	if (app->spare >= 0)
		close(app->spare);
	free(app);
}

int app_socket_restore(struct app_socket *app, struct process *process, int fd)
{
	struct app_connection *connection = calloc(1, sizeof(*connection));
	int error = connection ? socket_peer(fd, &connection->peer) : -ENOMEM;

	if (error == 0)
		error = sd_event_add_io(app->daemon->event, &connection->source, fd, EPOLLIN,
					on_connection, connection);
	if (error < 0) {
		process->record->socket = 0;
		close(fd);
		free(connection);
		return error;
	}
	sd_event_source_set_io_fd_own(connection->source, 1);
	connection->app = app;
	connection->fd = fd;
	connection->process = process;
	process->connection = connection;
	cds_list_add(&connection->node, &app->registered);
	return 0;
}

void app_socket_forget(struct process *process)
{
	if (process->connection)
		connection_close(process->connection);
}

uint64_t app_socket_refused(const struct app_socket *app)
{
	return app->refused;
}
