/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-socket.c - the mediator that needs no privilege: plain files announce
 * rings, requests travel as messages (common/protocol/protocol-ring.h).
 *
 * All but the channels' directories is the ring thread's alone (and the main
 * thread's while no loop runs: create, destroy), so nothing here is locked.
 *
 * A reader is not trusted more than a process is: each message is checked,
 * a bad one closes its connection and no other, and a reader that does not
 * take its answers is closed rather than waited for.
 */
#include "sessiond/mediator/mediator.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <urcu/list.h>

#include "common/protocol/protocol-ring.h"
#include "common/base/socket.h"
#include "sessiond/mediator/ring-dirs.h"

#define BACKLOG 64
/* A connection must attach within this time: idle strangers must not use up descriptors. */
#define ATTACH_TIMEOUT_US (4 * UINT64_C(1000000))
/* Nor so many at once; the oldest goes. */
#define UNATTACHED_MAX 128u
/* Without a free descriptor accepting would fail, and be asked for, again and again. */
#define ACCEPT_PAUSE_US UINT64_C(100000)
#define TIMER_ACCURACY_US UINT64_C(100000)
/* Requests served in one turn of the loop, for the others' sake. */
#define REQUESTS_PER_TURN 16

struct mediator {
	struct ring_dirs *dirs;
	sd_event *loop;
	sd_event_source *listen_source;
	sd_event_source *pause_timer; /* NULL until needed */
	struct cds_list_head rings;
	struct cds_list_head connections; /* newest first */
	unsigned int nr_unattached;
	int listen_fd;
	struct sockaddr_un address; /* path empty: nothing to unlink */
};

struct announced_ring {
	struct cds_list_head node;
	struct ring_set *set;
	struct connection *reader; /* or NULL */
};

struct connection {
	struct cds_list_head node;
	struct mediator *mediator;
	sd_event_source *source;       /* owns the descriptor */
	sd_event_source *attach_timer; /* NULL once attached */
	struct announced_ring *ring;   /* NULL before attaching and after withdrawal */
	bool attached;
	bool waiting;    /* told that there was nothing: wants READY */
	bool ready_said; /* and it has not asked since */
};

/* ---- connections ------------------------------------------------------------ */

static void connection_detach(struct connection *connection)
{
	if (!connection->ring)
		return;
	ring_set_close_reader(connection->ring->set);
	connection->ring->reader = NULL;
	connection->ring = NULL;
}

static void connection_close(struct connection *connection)
{
	connection_detach(connection);
	if (!connection->attached)
		connection->mediator->nr_unattached--;
	sd_event_source_disable_unref(connection->source);
	sd_event_source_disable_unref(connection->attach_timer);
	cds_list_del(&connection->node);
	free(connection);
}

/*
 * Never waits: -ENOBUFS is a reader that does not read. Behind it go `nr_more` packets;
 * `passed` may be -1.
 */
static int send_packets(struct connection *connection, struct protocol_ring_message *message,
			const struct lttngmap_packet *more, size_t nr_more, int passed)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = { 0 } };
	struct iovec parts[] = {
		{ .iov_base = message, .iov_len = sizeof(*message) },
		{ .iov_base = (void *)more, .iov_len = nr_more * sizeof(*more) },
	};
	struct msghdr header = { .msg_iov = parts, .msg_iovlen = nr_more ? 2 : 1 };

	message->magic = PROTOCOL_RING_MAGIC;
	message->version = PROTOCOL_RING_VERSION;
	if (passed >= 0) {
		header.msg_control = control.bytes;
		header.msg_controllen = sizeof(control.bytes);
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.align), &passed, sizeof(int));
	}
	if (sendmsg(sd_event_source_get_io_fd(connection->source), &header,
		    MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return errno == EAGAIN ? -ENOBUFS : -errno;
	return 0;
}

static int send_message(struct connection *connection, struct protocol_ring_message *message,
			int passed)
{
	return send_packets(connection, message, NULL, 0, passed);
}

static int say_ready(struct connection *connection)
{
	struct protocol_ring_message message = { .type = PROTOCOL_RING_READY };

	connection->waiting = false;
	connection->ready_said = true;
	return send_message(connection, &message, -1);
}

/* May free the connection. */
static void say_ready_or_close(struct connection *connection)
{
	if (say_ready(connection) < 0)
		connection_close(connection);
}

/* ---- requests ---------------------------------------------------------------- */

/* A descriptor of the ring's memory that cannot write. */
static int open_memory(const struct ring_set *set)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", ring_set_data_fd(set));
	/* O_NONBLOCK: a process of the daemon's own user could have a lease on it (F_SETLEASE). */
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static struct announced_ring *find_ring(uint64_t id)
{
	struct announced_ring *ring = NULL;
	struct ring_set *set = ring_set_lookup(id);

	/* The announcement has a reference of its own, as long as it stands. */
	if (set)
		ring = ring_set_mediator_data(set);
	ring_set_put(set);
	return ring;
}

static int attach(struct connection *connection, uint64_t id, uint64_t *size)
{
	struct announced_ring *ring = find_ring(id);
	int error, fd;

	if (!ring)
		return -ENODATA;
	error = ring_set_open_reader(ring->set);
	if (error)
		return error;
	fd = open_memory(ring->set);
	if (fd < 0) {
		ring_set_close_reader(ring->set);
		return fd;
	}
	*size = ring_set_data_size(ring->set);
	ring->reader = connection;
	connection->ring = ring;
	connection->attached = true;
	connection->mediator->nr_unattached--;
	connection->attach_timer = sd_event_source_disable_unref(connection->attach_timer);
	/* It may poll before it asks, as it may on a file. */
	connection->waiting = true;
	return fd;
}

static int answer_attach(struct connection *connection, struct protocol_ring_message *message)
{
	int error, fd;

	if (connection->attached)
		return -EPROTO;
	fd = attach(connection, message->ring, &message->size);
	message->error = fd < 0 ? fd : 0;
	error = send_message(connection, message, fd);
	if (fd >= 0)
		close(fd);
	if (!error && connection->ring && ring_set_poll(connection->ring->set))
		error = say_ready(connection);
	return error;
}

static int answer_get(struct connection *connection, struct protocol_ring_message *message)
{
	struct ring_set *set;
	int result;

	connection->ready_said = false;
	connection->waiting = false;
	if (!connection->ring) {
		message->error = -ENODATA;
		return send_message(connection, message, -1);
	}
	set = connection->ring->set;
	if (message->type == PROTOCOL_RING_GET_PACKET) {
		result = ring_set_get_packet(set, &message->packet);
		connection->waiting = result == -EAGAIN;
	} else {
		result = ring_set_get_reader(set);
		connection->waiting = result == 0;
	}
	message->error = result < 0 ? result : 0;
	return send_message(connection, message, -1);
}

static int answer_get_packets(struct connection *connection, struct protocol_ring_message *message)
{
	struct lttngmap_packets packets = {
		.count = message->size <= LTTNGMAP_PACKETS_MAX ? (uint32_t)message->size : 0,
		.packets = { message->packet },
	};
	size_t nr_more = 0;
	int result = -ENODATA;

	connection->ready_said = false;
	if (connection->ring)
		result = ring_set_get_packets(connection->ring->set, &packets);
	connection->waiting = result == -EAGAIN;
	if (result == 0) {
		message->packet = packets.packets[0];
		message->size = packets.count;
		nr_more = packets.count - 1;
	}
	message->error = result;
	return send_packets(connection, message, packets.packets + 1, nr_more, -1);
}

static int answer_check(struct connection *connection, struct protocol_ring_message *message)
{
	int error;

	message->error = connection->ring ? ring_set_check_packet(connection->ring->set) : -ENODATA;
	error = send_message(connection, message, -1);
	/* The reader skipped a READY that it found before this answer. */
	if (!error && connection->ready_said)
		error = say_ready(connection);
	return error;
}

/* 0, or -errno: the connection is to be closed. */
static int answer(struct connection *connection, struct protocol_ring_message *message)
{
	if (message->type == PROTOCOL_RING_ATTACH)
		return answer_attach(connection, message);
	if (!connection->attached)
		return -EPROTO;
	switch (message->type) {
	case PROTOCOL_RING_GET_PACKET:
	case PROTOCOL_RING_GET_READER:
		return answer_get(connection, message);
	case PROTOCOL_RING_GET_PACKETS:
		return answer_get_packets(connection, message);
	case PROTOCOL_RING_CHECK_PACKET:
		return answer_check(connection, message);
	default:
		return -EPROTO;
	}
}

/* 0, -EAGAIN when there is none, another -errno to close the connection. */
static int serve_one(struct connection *connection, int fd)
{
	struct protocol_ring_message message;
	struct iovec part = { .iov_base = &message, .iov_len = sizeof(message) };
	/* No room for descriptors: the kernel drops those that somebody sends. */
	struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t received = recvmsg(fd, &header, MSG_DONTWAIT);

	if (received < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	if (received != sizeof(message) || header.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ||
	    message.magic != PROTOCOL_RING_MAGIC || message.version != PROTOCOL_RING_VERSION)
		return -EPROTO;
	return answer(connection, &message);
}

static int on_request(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct connection *connection = data;
	int error = 0, turn;

	(void)source;
	for (turn = 0; turn < REQUESTS_PER_TURN && !error; turn++)
		error = serve_one(connection, fd);
	/* A hang-up closes only after what was sent before it. */
	if (error == -EAGAIN && !(revents & (EPOLLHUP | EPOLLERR)))
		error = 0;
	if (error)
		connection_close(connection);
	return 0;
}

static int on_attach_timeout(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	connection_close(data);
	return 0;
}

/* ---- accepting ----------------------------------------------------------------- */

static int check_peer(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0)
		return -errno;
	return peer.uid == geteuid() || peer.uid == 0 ? 0 : -EPERM;
}

static void close_oldest_unattached(struct mediator *mediator)
{
	struct connection *connection;

	cds_list_for_each_entry_reverse(connection, &mediator->connections, node)
	{
		if (connection->attached)
			continue;
		connection_close(connection);
		return;
	}
}

/* Takes ownership of the descriptor, also on failure. */
static int connection_create(struct mediator *mediator, int fd)
{
	struct connection *connection = calloc(1, sizeof(*connection));
	int error = connection ? check_peer(fd) : -ENOMEM;

	if (!error)
		error = sd_event_add_io(mediator->loop, &connection->source, fd, EPOLLIN,
					on_request, connection);
	if (error < 0) {
		close(fd);
		free(connection);
		return error;
	}
	sd_event_source_set_io_fd_own(connection->source, true);
	if (mediator->nr_unattached >= UNATTACHED_MAX)
		close_oldest_unattached(mediator);
	connection->mediator = mediator;
	mediator->nr_unattached++;
	cds_list_add(&connection->node, &mediator->connections);
	error = sd_event_add_time_relative(mediator->loop, &connection->attach_timer,
					   CLOCK_MONOTONIC, ATTACH_TIMEOUT_US, TIMER_ACCURACY_US,
					   on_attach_timeout, connection);
	if (error < 0)
		connection_close(connection);
	return error < 0 ? error : 0;
}

static int on_pause_end(sd_event_source *source, uint64_t usec, void *data)
{
	struct mediator *mediator = data;

	(void)source;
	(void)usec;
	return sd_event_source_set_enabled(mediator->listen_source, SD_EVENT_ON);
}

static int pause_accepting(struct mediator *mediator)
{
	int error;

	mediator->pause_timer = sd_event_source_disable_unref(mediator->pause_timer);
	error = sd_event_add_time_relative(mediator->loop, &mediator->pause_timer, CLOCK_MONOTONIC,
					   ACCEPT_PAUSE_US, TIMER_ACCURACY_US, on_pause_end,
					   mediator);
	if (error < 0)
		return error;
	return sd_event_source_set_enabled(mediator->listen_source, SD_EVENT_OFF);
}

static int on_connect(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct mediator *mediator = data;
	int accepted = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)source;
	(void)revents;
	if (accepted >= 0) {
		/* A refused peer sees its connection closed; other connections are not affected. */
		(void)connection_create(mediator, accepted);
		return 0;
	}
	if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
		return pause_accepting(mediator);
	return 0;
}

/* ---- the mediator's operations --------------------------------------------------- */

static void release_ring(struct announced_ring *ring)
{
	ring_set_set_mediator_data(ring->set, NULL);
	cds_list_del(&ring->node);
	ring_set_put(ring->set);
	free(ring);
}

static void ring_socket_destroy(struct mediator *mediator)
{
	struct connection *connection, *next_connection;
	struct announced_ring *ring, *next_ring;

	if (!mediator)
		return;
	cds_list_for_each_entry_safe(connection, next_connection, &mediator->connections, node)
		connection_close(connection);
	cds_list_for_each_entry_safe(ring, next_ring, &mediator->rings, node) {
		ring_dirs_remove_file(mediator->dirs, ring_set_session(ring->set),
				      ring_set_channel(ring->set), ring_set_file_name(ring->set));
		release_ring(ring);
	}
	if (mediator->dirs)
		ring_dirs_remove_all(mediator->dirs);
	ring_dirs_destroy(mediator->dirs);
	sd_event_source_disable_unref(mediator->pause_timer);
	sd_event_source_disable_unref(mediator->listen_source);
	sd_event_unref(mediator->loop);
	if (mediator->listen_fd >= 0)
		close(mediator->listen_fd);
	if (mediator->address.sun_path[0])
		unlink(mediator->address.sun_path);
	free(mediator);
}

static int listen_at(struct mediator *mediator, const char *runtime_dir)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int length = snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", runtime_dir,
			      PROTOCOL_RING_SOCKET);

	if (length >= (int)sizeof(address.sun_path))
		return -ENAMETOOLONG;
	mediator->listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (mediator->listen_fd < 0)
		return -errno;
	socket_refuse_fds(mediator->listen_fd);
	/* The runtime directory is this daemon's alone: what is there is a dead one's. */
	if (unlink(address.sun_path) < 0 && errno != ENOENT)
		return -errno;
	if (bind(mediator->listen_fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	mediator->address = address;
	if (chmod(address.sun_path, 0600) < 0 || listen(mediator->listen_fd, BACKLOG) < 0)
		return -errno;
	return sd_event_add_io(mediator->loop, &mediator->listen_source, mediator->listen_fd,
			       EPOLLIN, on_connect, mediator);
}

static int ring_socket_create(const char *runtime_dir, const char *rings_dir, sd_event *ring_loop,
			      struct mediator **result, const char **why)
{
	struct mediator *mediator = calloc(1, sizeof(*mediator));
	int error;

	*result = NULL;
	*why = "";
	if (!mediator)
		return -ENOMEM;
	CDS_INIT_LIST_HEAD(&mediator->rings);
	CDS_INIT_LIST_HEAD(&mediator->connections);
	mediator->listen_fd = -1;
	mediator->loop = sd_event_ref(ring_loop);
	error = ring_dirs_create(rings_dir, &mediator->dirs);
	if (!error)
		error = listen_at(mediator, runtime_dir);
	if (error < 0) {
		*why = "the socket ring.sock cannot be made in the runtime directory";
		ring_socket_destroy(mediator);
		return error;
	}
	*result = mediator;
	return 0;
}

static int ring_socket_add_channel(struct mediator *mediator, const char *session,
				   const char *channel)
{
	return ring_dirs_add_channel(mediator->dirs, session, channel);
}

static void ring_socket_remove_channel(struct mediator *mediator, const char *session,
				       const char *channel)
{
	ring_dirs_remove_channel(mediator->dirs, session, channel);
}

static int write_announcement(const struct mediator *mediator, const struct ring_set *set,
			      const char *path)
{
	char text[256];
	int length = snprintf(text, sizeof(text), "%s%llu\n%s\n", PROTOCOL_RING_ANNOUNCEMENT,
			      (unsigned long long)ring_set_id(set), mediator->address.sun_path);
	int error = 0, fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
	ssize_t written;

	if (fd < 0)
		return -errno;
	written = write(fd, text, length);
	if (written != length)
		error = written < 0 ? -errno : -ENOSPC;
	if (close(fd) < 0 && !error)
		error = -errno;
	if (error)
		unlink(path);
	return error;
}

/* Written under a hidden name first: whoever is told of the file finds all of it. */
static int make_announcement(const struct mediator *mediator, const struct ring_set *set)
{
	const char *session = ring_set_session(set), *channel = ring_set_channel(set);
	char path[PATH_MAX], hidden[PATH_MAX];
	int error;

	error = ring_dirs_path(mediator->dirs, session, channel, "", ring_set_file_name(set), path);
	if (!error)
		error = ring_dirs_path(mediator->dirs, session, channel, ".",
				       ring_set_file_name(set), hidden);
	if (!error)
		error = write_announcement(mediator, set, hidden);
	if (!error && rename(hidden, path) < 0) {
		error = -errno;
		unlink(hidden);
	}
	return error;
}

static int ring_socket_announce(struct mediator *mediator, struct ring_set *set)
{
	struct announced_ring *ring = calloc(1, sizeof(*ring));
	int error;

	if (!ring)
		return -ENOMEM;
	/* Before the file is there: a reader may come at once. */
	ring->set = ring_set_get(set);
	cds_list_add(&ring->node, &mediator->rings);
	ring_set_set_mediator_data(set, ring);
	error = make_announcement(mediator, set);
	if (error)
		release_ring(ring);
	return error;
}

static void ring_socket_notify(struct mediator *mediator, struct ring_set *set)
{
	struct announced_ring *ring = ring_set_mediator_data(set);

	(void)mediator;
	if (ring && ring->reader && ring->reader->waiting && ring_set_poll(set))
		say_ready_or_close(ring->reader);
}

static void ring_socket_withdraw(struct mediator *mediator, struct ring_set *set)
{
	struct announced_ring *ring = ring_set_mediator_data(set);
	struct connection *reader;

	if (!ring)
		return;
	ring_dirs_remove_file(mediator->dirs, ring_set_session(set), ring_set_channel(set),
			      ring_set_file_name(set));
	reader = ring->reader;
	if (reader) {
		connection_detach(reader);
		say_ready_or_close(reader);
	}
	release_ring(ring);
}

const struct mediator_ops ring_socket_mediator = {
	.name = "ring-socket",
	.create = ring_socket_create,
	.destroy = ring_socket_destroy,
	.add_channel = ring_socket_add_channel,
	.remove_channel = ring_socket_remove_channel,
	.announce = ring_socket_announce,
	.notify = ring_socket_notify,
	.withdraw = ring_socket_withdraw,
};
