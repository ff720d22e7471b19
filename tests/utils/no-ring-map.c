/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * To be preloaded into the daemons: tracefs is as before Linux 6.10, which maps none
 * of its files. All else of the machine's kernel is as it is.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

void *mmap(void *address, size_t size, int rights, int flags, int fd, off_t offset)
{
	struct statfs system;

	if (fd >= 0 && fstatfs(fd, &system) == 0 && system.f_type == TRACEFS_MAGIC) {
		errno = ENODEV;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap, address, size, rights, flags, fd, offset);
}

void *mmap64(void *address, size_t size, int rights, int flags, int fd, off_t offset)
	__attribute__((alias("mmap")));
