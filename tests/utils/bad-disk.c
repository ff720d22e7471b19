/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A disk that fails, to be preloaded into the consumer. What it does is the
 * first letter in the file $BAD_DISK, which may change at any moment:
 *
 *   g  good
 *   s  no space: a part of a write at most
 *   e  an I/O error now and then
 *   b  a byte at a time
 *   m  all of that in turns, and interruptions
 *   d  dead: nothing can be done but closing
 *
 * What failed last since it was written stands behind it: s, no space, or e, an I/O error.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int mode_fd = -1;
static uint64_t seed = 88172645463325252;

__attribute__((constructor)) static void set_up(void)
{
	const char *path = getenv("BAD_DISK");

	if (path)
		mode_fd = open(path, O_RDWR | O_CLOEXEC);
	seed += (uint64_t)getpid() << 20;
	/* It is for this program alone. */
	unsetenv("LD_PRELOAD");
}

static unsigned draw(unsigned of)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed % of);
}

static char mode(void)
{
	char letter = 'g';

	if (mode_fd < 0 || pread(mode_fd, &letter, 1, 0) != 1)
		return 'g';
	return letter == 'm' ? "gggsebi"[draw(7)] : letter;
}

static ssize_t failed(int error)
{
	(void)syscall(SYS_pwrite64, mode_fd, error == ENOSPC ? "s" : "e", 1L, 1L);
	errno = error;
	return -1;
}

/* As much of a write as the disk takes, 0 to size; -1: none, and errno says why. */
static ssize_t allowed(size_t size)
{
	switch (mode()) {
	case 's':
		return size > 1 && draw(2) ? (ssize_t)draw((unsigned)size) + 1 : failed(ENOSPC);
	case 'e':
		return draw(3) ? (ssize_t)size : failed(EIO);
	case 'b':
		return size > 0;
	case 'i':
		errno = EINTR;
		return -1;
	case 'd':
		return failed(EIO);
	default:
		return (ssize_t)size;
	}
}

static ssize_t write_some(int fd, const struct iovec *parts, int nr_parts, off_t offset)
{
	bool is_direct = fcntl(fd, F_GETFL) & O_DIRECT;
	size_t size = 0;
	ssize_t most;

	for (int i = 0; i < nr_parts; i++)
		size += parts[i].iov_len;
	most = allowed(size);
	if (most < 0)
		return -1;
	if ((size_t)most == size)
		return syscall(SYS_pwritev, fd, parts, (long)nr_parts, (long)offset, 0L);
	/* A disk that takes whole blocks only takes the first, or none. */
	if (is_direct) {
		errno = EIO;
		return -1;
	}
	for (int i = 0; i < nr_parts; i++) {
		if (parts[i].iov_len == 0)
			continue;
		if ((size_t)most > parts[i].iov_len)
			most = (ssize_t)parts[i].iov_len;
		return syscall(SYS_pwrite64, fd, parts[i].iov_base, (size_t)most, (long)offset);
	}
	return 0;
}

ssize_t pwritev(int fd, const struct iovec *parts, int nr_parts, off_t offset)
{
	return write_some(fd, parts, nr_parts, offset);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int nr_parts, off_t offset)
{
	return write_some(fd, parts, nr_parts, offset);
}

static ssize_t send_some(int out, int in, off_t *offset, size_t size)
{
	ssize_t most = allowed(size);

	return most < 0 ? -1 : syscall(SYS_sendfile, out, in, offset, (size_t)most);
}

ssize_t sendfile(int out, int in, off_t *offset, size_t size)
{
	return send_some(out, in, offset, size);
}

ssize_t sendfile64(int out, int in, off_t *offset, size_t size)
{
	return send_some(out, in, offset, size);
}

static int truncate_maybe(int fd, off_t size)
{
	if (mode() == 'd') {
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_ftruncate, fd, (long)size);
}

int ftruncate(int fd, off_t size)
{
	return truncate_maybe(fd, size);
}

int ftruncate64(int fd, off_t size)
{
	return truncate_maybe(fd, size);
}
