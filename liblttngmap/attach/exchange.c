/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/attach/exchange.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/protocol/places.h"
#include "liblttngmap/base/arch.h"
#include "liblttngmap/attach/module.h"

_Static_assert(sizeof(((struct sockaddr_un *)NULL)->sun_path) == ATTACH_REQUEST_PLACE_SIZE,
	       "a path each");

/* Where the backlog of the daemon is full, connect answers EAGAIN at once. */
#define CONNECT_RETRY_NS 1000000

_Static_assert(ATTACH_REQUEST_PLACES == PLACES, "each has a path");
/* The places are those of places.h, and not one that somebody chose. */
static bool is_searched;

uint64_t exchange_now(void)
{
	struct timespec now = { 0 };

	arch_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void exchange_pause(uint32_t nanoseconds)
{
	struct timespec pause = { .tv_nsec = nanoseconds };

	arch_syscall(SYS_ppoll, NULL, 0, &pause, NULL, 0);
}

/* In `directory`; where that is NULL, or too long, the process has no such place. */
static void make_place(unsigned place, const char *directory)
{
	char *path = module_attach_request.places[place];
	size_t used = 0;

	path[0] = '\0';
	if (directory && places_append(path, ATTACH_REQUEST_PLACE_SIZE, &used, directory) &&
	    places_append(path, ATTACH_REQUEST_PLACE_SIZE, &used, "/" PROTOCOL_APP_SOCKET))
		return;
	path[0] = '\0';
}

/*
 * A daemon of somebody else could pass memory that it truncates or reads. So could the daemon of
 * who started a program that has more rights than that user: a set-group-ID program, or one whose
 * file has capabilities.
 */
static bool is_trusted(int fd)
{
	struct ucred peer = { .uid = (uid_t)-1 };
	socklen_t size = sizeof(peer);

	if (arch_syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
		return false;
	if (peer.uid == 0)
		return true;
	return peer.uid == (uid_t)arch_syscall(SYS_geteuid) &&
	       !(getauxval(AT_SECURE) && peer.uid == (uid_t)arch_syscall(SYS_getuid));
}

static int connect_to(const struct sockaddr_un *address, uint64_t deadline)
{
	long result;
	int fd;

	fd = (int)arch_syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
			       0);
	if (fd < 0)
		return fd;
	while ((result = arch_syscall(SYS_connect, fd, address, sizeof(*address))) == -EAGAIN ||
	       result == -EINTR) {
		if (exchange_now() >= deadline)
			break;
		exchange_pause(CONNECT_RETRY_NS);
	}
	if (result == 0 && !is_trusted(fd))
		result = -EPERM;
	if (result < 0) {
		arch_syscall(SYS_close, fd);
		return (int)result;
	}
	return fd;
}

/* The environment's choice alone, else the user's own daemon, else root's. */
static void find_places(void)
{
	const char *chosen = secure_getenv("LTTNGMAP_RUNTIME_DIR");
	const char *xdg = secure_getenv("XDG_RUNTIME_DIR");
	char directory[ATTACH_REQUEST_PLACE_SIZE];
	uint32_t uid;

	if (chosen) {
		make_place(0, chosen);
		return;
	}
	uid = (uint32_t)arch_syscall(SYS_geteuid);
	for (unsigned place = 0; place < PLACES; place++)
		make_place(place,
			   places_make((enum place)place, uid, xdg, directory, sizeof(directory))
				   ? directory
				   : NULL);
	is_searched = true;
}

/*
 * A listener of somebody else's in a directory that anybody can make would have us wait, and so
 * would a file system that somebody else mounted there.
 */
static bool is_own(const char *path)
{
	char directory[ATTACH_REQUEST_PLACE_SIZE];
	struct statx parent, status;
	size_t used = 0;

	places_append(directory, sizeof(directory), &used, path);
	directory[used - (sizeof("/" PROTOCOL_APP_SOCKET) - 1)] = '\0';
	return arch_syscall(SYS_statx, AT_FDCWD, directory, PLACES_LOOK | AT_SYMLINK_NOFOLLOW,
			    STATX_BASIC_STATS, &status) == 0 &&
	       arch_syscall(SYS_statx, AT_FDCWD, PLACES_TEMPORARY_DIR, PLACES_LOOK,
			    STATX_BASIC_STATS, &parent) == 0 &&
	       places_is_own(&parent, &status, (uint32_t)arch_syscall(SYS_geteuid));
}

static int connect_to_place(uint32_t place, uint64_t deadline)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *path = module_attach_request.places[place];

	if (!path[0] || (is_searched && place == PLACE_TEMPORARY && !is_own(path)))
		return -ENOENT;
	__builtin_memcpy(address.sun_path, path, ATTACH_REQUEST_PLACE_SIZE);
	return connect_to(&address, deadline);
}

/*
 * The environment is looked at once, by the first module's constructor: later
 * it may be gone, or another thread may be changing it.
 */
static bool placed;

int exchange_connect(uint64_t deadline, uint32_t *found)
{
	int fd = -ENOENT;

	if (!placed)
		find_places();
	placed = true;
	for (uint32_t place = 0; fd < 0 && place < ATTACH_REQUEST_PLACES; place++) {
		fd = connect_to_place(place, deadline);
		*found = place;
	}
	return fd;
}

/*
 * By `lttngmap attach`, before it loads libraries with tracepoints. NULL: there alone
 * is looked for a daemon now; else the socket of the one that it is registered with.
 */
__attribute__((visibility("default"))) const char *lttngmap_directory_choose(const char *directory)
{
	const char *other = NULL;
	char path[ATTACH_REQUEST_PLACE_SIZE];
	size_t used = 0;

	if (!places_append(path, sizeof(path), &used, directory) ||
	    !places_append(path, sizeof(path), &used, "/" PROTOCOL_APP_SOCKET) ||
	    !module_lock(MODULE_COMING))
		return "";
	if (!module_attach_request.instance) {
		placed = true;
		is_searched = false;
		make_place(0, directory);
		for (unsigned place = 1; place < ATTACH_REQUEST_PLACES; place++)
			make_place(place, NULL);
	} else if (__builtin_strcmp(module_attach_request.places[module_attach_request.place],
				    path) != 0) {
		other = module_attach_request.places[module_attach_request.place];
	}
	module_unlock();
	return other;
}

int exchange_connect_again(uint64_t deadline, uint32_t place)
{
	return place < ATTACH_REQUEST_PLACES ? connect_to_place(place, deadline) : -ENOENT;
}

void exchange_close_fds(struct exchange_fds *fds)
{
	for (unsigned i = 0; i < fds->count; i++)
		if (fds->fd[i] >= 0)
			arch_syscall(SYS_close, fds->fd[i]);
	fds->count = 0;
}

static void take_fds(struct msghdr *message, struct exchange_fds *fds)
{
	struct cmsghdr *control;

	for (control = CMSG_FIRSTHDR(message); control; control = CMSG_NXTHDR(message, control)) {
		const int *received = (const int *)CMSG_DATA(control);
		size_t count;

		if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS)
			continue;
		count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < count; i++) {
			if (fds->count < EXCHANGE_FDS_MAX)
				fds->fd[fds->count++] = received[i];
			else
				arch_syscall(SYS_close, received[i]);
		}
	}
}

/* Wait for one message. A signal's handler may run meanwhile. */
static long receive(int socket, void *answer, size_t size, struct exchange_fds *fds,
		    uint64_t deadline)
{
	union {
		char space[CMSG_SPACE(EXCHANGE_FDS_MAX * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec part = { answer, size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	struct pollfd poll = { .fd = socket, .events = POLLIN };
	long result;

	for (;;) {
		struct timespec left;
		uint64_t now;

		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		message.msg_flags = 0;
		result = arch_syscall(SYS_recvmsg, socket, &message,
				      MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		if (result != -EAGAIN && result != -EINTR)
			break;
		now = exchange_now();
		if (now >= deadline)
			return -ETIMEDOUT;
		left.tv_sec = (time_t)((deadline - now) / 1000000000);
		left.tv_nsec = (long)((deadline - now) % 1000000000);
		arch_syscall(SYS_ppoll, &poll, 1, &left, NULL, 0);
	}
	if (result < 0)
		return result;
	take_fds(&message, fds);
	/* The end, without an answer. */
	if (result == 0)
		return -ECONNRESET;
	if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		return -EPROTO;
	return result;
}

bool exchange_drop(int socket)
{
	struct exchange_fds fds = { .count = 0 };
	struct protocol_app_header answer;
	long result = receive(socket, &answer, sizeof(answer), &fds, 0);

	exchange_close_fds(&fds);
	return result != -ETIMEDOUT;
}

/*
 * A daemon that was killed after an answer, and started again, answers once
 * more. Descriptors that come along go with it.
 */
static void drop_stale(int socket)
{
	char byte;

	while (arch_syscall(SYS_recvfrom, socket, &byte, 1, MSG_DONTWAIT, NULL, NULL) > 0)
		continue;
}

/* -ESTALE: classes are asked for; -EAGAIN: there are no descriptors, for now. */
static long refusal_of(const void *answer, long size)
{
	const struct protocol_app_refused *refused = answer;

	if (size < (long)sizeof(*refused))
		return -EACCES;
	if (refused->error == ESTALE)
		return -ESTALE;
	return refused->error == EMFILE || refused->error == ENFILE ? -EAGAIN : -EACCES;
}

long exchange(int socket, void *header, size_t header_size, const void *body, size_t body_size,
	      enum protocol_app_type type, void *answer, size_t answer_min, size_t answer_size,
	      struct exchange_fds *fds, uint64_t deadline)
{
	struct protocol_app_header *request = header;
	const struct protocol_app_header *got = answer;
	struct iovec parts[2] = { { header, header_size }, { (void *)body, body_size } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = body_size ? 2 : 1 };
	struct exchange_fds unwanted = { .count = 0 };
	long result;

	if (!fds)
		fds = &unwanted;
	fds->count = 0;
	request->magic = PROTOCOL_APP_MAGIC;
	request->major = PROTOCOL_APP_MAJOR;
	request->minor = PROTOCOL_APP_MINOR;
	request->size = (uint32_t)(header_size + body_size);
	/* A message on a new connection, before any request, is a refusal. */
	if (request->type != PROTOCOL_APP_REGISTER)
		drop_stale(socket);
	result = arch_syscall(SYS_sendmsg, socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
	/* A refusal may have come before we asked. */
	if (result < 0 && result != -EPIPE)
		return result;

	result = receive(socket, answer, answer_size, fds, deadline);
	if (result >= (long)sizeof(*got) && got->magic == PROTOCOL_APP_MAGIC &&
	    got->type == PROTOCOL_APP_REFUSED)
		result = refusal_of(answer, result);
	else if (result >= 0 && ((size_t)result < answer_min || got->magic != PROTOCOL_APP_MAGIC ||
				 got->major != PROTOCOL_APP_MAJOR || got->type != type ||
				 got->size != (size_t)result))
		result = -EPROTO;
	if (result < 0 || fds == &unwanted)
		exchange_close_fds(fds);
	return result;
}
