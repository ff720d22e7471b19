/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "relay/presence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static void name_file(const struct relay_url *url, bool is_spool, char name[PRESENCE_NAME_MAX])
{
	char key[RELAY_URL_KEY_MAX];

	relay_url_key(url, key);
	snprintf(name, PRESENCE_NAME_MAX, RELAY_PROGRESS_NAME "%s%s", is_spool ? "" : "-",
		 is_spool ? "" : key);
}

int presence_take(int output, const struct relay_url *url, bool is_spool, enum presence presence)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = presence, .l_len = 1
	};
	char name[PRESENCE_NAME_MAX];
	int error, fd;

	name_file(url, is_spool, name);
	fd = openat(output, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0660);
	if (fd < 0)
		return -errno;
	if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
		return fd;
	error = errno == EACCES || errno == EAGAIN ? -EBUSY : -errno;
	close(fd);
	return error;
}

/* To look at. A file descriptor or -errno. */
static int open_file(const char *output, const struct relay_url *url, bool is_spool)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	char name[PRESENCE_NAME_MAX];
	int dir, fd;

	dir = open(output, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	name_file(url, is_spool, name);
	fd = openat(dir, name, flags);
	if (fd < 0)
		fd = -errno;
	close(dir);
	return fd;
}

int presence_look(const char *output, const struct relay_url *url, bool is_spool)
{
	struct flock lock = { .l_type = F_WRLCK,
			      .l_whence = SEEK_SET,
			      .l_len = PRESENCE_KEEPER + 1 };
	int result, fd = open_file(output, url, is_spool);

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	result = fcntl(fd, F_OFD_GETLK, &lock) == 0 ? lock.l_type != F_UNLCK : -errno;
	close(fd);
	return result;
}

int presence_read(const char *output, const struct relay_url *url, bool is_spool,
		  struct relay_progress *progress)
{
	int fd = open_file(output, url, is_spool);
	ssize_t got;

	if (fd < 0)
		return fd == -ENOENT ? -ENODATA : fd;
	got = pread(fd, progress, sizeof(*progress), 0);
	close(fd);
	return got == sizeof(*progress) && progress->magic == RELAY_PROGRESS_MAGIC ? 0 : -ENODATA;
}
