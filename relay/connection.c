/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "relay/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/base/time.h"

/* Answers that are not waited for yet: their four bytes each fit in any socket. */
#define POSTED_MAX 256u
/* Requests that are not waited for, and go at once: some dozens of indexes. */
#define HELD_MAX 4096u

struct relay_connection {
	int control;
	int data;
	int timeout_ms;
	const volatile sig_atomic_t *stop;
	int error; /* -errno; what ended it */
	unsigned posted;
	size_t expected;   /* bytes of answers that were asked for and have not come */
	size_t nr_answers; /* bytes of answers that came at once, and how many were taken */
	size_t nr_taken;
	unsigned char answers[RELAY_STATUS_SIZE * POSTED_MAX];
	size_t nr_held; /* bytes of them that go with what is sent next */
	unsigned char held[HELD_MAX];
};

/* ---- waiting --------------------------------------------------------------------- */

static int fail(struct relay_connection *connection, int error)
{
	if (!connection->error)
		connection->error = error;
	return connection->error;
}

/* Until it can be read or written, by `deadline`. */
static int wait_for(struct relay_connection *connection, int fd, short events, int64_t deadline)
{
	struct pollfd poll_fd = { .fd = fd, .events = events };
	int64_t left;

	for (;;) {
		if (*connection->stop)
			return fail(connection, -EINTR);
		left = deadline - time_now_ms();
		if (left <= 0)
			return fail(connection, -ETIMEDOUT);
		/* In slices: a signal may come right before the call. */
		switch (poll(&poll_fd, 1, left < 200 ? (int)left : 200)) {
		case 0:
			break;
		case -1:
			if (errno != EINTR)
				return fail(connection, -errno);
			break;
		default:
			return 0;
		}
	}
}

static bool is_transient(int error)
{
	return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

static int wait_more(struct relay_connection *connection, int fd, short events)
{
	return wait_for(connection, fd, events, time_now_ms() + connection->timeout_ms);
}

static int send_all(struct relay_connection *connection, int fd, const void *bytes, size_t size,
		    int flags)
{
	const char *at = bytes;

	while (size && !connection->error) {
		ssize_t sent = send(fd, at, size, flags | MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent >= 0) {
			at += sent;
			size -= (size_t)sent;
		} else if (is_transient(errno)) {
			wait_more(connection, fd, POLLOUT);
		} else {
			fail(connection, errno == EPIPE ? -ECONNRESET : -errno);
		}
	}
	return connection->error;
}

/*
 * Acknowledges received data now. The collector's answers are small, and its kernel holds the next
 * one back until the previous one is acknowledged, for which this side would wait 40 ms.
 */
static void acknowledge(const struct relay_connection *connection)
{
	const int one = 1;

	(void)setsockopt(connection->control, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof(one));
}

/* Takes answers that have come, all at once. Like recv(2). */
static ssize_t receive(struct relay_connection *connection, void *bytes, size_t size)
{
	size_t most = sizeof(connection->answers), left;
	ssize_t got;

	if (connection->nr_taken == connection->nr_answers) {
		/* More than was asked for stays in the socket, where it is noticed. */
		most = connection->expected < most ? connection->expected : most;
		got = recv(connection->control, connection->answers, most, MSG_DONTWAIT);
		if (got <= 0)
			return got;
		connection->expected -= (size_t)got;
		connection->nr_answers = (size_t)got;
		connection->nr_taken = 0;
	}
	left = connection->nr_answers - connection->nr_taken;
	size = size < left ? size : left;
	memcpy(bytes, connection->answers + connection->nr_taken, size);
	connection->nr_taken += size;
	return (ssize_t)size;
}

static int receive_all(struct relay_connection *connection, void *bytes, size_t size)
{
	/* Bytes that trickle in are no progress: each answer has its time. */
	int64_t deadline = time_now_ms() + connection->timeout_ms;
	char *at = bytes;

	while (size && !connection->error) {
		ssize_t got = receive(connection, at, size);

		if (got > 0) {
			at += got;
			size -= (size_t)got;
		} else if (got == 0) {
			fail(connection, -ECONNRESET);
		} else if (is_transient(errno)) {
			acknowledge(connection);
			wait_for(connection, connection->control, POLLIN, deadline);
		} else {
			fail(connection, -errno);
		}
	}
	return connection->error;
}

/* ---- requests ---------------------------------------------------------------------- */

/* All that was to go does. */
static int release(struct relay_connection *connection, int flags)
{
	size_t size = connection->nr_held;

	connection->nr_held = 0;
	return send_all(connection, connection->control, connection->held, size, flags);
}

/* It is to go, behind what is to already. */
static void hold(struct relay_connection *connection, const struct relay_request *request)
{
	if (sizeof(connection->held) - connection->nr_held < request->size)
		release(connection, 0);
	memcpy(connection->held + connection->nr_held, request->bytes, request->size);
	connection->nr_held += request->size;
}

int relay_connection_settle(struct relay_connection *connection)
{
	unsigned char answer[RELAY_STATUS_SIZE];

	release(connection, 0);
	for (; connection->posted && !connection->error; connection->posted--) {
		if (receive_all(connection, answer, sizeof(answer)) == 0 &&
		    relay_answer_status(answer) != 0)
			fail(connection, -EREMOTEIO);
	}
	return connection->error;
}

int relay_connection_ask(struct relay_connection *connection, const struct relay_request *request,
			 unsigned char *answer, size_t size)
{
	/* Answers come in the order of what was asked. */
	connection->expected += size;
	hold(connection, request);
	relay_connection_settle(connection);
	return receive_all(connection, answer, size);
}

int relay_connection_skip(struct relay_connection *connection, size_t size)
{
	char bytes[512];

	connection->expected += size;
	while (size && !connection->error) {
		size_t part = size < sizeof(bytes) ? size : sizeof(bytes);

		receive_all(connection, bytes, part);
		size -= part;
	}
	return connection->error;
}

int relay_connection_tell(struct relay_connection *connection, const struct relay_request *request)
{
	unsigned char answer[RELAY_STATUS_SIZE];
	int error = relay_connection_ask(connection, request, answer, sizeof(answer));

	if (!error)
		error = relay_answer_status(answer);
	return error ? fail(connection, error) : 0;
}

int relay_connection_post(struct relay_connection *connection, const struct relay_request *request)
{
	if (connection->posted == POSTED_MAX)
		relay_connection_settle(connection);
	hold(connection, request);
	connection->expected += RELAY_STATUS_SIZE;
	connection->posted++;
	return connection->error;
}

int relay_connection_send_metadata(struct relay_connection *connection, uint64_t stream,
				   const void *bytes, size_t size)
{
	struct relay_request request;

	relay_request_metadata(&request, stream, (uint32_t)size);
	hold(connection, &request);
	release(connection, MSG_MORE);
	return send_all(connection, connection->control, bytes, size, 0);
}

int relay_connection_send_bytes(struct relay_connection *connection, uint64_t stream,
				uint64_t sequence, const void *bytes, uint32_t size)
{
	unsigned char header[RELAY_DATA_HEADER_SIZE];

	relay_data_header(header, stream, sequence, size);
	send_all(connection, connection->data, header, sizeof(header), MSG_MORE);
	return send_all(connection, connection->data, bytes, size, 0);
}

int relay_connection_send_packet(struct relay_connection *connection, uint64_t stream,
				 uint64_t sequence, int fd, uint64_t offset, uint32_t size)
{
	unsigned char header[RELAY_DATA_HEADER_SIZE];
	off_t at = (off_t)offset, end = (off_t)(offset + size);

	relay_data_header(header, stream, sequence, size);
	send_all(connection, connection->data, header, sizeof(header), MSG_MORE);
	while (at < end && !connection->error) {
		ssize_t sent = sendfile(connection->data, fd, &at, (size_t)(end - at));

		if (sent > 0)
			continue;
		if (sent == 0)
			fail(connection, -EIO);
		else if (is_transient(errno))
			wait_more(connection, connection->data, POLLOUT);
		else
			fail(connection, errno == EPIPE ? -ECONNRESET : -errno);
	}
	return connection->error;
}

/* ---- its beginning and end ---------------------------------------------------------- */

static bool is_loopback(const struct sockaddr *address)
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)address;
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)address;

	if (address->sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
	return address->sa_family == AF_INET && ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

static int begin_connect(const struct addrinfo *address, int *result)
{
	int one = 1, fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	/*
	 * Within the machine there is no path to find the rate of: where the default is to do
	 * so (bbr), its timers cost more than all else that sending does.
	 */
	if (is_loopback(address->ai_addr))
		(void)setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", strlen("reno"));
	*result = fd;
	return connect(fd, address->ai_addr, address->ai_addrlen) < 0 && errno != EINPROGRESS
		       ? -errno
		       : 0;
}

static int end_connect(struct relay_connection *connection, int fd)
{
	socklen_t size = sizeof(int);
	int error = wait_more(connection, fd, POLLOUT), result = 0;

	if (error)
		return error;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &result, &size) < 0)
		result = errno;
	return -result;
}

/* To the first address that answers. */
static int connect_to(struct relay_connection *connection, const struct relay_url *url,
		      const char *port, int *result)
{
	const struct addrinfo hints = {
		.ai_family = url->only_ipv6 ? AF_INET6 : AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV,
	};
	struct addrinfo *all, *address;
	int error = getaddrinfo(url->host, port, &hints, &all);

	if (error)
		return error == EAI_SYSTEM ? -errno : error == EAI_MEMORY ? -ENOMEM : -EHOSTUNREACH;
	error = -EHOSTUNREACH;
	for (address = all; address; address = address->ai_next) {
		int fd = -1;

		error = begin_connect(address, &fd);
		if (!error)
			error = end_connect(connection, fd);
		if (!error) {
			*result = fd;
			break;
		}
		if (fd >= 0)
			close(fd);
		/* The error belongs to one address: the next may answer. */
		if (error != -EINTR)
			connection->error = 0;
	}
	freeaddrinfo(all);
	return error;
}

static int greet(struct relay_connection *connection)
{
	unsigned char answer[RELAY_VERSION_SIZE];
	struct relay_request request;
	int error;

	relay_request_version(&request);
	error = relay_connection_ask(connection, &request, answer, sizeof(answer));
	return error ? error : relay_answer_version(answer);
}

static int create_session(struct relay_connection *connection,
			  const struct relay_session_description *session)
{
	unsigned char answer[RELAY_SESSION_SIZE];
	struct relay_request request;
	size_t more;
	int error;

	relay_request_session(&request, session);
	error = relay_connection_ask(connection, &request, answer, sizeof(answer));
	if (!error)
		error = relay_answer_session(answer, &more);
	return error ? error : relay_connection_skip(connection, more);
}

int relay_connection_open(const struct relay_connection_config *config,
			  struct relay_connection **result)
{
	struct relay_connection *connection = calloc(1, sizeof(*connection));
	int error;

	*result = NULL;
	if (!connection)
		return -ENOMEM;
	connection->control = connection->data = -1;
	connection->timeout_ms = config->timeout_ms;
	connection->stop = config->stop;
	error = connect_to(connection, config->url, config->url->control, &connection->control);
	if (!error)
		error = greet(connection);
	if (!error)
		error = create_session(connection, &config->session);
	if (!error)
		error = connect_to(connection, config->url, config->url->data, &connection->data);
	if (error) {
		relay_connection_close(connection);
		return error;
	}
	*result = connection;
	return 0;
}

int relay_connection_probe(const struct relay_url *url, int timeout_ms)
{
	static const volatile sig_atomic_t go_on = 0;
	struct relay_connection connection = {
		.control = -1,
		.data = -1,
		.timeout_ms = timeout_ms,
		.stop = &go_on,
	};
	int error = connect_to(&connection, url, url->control, &connection.control);

	if (!error)
		error = greet(&connection);
	if (connection.control >= 0)
		close(connection.control);
	return error;
}

void relay_connection_close(struct relay_connection *connection)
{
	if (!connection)
		return;
	if (connection->control >= 0)
		close(connection->control);
	if (connection->data >= 0)
		close(connection->data);
	free(connection);
}

int relay_connection_fd(const struct relay_connection *connection)
{
	return connection->posted ? connection->data : connection->control;
}
