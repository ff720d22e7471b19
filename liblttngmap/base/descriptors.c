/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/base/descriptors.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "common/protocol/protocol-app.h"
#include "liblttngmap/base/arch.h"

/*
 * Our two descriptors are put at numbers that a program does not come by on
 * its own, so that one that closes all and opens others does not find an
 * eventfd's eight bytes in a file of its own: beyond its soft limit, where
 * neither open() nor dup2() gets. Not where the limit is so high that the
 * kernel's table would be large, nor where it is the hard one, too.
 */
#define HIGH_FD 1000
#define HIGHEST_FD 4096
/* With so few, and none beyond, our numbers would soon be the program's. */
#define FEW_FDS 64

/* Survives a fork: the child closes it. */
static struct {
	int socket;
	int doorbell;
	ino_t socket_inode;
	dev_t doorbell_device;
	ino_t doorbell_inode;
} inherited = { .socket = -1, .doorbell = -1 };

static bool are_few; /* at the last registration */

bool descriptors_has_socket(int fd)
{
	struct stat status;

	return fd >= 0 && arch_syscall(SYS_fstat, fd, &status) == 0 && S_ISSOCK(status.st_mode) &&
	       status.st_ino == inherited.socket_inode;
}

bool descriptors_has_doorbell(int fd)
{
	struct stat status;

	return fd >= 0 && arch_syscall(SYS_fstat, fd, &status) == 0 &&
	       status.st_dev == inherited.doorbell_device &&
	       status.st_ino == inherited.doorbell_inode;
}

int descriptors_parent_socket(void)
{
	return descriptors_has_socket(inherited.socket) ? inherited.socket : -1;
}

void descriptors_drop(void)
{
	if (descriptors_has_socket(inherited.socket)) {
		arch_syscall(SYS_close, inherited.socket);
		arch_syscall(SYS_close, inherited.doorbell);
	}
	inherited.socket = -1;
	inherited.doorbell = -1;
}

static int move_to(int fd, long lowest)
{
	long moved = arch_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, lowest);

	if (moved < 0)
		return fd;
	arch_syscall(SYS_close, fd);
	return (int)moved;
}

/* The limit is raised for an instant, as far as the program may do itself. */
static bool move_beyond(struct local *local, const struct rlimit *limit)
{
	struct rlimit raised = { limit->rlim_cur + 2, limit->rlim_max };

	if (limit->rlim_cur > HIGHEST_FD || raised.rlim_cur > limit->rlim_max ||
	    arch_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &raised, NULL) < 0)
		return false;
	local->socket = move_to(local->socket, (long)limit->rlim_cur);
	local->doorbell = move_to(local->doorbell, (long)limit->rlim_cur);
	arch_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, limit, NULL);
	return true;
}

static void move_fds(struct local *local)
{
	struct rlimit limit = { .rlim_cur = 0 };
	long lowest;

	arch_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
	are_few = false;
	if (move_beyond(local, &limit))
		return;
	are_few = limit.rlim_cur < FEW_FDS;
	if (are_few)
		return;
	lowest = limit.rlim_cur < HIGH_FD + 16 ? (long)limit.rlim_cur - 16 : HIGH_FD;
	local->socket = move_to(local->socket, lowest);
	local->doorbell = move_to(local->doorbell, lowest);
}

/* Puts `fd` in the place of the descriptor `over`, if it can. */
static int replace(int over, int fd)
{
	if (fd == over || arch_syscall(SYS_dup3, fd, over, O_CLOEXEC) < 0)
		return fd;
	arch_syscall(SYS_close, fd);
	return over;
}

void descriptors_keep(struct local *local, int socket, struct exchange_fds *fds)
{
	struct stat status = { .st_ino = 0 };

	local->socket = socket;
	local->doorbell = fds->fd[PROTOCOL_APP_FD_DOORBELL];
	fds->fd[PROTOCOL_APP_FD_DOORBELL] = -1;
	if (inherited.doorbell >= 0 && descriptors_has_socket(inherited.socket)) {
		/* Those of the parent, or of the earlier daemon, are where they are to be. */
		local->socket = replace(inherited.socket, local->socket);
		local->doorbell = replace(inherited.doorbell, local->doorbell);
	} else {
		move_fds(local);
	}
	if (local->socket >= 0)
		arch_syscall(SYS_fstat, local->socket, &status);
	inherited.socket = local->socket;
	inherited.doorbell = local->doorbell;
	inherited.socket_inode = status.st_ino;
	if (local->doorbell >= 0 && arch_syscall(SYS_fstat, local->doorbell, &status) == 0) {
		inherited.doorbell_device = status.st_dev;
		inherited.doorbell_inode = status.st_ino;
	}
}

void descriptors_leave_few(struct local *local)
{
	if (!are_few)
		return;
	descriptors_drop();
	__atomic_store_n(&local->socket, -1, __ATOMIC_RELAXED);
	local->doorbell = -1;
}

bool descriptors_are_few(void)
{
	return are_few;
}
