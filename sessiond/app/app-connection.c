/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/app/app-connection.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "common/base/socket.h"
#include "sessiond/app/app-message.h"
#include "sessiond/app/app-request.h"
#include "sessiond/app/app-socket.h"
#include "sessiond/base/close-untrusted.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "sessiond/base/peer.h"
#include "sessiond/base/pid-state.h"
#include "common/base/time.h"
#include "sessiond/quota/quota.h"
#include "sessiond/session/process.h"
#include "sessiond/session/untraced.h"
#include "sessiond/storage/saved-state.h"

/* For a program to ask; from then on it is for us to answer. */
#define REGISTER_USEC UINT64_C(4000000)
#define REGISTER_ACCURACY_USEC UINT64_C(100000)
/*
 * Connections that have not registered, of one user, or a quarter of its descriptors where
 * that is more: the oldest goes when there are more. PENDING_USERS: all users together have that
 * many times as many.
 */
#define PENDING_PER_USER_MIN 128u
#define PENDING_USERS 4u
/* Messages that are read of a process that has ended. */
#define LAST_WORDS_MAX 256u

struct app_connection {
	struct cds_list_head node;      /* in pending or registered */
	struct cds_list_head user_node; /* in the user's pending */
	struct run_entry entry;
	struct app_connections *all;
	struct quota_user *user;
	int fd;
	struct ucred peer;
	uint64_t deadline_usec;
	struct process *process; /* NULL: not registered */
	/* It asked for more, so it has read the answer to its registration. */
	bool has_answer;
	char name[NAME_PROGRAM_SIZE]; /* as its registration says; "": it sent none yet */
};

/* One message at a time is in hand, and this is the only thread. */
static _Alignas(8) char message[PROTOCOL_APP_MESSAGE_MAX];

/* The next message of the descriptor; it stays in the socket. Like socket_receive(). */
static ssize_t peek(int fd)
{
	return socket_receive(fd, message, sizeof(message), MSG_DONTWAIT | MSG_PEEK, NULL, NULL);
}

/*
 * Did another user's process send the next message? A forked child has its parent's socket, also
 * once it has given up its parent's user. The threads of a process have one number. A child of the
 * same user may speak for its parent: a child of vfork shares its parent's memory and requests.
 */
static bool is_foreign(const struct app_connection *connection, const struct ucred *sender)
{
	return sender->pid != connection->peer.pid && sender->uid != connection->peer.uid;
}

/* The connection's next message, as peek(), and who sent it. */
static ssize_t peek_from(const struct app_connection *connection, struct ucred *sender)
{
	*sender = connection->peer;
	return socket_peek(connection->fd, message, sizeof(message), sender);
}

/* ---- who is left out ----------------------------------------------------------- */

/* The name that a registration says. False: `bytes` is none. */
static bool read_name(const char *bytes, ssize_t size, char name[NAME_PROGRAM_SIZE])
{
	const struct protocol_app_register *request = (const void *)bytes;

	if (size < (ssize_t)sizeof(*request) || request->header.magic != PROTOCOL_APP_MAGIC ||
	    request->header.type != PROTOCOL_APP_REGISTER)
		return false;
	name_clean_program(request->procname, sizeof(request->procname), name);
	return true;
}

/* `name`: as it said; "": the process is asked for, as long as it lives. */
static void count_untraced(const struct app_connections *all, int fd, const struct ucred *peer,
			   const char *name, enum untraced_why why)
{
	struct untraced_process process = {
		.pid = (uint32_t)peer->pid,
		.uid = peer->uid,
		.gid = peer->gid,
		.identity = peer_identity(fd),
	};

	if (name[0])
		snprintf(process.name, sizeof(process.name), "%s", name);
	else
		pid_name(peer->pid, process.name);
	untraced_count(all->daemon->untraced, &process, why);
	if (why == UNTRACED_SHORT)
		app_socket_retry_soon(all->daemon->app);
}

static enum untraced_why why_refused(int error)
{
	return error == EMFILE || error == ENFILE ? UNTRACED_SHORT : UNTRACED_REFUSED;
}

/* Has its registration in `message`, if `is_asked`; else it is known by its pid alone. */
static bool is_ours(const struct app_connections *all, const struct ucred *peer, bool is_asked)
{
	const struct protocol_app_register *request = (const void *)message;

	return app_request_is_started_here(all->daemon, peer, is_asked ? request->parent : 0);
}

/*
 * It is closed, and is to be counted where it had asked for its registration: whoever sent that,
 * for nobody can ask any more where a process that has ended was started.
 */
static void count_unserved(struct app_connection *connection, enum untraced_why why)
{
	struct ucred sender;
	ssize_t size = peek_from(connection, &sender);

	if (!is_foreign(connection, &sender) && read_name(message, size, connection->name))
		count_untraced(connection->all, connection->fd, &connection->peer, connection->name,
			       why);
}

/* ---- lists --------------------------------------------------------------------- */

static void arm_timeout(struct app_connections *all)
{
	struct app_connection *oldest;

	if (cds_list_empty(&all->pending)) {
		sd_event_source_set_enabled(all->timeout, SD_EVENT_OFF);
		return;
	}
	oldest = cds_list_first_entry(&all->pending, struct app_connection, node);
	sd_event_source_set_time(all->timeout, oldest->deadline_usec);
	sd_event_source_set_enabled(all->timeout, SD_EVENT_ONESHOT);
}

static void pending_add(struct app_connection *connection)
{
	struct app_connections *all = connection->all;

	connection->deadline_usec = time_now_usec() + REGISTER_USEC;
	cds_list_add_tail(&connection->node, &all->pending);
	cds_list_add_tail(&connection->user_node, &connection->user->pending);
	connection->user->nr_pending++;
	if (all->nr_pending++ == 0)
		arm_timeout(all);
}

static void pending_remove(struct app_connection *connection)
{
	cds_list_del(&connection->node);
	cds_list_del(&connection->user_node);
	connection->user->nr_pending--;
	connection->all->nr_pending--;
}

/* Receives and handles one message. False if there was none, or if it is invalid. */
static bool take_message(int fd)
{
	if (!socket_is_refusing_fds() && socket_has_fds(fd))
		return false;
	return recv(fd, NULL, 0, MSG_DONTWAIT | MSG_TRUNC) > 0;
}

static struct app_request request_of(const struct app_connection *connection,
				     const struct ucred *sender)
{
	return (struct app_request){
		.daemon = connection->all->daemon,
		.fd = connection->fd,
		.peer = connection->peer,
		.sender = *sender,
		.user = connection->user,
		.process = connection->process,
	};
}

/* Logs at most a few lines about a peer that sends invalid messages. */
static void say_foreign(const struct app_connection *connection, const struct ucred *sender)
{
	struct quota_user *user = quota_user(connection->all->daemon->quota, sender->uid);
	char more[QUOTA_MORE_SIZE];

	if (quota_may_say(user, time_now_usec(), more))
		message_say("process %d of user %u used the socket of process %d: its message was "
			    "ignored%s",
			    sender->pid, sender->uid, connection->peer.pid, more);
}

/*
 * The next message, as of peek(), is another process's. It is not answered and has no effect on
 * the process that connected. 0: it is gone; else the connection is to be closed.
 */
static int serve_foreign(struct app_connection *connection, ssize_t size,
			 const struct ucred *sender)
{
	struct app_request request = request_of(connection, sender);

	if (size <= 0 || !app_request_serve_foreign(&request, message, (size_t)size)) {
		connection->all->foreign++;
		say_foreign(connection, sender);
	}
	return take_message(connection->fd) || size == 0 ? 0 : -EPERM;
}

/* Serves the last message of a process that does not wait for an answer. */
static void serve_last_words(struct app_connection *connection)
{
	for (unsigned int i = 0; i < LAST_WORDS_MAX; i++) {
		struct app_request request;
		struct ucred sender;
		ssize_t size = peek_from(connection, &sender);

		if (is_foreign(connection, &sender)) {
			if (serve_foreign(connection, size, &sender) != 0)
				return;
			continue;
		}
		request = request_of(connection, &sender);
		if (size <= 0 || !app_request_serve_last(&request, message, (size_t)size) ||
		    !take_message(connection->fd))
			return;
	}
}

static void connection_close(struct app_connection *connection)
{
	if (connection->process) {
		serve_last_words(connection);
		/* Before the number is another descriptor's. */
		connection->process->record->socket = 0;
		connection->process->connection = NULL;
		cds_list_del(&connection->node);
	} else {
		pending_remove(connection);
	}
	run_queue_remove(connection->all->daemon->run_queue, &connection->entry, connection->fd);
	close_untrusted(connection->fd);
	free(connection);
}

/* It hung up, or is not to be listened to any more. */
static void connection_end(struct app_connection *connection)
{
	struct process *process = connection->process;

	connection_close(connection);
	if (process && process_is_gone(process))
		process_reap(process);
	else if (process)
		process_hung_up(process);
}

static int on_timeout(sd_event_source *source, uint64_t usec, void *data)
{
	struct app_connections *all = data;
	struct app_connection *connection, *next;
	uint64_t now = time_now_usec();

	(void)source;
	(void)usec;
	cds_list_for_each_entry_safe(connection, next, &all->pending, node) {
		if (connection->deadline_usec > now)
			break;
		if (connection->entry.queued) {
			/* It waits for us. */
			connection->deadline_usec = now + REGISTER_USEC;
			cds_list_del(&connection->node);
			cds_list_add_tail(&connection->node, &all->pending);
			continue;
		}
		connection_close(connection);
	}
	arm_timeout(all);
	return 0;
}

static void find_most_pending(struct quota_user *user, void *data)
{
	struct quota_user **most = data;

	if (user->limited && user->nr_pending > (*most)->nr_pending)
		*most = user;
}

/*
 * Make room: one user cannot use up the places of the others. Root and the daemon's own
 * user could do worse; when five hundred of their programs start at once, all are served.
 */
static void limit_pending(struct app_connections *all, struct quota_user *user)
{
	uint64_t most = quota_limits(all->daemon->quota)->descriptors / 4;
	struct app_connection *oldest;

	if (!user->limited)
		return;
	if (most < PENDING_PER_USER_MIN)
		most = PENDING_PER_USER_MIN;
	if (user->nr_pending < most) {
		if (all->nr_pending < PENDING_USERS * most)
			return;
		quota_each(all->daemon->quota, find_most_pending, &user);
	}
	if (user->nr_pending == 0)
		return;
	oldest = cds_list_first_entry(&user->pending, struct app_connection, user_node);
	count_unserved(oldest, UNTRACED_REFUSED);
	connection_close(oldest);
}

/* ---- refusals ------------------------------------------------------------------ */

/* Logs at most a few lines about a user whose messages are refused. */
static void say_refusal(struct quota_user *user, const struct ucred *peer, const char *why)
{
	char more[QUOTA_MORE_SIZE];

	if (quota_may_say(user, time_now_usec(), more))
		message_say("process %d of user %u is not served: %s%s", peer->pid, peer->uid, why,
			    more);
}

/* The connection is closed next. */
static void send_refusal(int fd, struct quota_user *user, const struct ucred *peer,
			 const struct app_refusal *refusal)
{
	struct protocol_app_refused refused = {
		.header = { .magic = PROTOCOL_APP_MAGIC,
			    .major = PROTOCOL_APP_MAJOR,
			    .minor = PROTOCOL_APP_MINOR,
			    .type = PROTOCOL_APP_REFUSED,
			    .size = sizeof(refused) },
		.error = refusal->error,
	};

	/* A child whose parent is gone comes again at once, with classes. */
	if (refusal->error != ESTALE)
		say_refusal(user, peer,
			    refusal->error ? refusal->message : "it does not speak our protocol");
	if (refusal->error == 0)
		return;
	memcpy(refused.message, refusal->message, sizeof(refused.message));
	/* If the peer does not take the refusal, the daemon does not wait for it. */
	socket_send(fd, &refused, sizeof(refused), NULL, 0);
	/* A message left unread would take the refusal with it: none comes after these. */
	shutdown(fd, SHUT_RD);
	while (take_message(fd))
		continue;
}

void app_connection_refuse_short(struct app_connections *all, int fd, int error)
{
	struct ucred peer = { .pid = 0 };
	struct app_refusal refusal;
	char name[NAME_PROGRAM_SIZE] = "";

	all->refused++;
	socket_peer(fd, &peer);
	if (!is_ours(all, &peer, read_name(message, peek(fd), name))) {
		close_untrusted(fd);
		return;
	}
	count_untraced(all, fd, &peer, name, UNTRACED_SHORT);
	app_refuse(&refusal, -error, "%s: raise the limit of open files (ulimit -n)",
		   strerror(-error));
	send_refusal(fd, quota_user(all->daemon->quota, peer.uid), &peer, &refusal);
	close_untrusted(fd);
}

/* ---- serving ------------------------------------------------------------------- */

static bool peer_is_alive(const struct app_connection *connection)
{
	int pidfd = peer_open_pidfd(connection->fd, &connection->peer);

	if (pidfd < 0)
		return false;
	close(pidfd);
	return true;
}

static int listen_to(struct app_connection *connection)
{
	return run_queue_watch(connection->all->daemon->run_queue, &connection->entry,
			       connection->fd);
}

/* A message of `size` bytes, still in the socket. Like connection_serve(). */
static int serve_message(struct app_connection *connection, const struct ucred *sender,
			 const char *bytes, size_t size, struct app_refusal *refusal)
{
	struct app_request request = request_of(connection, sender);
	int error = app_request_serve(&request, bytes, size, refusal);

	connection->has_answer = connection->process != NULL;
	if (!connection->process && request.process) {
		untraced_forget(connection->all->daemon->untraced, request.process->pid,
				peer_identity_of(request.process->pidfd));
		pending_remove(connection);
		cds_list_add(&connection->node, &connection->all->registered);
		connection->process = request.process;
		connection->process->connection = connection;
	}
	return error;
}

/* Nobody is there any more to be answered. */
static bool has_hung_up(int fd)
{
	struct pollfd end = { .fd = fd, .events = 0 };

	return poll(&end, 1, 0) > 0 && end.revents & POLLHUP;
}

/* 0: go on; else it is to be closed, and *refusal may say why. */
static int connection_serve(struct app_connection *connection, struct app_refusal *refusal)
{
	/*
	 * It stays in the socket until it was answered: where the daemon is killed
	 * meanwhile, the restarted daemon finds it there.
	 */
	struct ucred sender;
	ssize_t size = peek_from(connection, &sender);
	int error = (int)size;

	if (size == -EAGAIN)
		return 0;
	if (is_foreign(connection, &sender))
		return serve_foreign(connection, size, &sender);
	if (!connection->process && read_name(message, size, connection->name) &&
	    has_hung_up(connection->fd))
		return -EPIPE;
	if (size == -EMSGSIZE)
		app_refuse(refusal, EMSGSIZE, "a message is larger than %u bytes",
			   PROTOCOL_APP_MESSAGE_MAX);
	else if (size > 0)
		error = serve_message(connection, &sender, message, (size_t)size, refusal);
	if (size > 0 || size == -EMSGSIZE)
		take_message(connection->fd);
	return size == 0 ? -ENOTCONN : error;
}

/* An answer was not read: where it was the first one, the process knows nothing of its rings. */
static void count_unread(struct app_connection *connection)
{
	if (connection->process && connection->has_answer)
		return;
	connection->all->unanswered++;
	count_untraced(connection->all, connection->fd, &connection->peer, connection->name,
		       UNTRACED_LATE);
}

/*
 * An answer was not read. A process that was killed meanwhile lost nothing by it, but looks
 * the same as one that did not wait, went on untraced, and has ended since.
 */
static void say_unread(struct app_connection *connection)
{
	/* The summary of `record` names it. */
	if (connection->all->daemon->options->private_instance)
		return;
	say_refusal(connection->user, &connection->peer,
		    peer_is_alive(connection)
			    ? "it did not wait for an answer: where that was its registration, its "
			      "events are not recorded. Is the machine overloaded?"
			    : "it has ended, and did not wait for an answer: where that was its "
			      "registration, and nobody killed it, its events are not recorded. Is "
			      "the machine overloaded?");
}

static bool is_unread(int error)
{
	/* ESRCH: it had ended before it could be registered. */
	return error == -EPIPE || error == -ECONNRESET || error == -ESRCH;
}

static void on_entry(struct run_entry *entry)
{
	struct app_connection *connection = caa_container_of(entry, struct app_connection, entry);
	struct app_refusal refusal = { .error = 0 };
	int error = connection_serve(connection, &refusal);

	if (error == 0)
		error = listen_to(connection);
	if (error >= 0)
		return;
	if (refusal.error || error == -EPROTO) {
		if (!connection->process && refusal.error != ESTALE) {
			connection->all->refused++;
			count_untraced(connection->all, connection->fd, &connection->peer,
				       connection->name, why_refused(refusal.error));
		}
		send_refusal(connection->fd, connection->user, &connection->peer, &refusal);
	}
	if (is_unread(error)) {
		count_unread(connection);
		say_unread(connection);
	}
	connection_end(connection);
}

/* ---- opening ------------------------------------------------------------------- */

static bool is_allowed(const struct ucred *peer)
{
	return geteuid() == 0 || peer->uid == 0 || peer->uid == geteuid();
}

/* 0, or why it is not listened to. */
static int admit(struct app_connections *all, struct quota_user *user, const struct ucred *peer,
		 struct app_refusal *refusal)
{
	if (!is_allowed(peer)) {
		app_refuse(refusal, EPERM, "this daemon traces user %u's programs only", geteuid());
		return -EPERM;
	}
	if (quota_take_connection(user, time_now_usec()) != 0) {
		app_refuse(refusal, EAGAIN, "user %u connects more than %llu times a second",
			   user->uid,
			   (unsigned long long)quota_limits(all->daemon->quota)->connections);
		return -EAGAIN;
	}
	return 0;
}

static void connection_init(struct app_connection *connection, struct app_connections *all,
			    struct quota_user *user, int fd)
{
	connection->all = all;
	connection->user = user;
	connection->fd = fd;
	connection->entry.serve = on_entry;
	connection->entry.user = user;
	connection->entry.cost = 1;
}

void app_connection_open(struct app_connections *all, int fd)
{
	struct app_connection *connection;
	struct app_refusal refusal;
	struct quota_user *user;
	struct ucred peer;

	if (socket_peer(fd, &peer) != 0)
		goto close_fd;
	user = quota_user(all->daemon->quota, peer.uid);
	if (!user)
		goto close_fd;
	if (admit(all, user, &peer, &refusal) != 0) {
		char name[NAME_PROGRAM_SIZE] = "";

		all->refused++;
		if (!is_ours(all, &peer, read_name(message, peek(fd), name)))
			goto close_fd;
		count_untraced(all, fd, &peer, name, UNTRACED_REFUSED);
		send_refusal(fd, user, &peer, &refusal);
		goto close_fd;
	}
	limit_pending(all, user);
	connection = calloc(1, sizeof(*connection));
	if (!connection)
		goto close_fd;
	connection->peer = peer;
	connection_init(connection, all, user, fd);
	pending_add(connection);
	/* Its message is most often there already. */
	run_queue_add(all->daemon->run_queue, &connection->entry);
	return;

close_fd:
	close_untrusted(fd);
}

int app_connection_restore(struct app_connections *all, struct process *process, int fd)
{
	struct app_connection *connection = calloc(1, sizeof(*connection));
	int error = connection ? socket_peer(fd, &connection->peer) : -ENOMEM;

	if (error == 0)
		error = socket_pass_sender(fd);
	if (error == 0) {
		connection_init(connection, all,
				quota_user(all->daemon->quota, connection->peer.uid), fd);
		error = connection->user ? listen_to(connection) : -ENOMEM;
	}
	if (error < 0) {
		process->record->socket = 0;
		close_untrusted(fd);
		free(connection);
		return error;
	}
	connection->process = process;
	/* Not known; most have it. */
	connection->has_answer = true;
	process->connection = connection;
	cds_list_add(&connection->node, &all->registered);
	return 0;
}

void app_connection_close(struct process *process)
{
	struct app_connection *connection = process->connection;
	socklen_t size = sizeof(int);
	int error = 0;

	if (!connection)
		return;
	/* Its end is noticed before its hanging up is, or after. */
	if (getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 &&
	    is_unread(-error)) {
		count_unread(connection);
		say_unread(connection);
	}
	connection_close(connection);
}

/* Serves the only message of a process that executes another program. False: it is none. */
static bool serve_executed(struct app_connection *connection)
{
	const struct protocol_app_header *header = (const void *)message;
	struct app_refusal refusal = { .error = 0 };

	if (peek(connection->fd) < (ssize_t)sizeof(*header) ||
	    header->magic != PROTOCOL_APP_MAGIC || header->type != PROTOCOL_APP_EXECUTED)
		return false;
	connection_serve(connection, &refusal);
	connection_end(connection);
	return true;
}

void app_connections_settle(struct app_connections *all)
{
	struct app_connection *connection, *next;

	cds_list_for_each_entry_safe(connection, next, &all->pending, node) {
		if (serve_executed(connection))
			continue;
		count_unserved(connection, UNTRACED_LATE);
		if (has_hung_up(connection->fd))
			connection_close(connection);
	}
	/* Last words that nobody has read yet. */
	cds_list_for_each_entry_safe(connection, next, &all->registered, node) {
		if (has_hung_up(connection->fd))
			connection_end(connection);
	}
}

int app_connections_init(struct app_connections *all, struct daemon *daemon)
{
	int error;

	*all = (struct app_connections){ .daemon = daemon };
	CDS_INIT_LIST_HEAD(&all->pending);
	CDS_INIT_LIST_HEAD(&all->registered);
	error = sd_event_add_time(daemon->event, &all->timeout, CLOCK_MONOTONIC, UINT64_MAX,
				  REGISTER_ACCURACY_USEC, on_timeout, all);
	return error < 0 ? error : sd_event_source_set_enabled(all->timeout, SD_EVENT_OFF);
}

void app_connections_fini(struct app_connections *all)
{
	struct app_connection *connection, *next;

	cds_list_for_each_entry_safe(connection, next, &all->pending, node)
		connection_close(connection);
	cds_list_for_each_entry_safe(connection, next, &all->registered, node)
		connection_close(connection);
	sd_event_source_disable_unref(all->timeout);
}
