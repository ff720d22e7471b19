/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/un.h>

#include <systemd/sd-daemon.h>

#include "common/socket.h"

#define PASSED_MAX 4

/* Their paths, which are known also when a descriptor is closed already. */
static struct sockaddr_un passed[PASSED_MAX];
static int nr_passed;

int listen_init(void)
{
	int count = sd_listen_fds(1);

	if (count < 0 || count > PASSED_MAX)
		return count < 0 ? count : -E2BIG;
	for (int i = 0; i < count; i++) {
		int fd = SD_LISTEN_FDS_START + i;
		socklen_t size = sizeof(passed[i]) - 1;

		if (sd_is_socket_unix(fd, SOCK_SEQPACKET, 1, NULL, 0) <= 0)
			return -ENOTSOCK;
		if (getsockname(fd, (struct sockaddr *)&passed[i], &size) != 0)
			return -errno;
	}
	nr_passed = count;
	return 0;
}

/* Its descriptor, or -1: there is none. */
static int find(const char *path)
{
	for (int i = 0; i < nr_passed; i++)
		if (strcmp(passed[i].sun_path, path) == 0)
			return SD_LISTEN_FDS_START + i;
	return -1;
}

bool listen_is_passed(const char *path)
{
	return find(path) >= 0;
}

int listen_at(const char *path, mode_t mode, int *fd)
{
	int known = find(path), flags;

	if (known < 0)
		return socket_listen(path, SOCK_SEQPACKET | SOCK_NONBLOCK, mode, fd);
	flags = fcntl(known, F_GETFL);
	if (flags < 0 || fcntl(known, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	*fd = known;
	return 0;
}
