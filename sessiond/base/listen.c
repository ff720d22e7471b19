/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/base/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include "common/base/log.h"
#include "common/protocol/protocol-app.h"
#include "common/protocol/protocol-control.h"
#include "common/base/socket.h"

#define PASSED_MAX 4
#define SOCKETS_MAX (PASSED_MAX + 2)

/* First those of systemd's. */
static struct {
	struct sockaddr_un address;
	int fd;
} sockets[SOCKETS_MAX];
static int nr_passed;
static int nr_sockets;

int listen_init(void)
{
	int count = sd_listen_fds(1);

	if (count < 0 || count > PASSED_MAX)
		return count < 0 ? count : -E2BIG;
	for (int i = 0; i < count; i++) {
		int fd = SD_LISTEN_FDS_START + i, flags;
		socklen_t size = sizeof(sockets[i].address) - 1;

		if (sd_is_socket_unix(fd, SOCK_SEQPACKET, 1, NULL, 0) <= 0)
			return -ENOTSOCK;
		flags = fcntl(fd, F_GETFL);
		if (getsockname(fd, (struct sockaddr *)&sockets[i].address, &size) != 0 ||
		    flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
			return -errno;
		socket_refuse_fds(fd);
		sockets[i].fd = fd;
	}
	nr_passed = nr_sockets = count;
	return 0;
}

/* Its place, or -1: there is none. */
static int find(const char *path)
{
	for (int i = 0; i < nr_sockets; i++)
		if (strcmp(sockets[i].address.sun_path, path) == 0)
			return i;
	return -1;
}

bool listen_is_passed(const char *path)
{
	int place = find(path);

	return place >= 0 && place < nr_passed;
}

static int make(const char *runtime_dir, const char *name, mode_t mode)
{
	char path[SOCKET_PATH_MAX + 1];
	mode_t before;
	int error, fd;

	/* The directory's own path was found short enough. */
	snprintf(path, sizeof(path), "%s/%s", runtime_dir, name);
	if (find(path) >= 0)
		return 0;
	before = umask(0);
	error = socket_listen(path, SOCK_SEQPACKET | SOCK_NONBLOCK, mode, &fd);
	umask(before);
	if (error) {
		log_error("cannot listen at %s: %s", path, strerror(-error));
		return error;
	}
	/* Where the kernel cannot, see close-untrusted.h. */
	socket_refuse_fds(fd);
	sockets[nr_sockets].fd = fd;
	strcpy(sockets[nr_sockets].address.sun_path, path);
	nr_sockets++;
	return 0;
}

int listen_make(const char *runtime_dir)
{
	/* Root's daemon traces everybody; who may enter the directory decides else. */
	int error = make(runtime_dir, PROTOCOL_APP_SOCKET, geteuid() == 0 ? 0666 : 0600);

	return error ? error : make(runtime_dir, PROTOCOL_CONTROL_SOCKET, 0600);
}

void listen_end(void)
{
	/* Else the process's end does: messages of who was not accepted may have descriptors. */
	while (socket_is_refusing_fds() && nr_sockets > 0)
		close(sockets[--nr_sockets].fd);
	nr_sockets = 0;
	nr_passed = 0;
}

int listen_at(const char *path, int *fd)
{
	int place = find(path);

	if (place < 0)
		return -ENOENT;
	*fd = sockets[place].fd;
	return 0;
}
