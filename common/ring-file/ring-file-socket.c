/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The transport of ring-socket: an announcement names a socket, requests are
 * messages on it (common/protocol/protocol-ring.h).
 *
 * READY messages that lie before an answer are skipped: the daemon computed
 * the answer after it sent them, and says READY again after the answer where
 * that answer did not answer what READY was about.
 */
#include "common/ring-file/ring-file-transport.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/map-guard.h"
#include "common/protocol/protocol-ring.h"

/* A daemon that says nothing for so long is taken for dead. */
#define ANSWER_TIMEOUT_S 5
/* The prefix, an id, and a path that fits into a socket address. */
#define ANNOUNCEMENT_MAX 256

/*
 * No answer can be told from the next request's any more: hang up, so that
 * every later call fails and poll says POLLHUP.
 */
static int give_up(int fd, int error)
{
	shutdown(fd, SHUT_RDWR);
	return error;
}

static int send_request(int fd, const struct protocol_ring_message *request)
{
	ssize_t sent;

	do
		sent = send(fd, request, sizeof(*request), MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent == sizeof(*request))
		return 0;
	if (sent < 0 && (errno == EPIPE || errno == ECONNRESET))
		return -ENOTCONN;
	return give_up(fd, sent < 0 && errno != EAGAIN ? -errno : -ETIMEDOUT);
}

/* The size of an answer of that kind. */
static size_t size_of(const struct protocol_ring_message *message)
{
	size_t more = 0;

	if (message->type == PROTOCOL_RING_GET_PACKETS && !message->error && message->size > 1 &&
	    message->size <= LTTNGMAP_PACKETS_MAX)
		more = message->size - 1;
	return sizeof(*message) + more * sizeof(message->packet);
}

/*
 * One message, what of an answer is behind it, and the descriptor that came along or -1.
 * `more` has room for LTTNGMAP_PACKETS_MAX - 1, or is NULL.
 */
static int receive_message(int fd, struct protocol_ring_message *message,
			   struct lttngmap_packet *more, int *passed)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec parts[] = {
		{ .iov_base = message, .iov_len = sizeof(*message) },
		{ .iov_base = more, .iov_len = (LTTNGMAP_PACKETS_MAX - 1) * sizeof(*more) },
	};
	struct msghdr header = {
		.msg_iov = parts,
		.msg_iovlen = more ? 2 : 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	const struct cmsghdr *first;
	ssize_t received;

	*passed = -1;
	do
		received = recvmsg(fd, &header, MSG_CMSG_CLOEXEC);
	while (received < 0 && errno == EINTR);
	if (received == 0 || (received < 0 && errno == ECONNRESET))
		return -ENOTCONN;
	if (received < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	first = CMSG_FIRSTHDR(&header);
	if (first && first->cmsg_level == SOL_SOCKET && first->cmsg_type == SCM_RIGHTS &&
	    first->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(passed, CMSG_DATA(first), sizeof(int));
	if (received < (ssize_t)sizeof(*message) || (size_t)received != size_of(message) ||
	    header.msg_flags & (MSG_TRUNC | MSG_CTRUNC) || message->magic != PROTOCOL_RING_MAGIC ||
	    message->version != PROTOCOL_RING_VERSION || message->error > 0)
		return -EPROTO;
	return 0;
}

/*
 * Send `message` and put its answer in its place, and behind it into `more`. `passed` may be
 * NULL where no descriptor is expected, and `more` where only one packet is.
 */
static int exchange_more(int fd, struct protocol_ring_message *message,
			 struct lttngmap_packet *more, int *passed)
{
	uint32_t type = message->type;
	int error, received_fd;

	message->magic = PROTOCOL_RING_MAGIC;
	message->version = PROTOCOL_RING_VERSION;
	error = send_request(fd, message);
	if (error)
		return error;
	do {
		error = receive_message(fd, message, more, &received_fd);
		if (!error && message->type != type && message->type != PROTOCOL_RING_READY)
			error = -EPROTO;
		if (received_fd >= 0 && (error || !passed || message->type != type)) {
			close(received_fd);
			received_fd = -1;
		}
		if (error)
			return give_up(fd, error);
	} while (message->type != type);
	if (passed)
		*passed = received_fd;
	return message->error;
}

static int exchange(int fd, struct protocol_ring_message *message, int *passed)
{
	return exchange_more(fd, message, NULL, passed);
}

static int get_packet(struct lttngmap_ring_file *file, struct lttngmap_packet *packet)
{
	struct protocol_ring_message message = {
		.type = PROTOCOL_RING_GET_PACKET,
		.packet = *packet,
	};
	int error = exchange(file->fd, &message, NULL);

	if (!error)
		*packet = message.packet;
	return error;
}

static int get_packets(struct lttngmap_ring_file *file, struct lttngmap_packets *packets)
{
	struct protocol_ring_message message = {
		.type = PROTOCOL_RING_GET_PACKETS,
		.size = packets->count,
		.packet = packets->packets[0],
	};
	int error = exchange_more(file->fd, &message, packets->packets + 1, NULL);

	if (error)
		return error;
	packets->packets[0] = message.packet;
	packets->count = message.size <= LTTNGMAP_PACKETS_MAX ? (uint32_t)message.size : 0;
	return 0;
}

static int check_packet(struct lttngmap_ring_file *file)
{
	struct protocol_ring_message message = { .type = PROTOCOL_RING_CHECK_PACKET };

	return exchange(file->fd, &message, NULL);
}

static int get_reader(struct lttngmap_ring_file *file)
{
	struct protocol_ring_message message = { .type = PROTOCOL_RING_GET_READER };

	return exchange(file->fd, &message, NULL);
}

static const struct ring_file_transport transport = {
	.get_packet = get_packet,
	.get_packets = get_packets,
	.check_packet = check_packet,
	.get_reader = get_reader,
};

/* The two lines of an announcement, to the letter; -ENODEV for anything else. */
static int parse_announcement(int fd, uint64_t *ring, struct sockaddr_un *address)
{
	static const char prefix[] = PROTOCOL_RING_ANNOUNCEMENT;
	char text[ANNOUNCEMENT_MAX], *path, *end;
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);

	if (length < 0)
		return -errno;
	text[length] = '\0';
	if (strncmp(text, prefix, sizeof(prefix) - 1) != 0 || strlen(text) != (size_t)length)
		return -ENODEV;
	path = text + sizeof(prefix) - 1;
	if (*path < '0' || *path > '9')
		return -ENODEV;
	errno = 0;
	*ring = strtoull(path, &path, 10);
	if (errno || path[0] != '\n' || path[1] != '/')
		return -ENODEV;
	path++;
	end = strchr(path, '\n');
	if (!end || end[1] != '\0' || (size_t)(end - path) >= sizeof(address->sun_path))
		return -ENODEV;
	*end = '\0';
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(address->sun_path, path, end - path);
	return 0;
}

/* The listener must be the user who wrote the announcement, or root. */
static int check_server(int fd, uid_t owner)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0)
		return -errno;
	return peer.uid == owner || peer.uid == 0 ? 0 : -EPERM;
}

static int connect_server(const struct sockaddr_un *address, uid_t owner)
{
	const struct timeval timeout = { .tv_sec = ANSWER_TIMEOUT_S };
	int error, fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	/* The send time-out also bounds connect, while the backlog is full. */
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) < 0)
		error = -errno;
	else if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0)
		error = errno == EAGAIN ? -ETIMEDOUT : -errno;
	else
		error = check_server(fd, owner);
	if (error) {
		close(fd);
		return error;
	}
	return fd;
}

/*
 * The memory must have the size that was announced, and keep it: else SIGBUS. A file cannot
 * be sealed, so only a reader that guards its maps may map one.
 */
static int check_memory(int fd, uint64_t size)
{
	struct stat status;
	int seals = fcntl(fd, F_GET_SEALS);

	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return -EPROTO;
	if ((seals < 0 || !(seals & F_SEAL_SHRINK)) && !map_guard_is_installed())
		return -EPROTO;
	return status.st_size >= 0 && size <= (uint64_t)status.st_size ? 0 : -EPROTO;
}

int ring_file_socket_attach(int fd, const struct stat *status,
			    struct ring_file_attachment *attachment)
{
	struct protocol_ring_message message = { .type = PROTOCOL_RING_ATTACH };
	struct sockaddr_un address;
	int error, connection, memory = -1;

	error = parse_announcement(fd, &message.ring, &address);
	if (error)
		return error;
	connection = connect_server(&address, status->st_uid);
	if (connection < 0)
		return connection;
	error = exchange(connection, &message, &memory);
	if (!error)
		error = check_memory(memory, message.size);
	if (error) {
		if (memory >= 0)
			close(memory);
		close(connection);
		return error;
	}
	*attachment = (struct ring_file_attachment){
		.transport = &transport,
		.fd = connection,
		.memory_fd = memory,
		.size = message.size,
	};
	return 0;
}
