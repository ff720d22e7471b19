/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/fuzz/fuzz-daemon.h"

#include <limits.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <systemd/sd-event.h>
#include <urcu.h>

#include "common/base/socket.h"
#include "sessiond/memory/control-pages.h"
#include "sessiond/daemon.h"
#include "sessiond/base/parts.h"
#include "sessiond/storage/saved-state.h"
#include "sessiond/base/listen.h"
#include "sessiond/memory/memory-set.h"
#include "sessiond/session/process.h"
#include "sessiond/session/session.h"
#include "tests/fuzz/fuzz.h"

/* Inputs that one daemon serves. */
#define LIFE 64u
/* More than any input gives it to do. */
#define ROUNDS_MAX 100000u

static struct daemon *daemon_now;
static struct saved_state *saved_state;
static sd_event *event;
static struct options options;
static unsigned served;

static void make_daemon(void)
{
	char rings[PATH_MAX];

	options = (struct options){
		.runtime_dir = (char *)fuzz_directory(),
		.mediator = "ring-socket",
		.clock = "monotonic",
		.consumer = "none",
		.private_instance = true,
	};
	snprintf(rings, sizeof(rings), "%s/rings", fuzz_directory());
	FUZZ_CHECK(mkdir(rings, 0700) == 0);
	FUZZ_CHECK(sd_event_new(&event) >= 0);
	FUZZ_CHECK(saved_state_create((uint32_t)control_pages_cpu_rings(), &saved_state) == 0);
	saved_state->head->lives = 1;
	FUZZ_CHECK(listen_make(options.runtime_dir) == 0);
	FUZZ_CHECK(daemon_create(&options, saved_state, event, NULL, &daemon_now) == 0);
}

static void destroy_daemon(void)
{
	if (!daemon_now)
		return;
	daemon_destroy(daemon_now);
	listen_end();
	saved_state_destroy(saved_state);
	event = sd_event_unref(event);
	daemon_now = NULL;
	fuzz_directory_clear();
}

static void settle(void)
{
	unsigned rounds = 0;

	while (sd_event_run(event, 0) > 0)
		FUZZ_CHECK(rounds++ < ROUNDS_MAX);
}

void fuzz_daemon_begin(void)
{
	static bool is_registered;

	if (!is_registered) {
		rcu_register_thread();
		/* Before the directory's removal, whose function is called later then. */
		fuzz_directory();
		atexit(destroy_daemon);
	}
	is_registered = true;
	if (!daemon_now)
		make_daemon();
}

int fuzz_daemon_connect(const char *socket)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", fuzz_directory(), socket);
	FUZZ_CHECK(socket_connect(path, SOCK_SEQPACKET | SOCK_NONBLOCK, &fd) == 0);
	return fd;
}

void fuzz_daemon_tell(int fd, const void *bytes, size_t size)
{
	static char answer[1 << 20];
	int fds[SOCKET_FDS_MAX];
	size_t nr_fds;
	ssize_t got;

	/* Not socket_send(): an empty message is to go out too. */
	(void)!send(fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
	settle();
	do {
		nr_fds = SOCKET_FDS_MAX;
		got = socket_receive(fd, answer, sizeof(answer), MSG_DONTWAIT, fds, &nr_fds);
		while (got > 0 && nr_fds > 0)
			close(fds[--nr_fds]);
	} while (got > 0);
}

void fuzz_daemon_end(void)
{
	settle();
	if (++served % LIFE == 0) {
		destroy_daemon();
		return;
	}
	sessions_destroy(daemon_now->sessions);
	daemon_now->sessions = NULL;
	FUZZ_CHECK(sessions_create(daemon_now, &daemon_now->sessions) == 0);
}
