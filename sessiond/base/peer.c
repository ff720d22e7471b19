/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/base/peer.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sessiond/base/pid-state.h"

/* pidfs, since Linux 6.9 */
#ifndef PID_FS_MAGIC
#define PID_FS_MAGIC 0x50494446u
#endif
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

bool peer_has_ended(int pidfd)
{
	struct pollfd end = { .fd = pidfd, .events = POLLIN };

	return poll(&end, 1, 0) != 0;
}

/* 0: the process of the pidfd, which has the peer's number, may be the peer. */
static int check_holder(int socket, const struct ucred *peer)
{
	struct pollfd end = { .fd = socket, .events = 0 };
	uid_t uid;
	int error = pid_effective_user(peer->pid, &uid);

	if (error == 0 && uid != peer->uid)
		error = -ESRCH;
	/* While the peer's end is open, the number was the peer's a moment ago. */
	if (error == 0 && poll(&end, 1, 0) > 0 && end.revents & POLLHUP)
		error = -ESRCH;
	return error;
}

static int open_holder(int socket, const struct ucred *peer)
{
	int fd = (int)syscall(SYS_pidfd_open, peer->pid, 0);
	int error = fd < 0 ? -errno : check_holder(socket, peer);

	if (error == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return error;
}

int peer_open_pidfd(int socket, const struct ucred *peer)
{
	socklen_t size = sizeof(int);
	int fd = -1;

	/*
	 * For a peer that was reaped, Linux 6.5 to 6.15 return EINVAL or ESRCH, later kernels a
	 * pidfd.
	 */
	if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &fd, &size) != 0) {
		if (errno == EINVAL)
			return -ESRCH;
		if (errno != ENOPROTOOPT)
			return -errno;
		fd = open_holder(socket, peer);
	}
	/* If the process still lives, its pid was not reused, and the values read belong to it. */
	if (fd >= 0 && peer_has_ended(fd)) {
		close(fd);
		return -ESRCH;
	}
	return fd;
}

/* The kernel's pidfds are all of one kind. */
static bool has_inode(int pidfd)
{
	static enum { UNKNOWN, YES, NO } kind;
	struct statfs system;
	int known = __atomic_load_n(&kind, __ATOMIC_RELAXED);

	if (known == UNKNOWN && fstatfs(pidfd, &system) == 0) {
		known = (uint32_t)system.f_type == PID_FS_MAGIC ? YES : NO;
		__atomic_store_n(&kind, known, __ATOMIC_RELAXED);
	}
	return known == YES;
}

uint64_t peer_identity_of(int pidfd)
{
	struct stat status;

	/* Before, all pidfds had one inode. */
	return has_inode(pidfd) && fstat(pidfd, &status) == 0 ? status.st_ino : 0;
}

uint64_t peer_identity(int socket)
{
	socklen_t size = sizeof(int);
	uint64_t identity;
	int pidfd;

	if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size) != 0)
		return 0;
	identity = peer_identity_of(pidfd);
	close(pidfd);
	return identity;
}
