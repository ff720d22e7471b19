/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/base/close-untrusted.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/socket.h"

/* A child that is not killed, as its parent was, ends by itself. */
#define CHILD_SECONDS 1

/*
 * A child that has copies of all descriptors, and does nothing. Its end sends no signal, so that it
 * is nobody's but ours. -1: there is none.
 */
static pid_t make_holder(void)
{
	struct timespec wait = { .tv_sec = CHILD_SECONDS };
	pid_t child = (pid_t)syscall(SYS_clone, 0ul, NULL, NULL, NULL, NULL);

	if (child != 0)
		return child;
	for (;;) {
		syscall(SYS_ppoll, NULL, 0, &wait, NULL, 0);
		syscall(SYS_exit_group, 0);
	}
}

static void close_by_child(int fd)
{
	pid_t child = make_holder();

	/* Those of earlier calls. */
	while (waitpid(-1, NULL, __WCLONE | WNOHANG) > 0)
		continue;
	/* Rather an open descriptor than a thread that waits. */
	if (child < 0)
		return;
	close(fd);
	kill(child, SIGKILL);
}

void close_untrusted(int fd)
{
	if (socket_is_refusing_fds()) {
		close(fd);
		return;
	}
	/* Nothing comes after this. */
	shutdown(fd, SHUT_RD);
	if (socket_has_message(fd))
		close_by_child(fd);
	else
		close(fd);
}
