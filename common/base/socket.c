/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/base/socket.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/base/time.h"

_Static_assert(sizeof(((struct sockaddr_un *)0)->sun_path) == SOCKET_PATH_MAX + 1,
	       "the longest path of a socket");

#define BACKLOG 4096
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

/* The kernel does not refuse messages with descriptors. */
static bool passes_fds;

union control {
	char bytes[CMSG_SPACE(SOCKET_FDS_MAX * sizeof(int))];
	struct cmsghdr align;
};

static int make_address(const char *path, struct sockaddr_un *address)
{
	size_t length = strlen(path);

	/* An empty path would bind to a name of the kernel's choice. */
	if (length == 0)
		return -ENOENT;
	if (length > SOCKET_PATH_MAX)
		return -ENAMETOOLONG;
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(address->sun_path, path, length);
	return 0;
}

/* -ECONNREFUSED: it is a socket and nobody listens any more. */
static int look_who_listens(const char *path, int type)
{
	int fd = -1;
	int error = socket_connect(path, (type & ~SOCK_NONBLOCK) | SOCK_NONBLOCK, &fd);

	if (error == 0)
		close(fd);
	return error;
}

static int bind_path(int fd, const char *path, int type, const struct sockaddr_un *address)
{
	struct stat status;

	if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
		return 0;
	if (errno != EADDRINUSE)
		return -errno;
	/* A file of another kind refuses a connection too, but is not ours to remove. */
	if (lstat(path, &status) != 0 || !S_ISSOCK(status.st_mode) ||
	    look_who_listens(path, type) != -ECONNREFUSED)
		return -EADDRINUSE;
	if (unlink(path) != 0 && errno != ENOENT)
		return -errno;
	if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) != 0)
		return -errno;
	return 0;
}

int socket_listen(const char *path, int type, mode_t mode, int *fd)
{
	struct sockaddr_un address;
	int error = make_address(path, &address);
	int new;

	if (error < 0)
		return error;
	new = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	if (new < 0)
		return -errno;
	/* The rights of the unbound socket are those that bind() gives to the file. */
	if (fchmod(new, mode) != 0) {
		error = -errno;
		goto close;
	}
	error = bind_path(new, path, type, &address);
	if (error < 0)
		goto close;
	if (listen(new, BACKLOG) != 0) {
		error = -errno;
		goto unlink;
	}
	*fd = new;
	return 0;

unlink:
	unlink(path);
close:
	close(new);
	return error;
}

int socket_refuse_fds(int listener)
{
	int pass = 0;

	if (setsockopt(listener, SOL_SOCKET, SO_PASSRIGHTS, &pass, sizeof(pass)) == 0)
		return 0;
	passes_fds = true;
	return -errno;
}

bool socket_is_refusing_fds(void)
{
	return !passes_fds;
}

bool socket_has_fds(int fd)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct ucred))];
	struct msghdr message = { .msg_iov = NULL };
	socklen_t size = sizeof(int);
	int on = 0;

	/* Credentials come first, and leave no room for descriptors. */
	if (getsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, &size) == 0 && on) {
		message.msg_control = control;
		message.msg_controllen = sizeof(control);
	}
	return recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT) >= 0 &&
	       message.msg_flags & MSG_CTRUNC;
}

int socket_pass_sender(int fd)
{
	int on = 1;

	return setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) == 0 ? 0 : -errno;
}

/* False: the kernel names nobody. */
static bool read_sender(struct msghdr *message, struct ucred *sender)
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);

	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_CREDENTIALS)
		return false;
	memcpy(sender, CMSG_DATA(header), sizeof(*sender));
	return true;
}

int socket_sender(int fd, struct ucred *sender)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(*sender))];
	struct msghdr message = { .msg_control = control, .msg_controllen = sizeof(control) };

	if (recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT) < 0)
		return -errno;
	return read_sender(&message, sender) ? 0 : -ENODATA;
}

ssize_t socket_peek(int fd, void *data, size_t size, struct ucred *sender)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(*sender))];
	struct iovec part = { data, size };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	ssize_t received;

	do {
		received = recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	} while (received < 0 && errno == EINTR);
	if (received < 0)
		return -errno;
	/* The credentials come first, and leave no room for descriptors. */
	if (read_sender(&message, sender) && passes_fds && message.msg_flags & MSG_CTRUNC)
		return -EPERM;
	return message.msg_flags & MSG_TRUNC ? -EMSGSIZE : received;
}

bool socket_has_message(int fd)
{
	struct ucred sender;

	/* The sender's credentials tell an empty message from none. */
	return socket_pass_sender(fd) == 0 && socket_sender(fd, &sender) == 0;
}

int socket_connect(const char *path, int type, int *fd)
{
	struct sockaddr_un address;
	int error = make_address(path, &address);
	int new;

	if (error < 0)
		return error;
	new = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	if (new < 0)
		return -errno;
	while (connect(new, (struct sockaddr *)&address, sizeof(address)) != 0) {
		if (errno == EINTR)
			continue;
		error = -errno;
		close(new);
		return error;
	}
	*fd = new;
	return 0;
}

int socket_accept(int listener, int flags, int *fd)
{
	int new;

	do {
		new = accept4(listener, NULL, NULL, flags | SOCK_CLOEXEC);
	} while (new < 0 && (errno == EINTR || errno == ECONNABORTED));
	if (new < 0)
		return -errno;
	*fd = new;
	return 0;
}

int socket_peer(int fd, struct ucred *peer)
{
	socklen_t size = sizeof(*peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &size) != 0)
		return -errno;
	return size == sizeof(*peer) ? 0 : -EPROTO;
}

int socket_send(int fd, const void *data, size_t size, const int *fds, size_t nr_fds)
{
	union control control;
	struct iovec part = { (void *)(uintptr_t)data, size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t sent;

	if (nr_fds > SOCKET_FDS_MAX)
		return -EINVAL;
	if (nr_fds > 0) {
		struct cmsghdr *header;

		memset(&control, 0, CMSG_SPACE(nr_fds * sizeof(int)));
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(nr_fds * sizeof(int));
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(nr_fds * sizeof(int));
		memcpy(CMSG_DATA(header), fds, nr_fds * sizeof(int));
	}
	do {
		sent = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

/* Hands over as many descriptors as there is room for and closes the others. */
static size_t take_fds(struct msghdr *message, int *fds, size_t room)
{
	struct cmsghdr *header;
	size_t taken = 0;

	for (header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
		size_t count;

		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(fd));
			if (taken < room)
				fds[taken++] = fd;
			else
				close(fd);
		}
	}
	return taken;
}

ssize_t socket_receive(int fd, void *data, size_t size, int flags, int *fds, size_t *nr_fds)
{
	union control control;
	struct iovec part = { data, size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	size_t room = nr_fds ? *nr_fds : 0;
	size_t taken = 0;
	ssize_t received;

	/*
	 * Without room for them the kernel drops descriptors before they are
	 * ours: so a flood of them fills no table.
	 */
	if (room > SOCKET_FDS_MAX)
		room = SOCKET_FDS_MAX;
	if (room == 0 && passes_fds && socket_has_fds(fd))
		return -EPERM;
	if (room > 0) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(room * sizeof(int));
	}
	do {
		received = recvmsg(fd, &message, flags | MSG_CMSG_CLOEXEC | MSG_NOSIGNAL);
	} while (received < 0 && errno == EINTR);
	if (nr_fds)
		*nr_fds = 0;
	if (received < 0)
		return -errno;
	taken = take_fds(&message, fds, room);
	if (message.msg_flags & MSG_TRUNC) {
		while (taken > 0)
			close(fds[--taken]);
		return -EMSGSIZE;
	}
	if (nr_fds)
		*nr_fds = taken;
	return received;
}

int socket_wait(int fd, short events, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = events };
	int64_t deadline = timeout_ms < 0 ? 0 : time_now_ms() + timeout_ms;

	for (;;) {
		int left = -1;
		int result;

		if (timeout_ms >= 0) {
			int64_t rest = deadline - time_now_ms();

			left = rest > 0 ? (int)rest : 0;
		}
		result = poll(&poll_fd, 1, left);
		if (result > 0)
			return 0;
		if (result == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}
