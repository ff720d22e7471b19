/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-daemon.c - finds the session daemon, or starts one.
 *
 * A daemon in the background has no terminal. Until the daemon is ready, the command reads its
 * output from a pipe and shows that output if the start fails. Later messages go to the system's
 * log (log.h), and warnings also to the answer to "status".
 */
#include <config.h>

#include "cli/client/session-daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/locate.h"
#include "cli/base/message.h"
#include "cli/client/control-client.h"
#include "common/protocol/places.h"
#include "common/base/socket.h"
#include "common/base/time.h"

#define DAEMON_NAME "lttngmap-sessiond"
#define READY_TIMEOUT_MS 10000

/* ---- where ------------------------------------------------------------------- */

const char *session_daemon_chosen(const char *chosen)
{
	const char *variable = getenv("LTTNGMAP_RUNTIME_DIR");

	if (chosen)
		return chosen;
	return variable && variable[0] != '\0' ? variable : NULL;
}

bool session_daemon_is_own(const char *base, const char *path, uid_t uid)
{
	struct statx parent, status;

	return statx(AT_FDCWD, path, PLACES_LOOK | AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS,
		     &status) == 0 &&
	       statx(AT_FDCWD, base, PLACES_LOOK, STATX_BASIC_STATS, &parent) == 0 &&
	       places_is_own(&parent, &status, uid);
}

bool session_daemon_place(unsigned int place, char *path, size_t size)
{
	return places_make((enum place)place, geteuid(), getenv("XDG_RUNTIME_DIR"), path, size) &&
	       (place != PLACE_TEMPORARY ||
		session_daemon_is_own(PLACES_TEMPORARY_DIR, path, geteuid()));
}

/* Anybody can make a directory in /tmp: the listener must be this user or root. */
static int check_peer(const char *verb, const char *path, struct control_client *client)
{
	struct ucred peer;
	int error = socket_peer(control_client_fd(client), &peer);

	if (error || peer.uid == 0 || peer.uid == geteuid())
		return error;
	message_error("%s: the session daemon in %s is user %u's", verb, path, peer.uid);
	message_hint("--runtime-dir says which daemon to talk to");
	return -EPERM;
}

static bool is_absent(int error)
{
	return error == -ENOENT || error == -ECONNREFUSED || error == -ENOTDIR;
}

static int explain_connect(const char *verb, const char *path, int error)
{
	message_error("%s: cannot talk to the session daemon in %s: %s", verb, path,
		      strerror(-error));
	if (error == -EACCES || error == -EPERM)
		message_hint("it serves its own user, and root");
	return error;
}

int session_daemon_connect(const char *verb, const char *chosen, struct control_client **client)
{
	const char *given = session_daemon_chosen(chosen);
	char path[SOCKET_PATH_MAX + 1];
	int error;

	if (given) {
		error = control_client_connect(given, client);
		if (is_absent(error))
			return -ENOENT;
		return error ? explain_connect(verb, given, error) : 0;
	}
	for (unsigned int place = 0; place < PLACES; place++) {
		if (!session_daemon_place(place, path, sizeof(path)))
			continue;
		error = control_client_connect(path, client);
		/* Root's daemon counts as absent if this user may not connect to it. */
		if (is_absent(error) ||
		    (place == PLACE_SYSTEM && geteuid() != 0 && error == -EACCES))
			continue;
		if (error)
			return explain_connect(verb, path, error);
		error = check_peer(verb, path, *client);
		if (error) {
			control_client_close(*client);
			*client = NULL;
		}
		return error;
	}
	return -ENOENT;
}

static bool has_saved_state(const char *directory)
{
	char path[SOCKET_PATH_MAX + sizeof("/ledger.old")];

	snprintf(path, sizeof(path), "%s/ledger", directory);
	if (access(path, F_OK) == 0)
		return true;
	snprintf(path, sizeof(path), "%s/ledger.old", directory);
	return access(path, F_OK) == 0;
}

/* The directory of a daemon that may have been killed. NULL: none. */
static const char *find_left(const char *given, char *path, size_t size)
{
	if (given)
		return has_saved_state(given) ? given : NULL;
	for (unsigned int place = 0; place < PLACES; place++)
		if (session_daemon_place(place, path, size) && has_saved_state(path))
			return path;
	return NULL;
}

void session_daemon_report_missing(const char *verb, const char *chosen)
{
	const char *given = session_daemon_chosen(chosen), *left;
	char path[SOCKET_PATH_MAX + 1];

	if (given)
		message_error("%s: no session daemon runs in %s", verb, given);
	else
		message_error("%s: no session daemon runs", verb);
	left = find_left(given, path, sizeof(path));
	if (left)
		message_hint("one that was killed left its sessions there: `lttngmap recover %s` "
			     "makes traces of what is in their buffers",
			     left);
	message_hint("`lttngmap create` starts one, with a first session");
}

/* ---- start ------------------------------------------------------------------- */

struct background {
	int notify_fd; /* receives sd_notify's datagrams */
	char notify[64];
	int messages[2];
	char text[4096]; /* beginning of the daemon's output, ends with NUL */
	size_t length;
};

/* The kernel chooses an abstract name, which ends with the socket. */
static int open_notify(struct background *background)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t length = sizeof(address);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	background->notify_fd = fd;
	if (bind(fd, (struct sockaddr *)&address, sizeof(sa_family_t)) < 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &length) < 0)
		return -errno;
	length -= offsetof(struct sockaddr_un, sun_path);
	if (length < 2 || length > sizeof(background->notify))
		return -EADDRNOTAVAIL;
	memcpy(background->notify, address.sun_path, length);
	background->notify[0] = '@';
	background->notify[length] = '\0';
	return 0;
}

/* Runs in the forked child. */
static void run_daemon(const struct background *background, const char *program, const char *chosen)
{
	char *arguments[] = { DAEMON_NAME, chosen ? "--runtime-dir" : NULL, (char *)chosen, NULL };
	const char *preload = getenv("LD_PRELOAD");
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* After this command ends, nobody reads the output of the daemon and its children. */
	signal(SIGPIPE, SIG_IGN);
	if (chdir("/") < 0 || null_fd < 0)
		_exit(1);
	dup2(null_fd, STDIN_FILENO);
	dup2(background->messages[1], STDOUT_FILENO);
	dup2(background->messages[1], STDERR_FILENO);
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	setenv("NOTIFY_SOCKET", background->notify, 1);
	/* The daemon must not be traced by a recording of this command. */
	if (preload && strstr(preload, "/liblttngmap"))
		unsetenv("LD_PRELOAD");
	execvp(program, arguments);
	dprintf(STDERR_FILENO, "cannot execute '%s': %s\n", program, strerror(errno));
	_exit(127);
}

static void read_messages(struct background *background)
{
	char text[512];
	ssize_t length;

	while ((length = read(background->messages[0], text, sizeof(text))) > 0) {
		size_t room = sizeof(background->text) - 1 - background->length;
		size_t kept = (size_t)length < room ? (size_t)length : room;

		memcpy(background->text + background->length, text, kept);
		background->length += kept;
	}
}

static void show_messages(struct background *background)
{
	char *line = background->text, *next;

	while ((next = strsep(&line, "\n"))) {
		if (next[0] != '\0')
			message_note("%s", next);
	}
}

static bool is_ready(const struct background *background)
{
	char text[1024];
	ssize_t length;

	while ((length = recv(background->notify_fd, text, sizeof(text) - 1, 0)) >= 0) {
		text[length] = '\0';
		if (strncmp(text, "READY=1", 7) == 0 || strstr(text, "\nREADY=1"))
			return true;
	}
	return false;
}

/* 0; -ECHILD: the daemon ended; -ETIMEDOUT; other -errno. */
static int wait_ready(struct background *background, pid_t pid)
{
	int64_t deadline = time_now_ms() + READY_TIMEOUT_MS;
	int pidfd = pidfd_open(pid, 0);
	int error = pidfd < 0 ? -errno : 0;

	while (!error) {
		struct pollfd fds[] = {
			{ .fd = background->notify_fd, .events = POLLIN },
			{ .fd = background->messages[0], .events = POLLIN },
			{ .fd = pidfd, .events = POLLIN },
		};
		int64_t left = deadline - time_now_ms();

		if (poll(fds, 3, left > 0 ? left : 0) < 0 && errno != EINTR)
			error = -errno;
		read_messages(background);
		if (is_ready(background))
			break;
		if (fds[2].revents)
			error = -ECHILD;
		else if (left <= 0)
			error = -ETIMEDOUT;
	}
	if (pidfd >= 0)
		close(pidfd);
	return error;
}

static int spawn(struct background *background, const char *program, const char *chosen, pid_t *pid)
{
	int error = open_notify(background);

	if (error)
		return error;
	if (pipe2(background->messages, O_CLOEXEC) < 0)
		return -errno;
	if (fcntl(background->messages[0], F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	*pid = fork();
	if (*pid == 0)
		run_daemon(background, program, chosen);
	if (*pid < 0)
		return -errno;
	close(background->messages[1]);
	background->messages[1] = -1;
	return wait_ready(background, *pid);
}

void session_daemon_limits_hint(void)
{
	static const struct {
		int resource;
		rlim_t enough;
		const char *format;
	} limits[] = {
		{ RLIMIT_NOFILE, 256, "it may have %llu open files at most: raise `ulimit -n`" },
		{ RLIMIT_FSIZE, RLIM_INFINITY,
		  "its files may have %llu bytes at most: raise `ulimit -f`" },
		{ RLIMIT_AS, RLIM_INFINITY,
		  "its address space may have %llu bytes at most: raise `ulimit -v`" },
	};
	struct rlimit limit;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (getrlimit(limits[i].resource, &limit) == 0 && limit.rlim_cur < limits[i].enough)
			message_hint(limits[i].format, (unsigned long long)limit.rlim_cur);
}

static void explain_start(const char *verb, const char *program, int error)
{
	if (error == -ECHILD) {
		message_error("%s: the session daemon '%s' did not start", verb, program);
		session_daemon_limits_hint();
	} else if (error == -ETIMEDOUT) {
		message_error("%s: the session daemon '%s' was not ready within %d s", verb,
			      program, READY_TIMEOUT_MS / 1000);
	} else {
		message_error("%s: cannot start the session daemon '%s': %s", verb, program,
			      strerror(-error));
	}
	message_hint(
		"is lttngmap installed as a whole? LTTNGMAP_SESSIOND says where its daemon is");
}

int session_daemon_start(const char *verb, const char *chosen, struct control_client **client,
			 pid_t *pid)
{
	struct background background = { .notify_fd = -1, .messages = { -1, -1 } };
	char program[4096];
	pid_t child = 0;
	int error;

	locate_program(DAEMON_NAME, "LTTNGMAP_SESSIOND", program, sizeof(program));
	error = spawn(&background, program, chosen, &child);
	if (error && child > 0) {
		kill(child, SIGTERM);
		waitpid(child, NULL, WNOHANG);
		child = 0;
		/* Another command may have started a daemon at the same time. */
		if (session_daemon_connect(verb, chosen, client) == 0) {
			error = 0;
			goto out;
		}
	}
	show_messages(&background);
	if (error)
		explain_start(verb, program, error);
	else
		error = session_daemon_connect(verb, chosen, client);
	if (error == -ENOENT && child > 0)
		explain_start(verb, program, -ECHILD);
out:
	*pid = child;
	if (background.notify_fd >= 0)
		close(background.notify_fd);
	for (int i = 0; i < 2; i++) {
		if (background.messages[i] >= 0)
			close(background.messages[i]);
	}
	return error;
}
