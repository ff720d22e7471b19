/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * record-daemon.c - private daemons in a private directory: start and end.
 *
 * The session daemon has a session (setsid) of its own, so that ^C and a closed terminal do not
 * reach it. It ends when the command ends. It reports by sd_notify's protocol when it is ready. Its
 * output goes to a memfd, because a pipe needs a reader all the time, and a file could fill a disk
 * and stay behind.
 */
#include <config.h>

#include "cli/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <lttngmap/abi.h>

#include "cli/base/locate.h"
#include "cli/base/message.h"
#include "cli/client/control-client.h"
#include "cli/client/session-daemon.h"
#include "common/protocol/protocol-control.h"
#include "common/base/time.h"

#define DAEMON_NAME "lttngmap-sessiond"
#define READY_TIMEOUT_MS 10000
#define END_TIMEOUT_MS 5000
#define TEMPLATE "lttngmap-XXXXXX"
#define LOGIN_DIR "/run/user/"
#define OUR_SESSION "session " RECORD_SESSION ": "

/* True for root: its programs may change their user, and then talk to the daemon as that user. */
static bool is_for_others(void)
{
	return geteuid() == 0;
}

/*
 * The user's own runtime directory. Root's login has one that others cannot enter, so root's is not
 * used.
 */
static const char *runtime_base(void)
{
	const char *base = getenv("XDG_RUNTIME_DIR");
	struct stat status;

	if (base && base[0] == '/' && strlen(base) + sizeof("/" TEMPLATE) <= RECORD_RUNTIME_MAX &&
	    stat(base, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
	    access(base, W_OK | X_OK) == 0 &&
	    (!is_for_others() || strncmp(base, LOGIN_DIR, strlen(LOGIN_DIR)) != 0))
		return base;
	return "/tmp";
}

int record_runtime_create(struct record *record)
{
	const char *base = runtime_base();
	char path[RECORD_RUNTIME_MAX];
	int error;

	snprintf(path, sizeof(path), "%s/" TEMPLATE, base);
	if (!mkdtemp(path) || (is_for_others() && chmod(path, 0711) != 0)) {
		error = errno;
		message_error("%s: cannot make a directory for the daemon in %s: %s",
			      record->options.verb, base, strerror(error));
		message_hint("make room there, or let XDG_RUNTIME_DIR name a directory of yours");
		return -error;
	}
	strcpy(record->runtime_dir, path);
	return 0;
}

static int make_notify_socket(struct record *record, char *path, size_t size)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int error;

	snprintf(path, size, "%s/notify.sock", record->runtime_dir);
	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	record->notify_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (record->notify_fd < 0)
		return -errno;
	if (bind(record->notify_fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return 0;
	error = -errno;
	close(record->notify_fd);
	record->notify_fd = -1;
	return error;
}

/* The daemon must not be traced by a recording of this command. */
static void set_daemon_environment(const char *notify_path)
{
	const char *preload = getenv("LD_PRELOAD");

	setenv("NOTIFY_SOCKET", notify_path, 1);
	unsetenv("LTTNGMAP_RUNTIME_DIR");
	if (preload && strstr(preload, "/liblttngmap"))
		unsetenv("LD_PRELOAD");
}

/*
 * Root's daemon mounts a file system that only it needs. Its own mount namespace removes the mount
 * when the last process in it ends, however it ends.
 */
static void leave_mounts(void)
{
	if (unshare(CLONE_NEWNS) == 0)
		mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL);
}

/* Runs in the forked child; sends the errno of a failed exec up the pipe. */
static void run_daemon(struct record *record, const char *program, const char *notify_path,
		       int error_fd, pid_t parent)
{
	char mediator[64], clock[64], rings[PATH_MAX + 32];
	char *arguments[10];
	int n = 0, null_fd;
	sigset_t none;

	arguments[n++] = DAEMON_NAME;
	arguments[n++] = "--private";
	arguments[n++] = "--runtime-dir";
	arguments[n++] = record->runtime_dir;
	if (record->preload[0] != '\0')
		arguments[n++] = "--preloaded";
	if (record->options.mediator) {
		snprintf(mediator, sizeof(mediator), "--mediator=%s", record->options.mediator);
		arguments[n++] = mediator;
	}
	if (record->options.clock) {
		snprintf(clock, sizeof(clock), "--clock=%s", record->options.clock);
		arguments[n++] = clock;
	}
	if (record->options.ring_dir) {
		snprintf(rings, sizeof(rings), "--%s=%s",
			 record->options.survive_panic ? "survive-panic" : "ring-dir",
			 record->options.ring_dir);
		arguments[n++] = rings;
	}
	arguments[n] = NULL;

	setsid();
	leave_mounts();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1); /* the parent died before it could be watched */
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null_fd >= 0)
		dup2(null_fd, STDIN_FILENO);
	dup2(record->log_fd, STDOUT_FILENO);
	dup2(record->log_fd, STDERR_FILENO);
	/* The daemon gets no descriptor that the caller left open. */
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	set_daemon_environment(notify_path);
	execvp(program, arguments);
	if (write(error_fd, &errno, sizeof(errno)) < 0)
		_exit(1);
	_exit(1);
}

static int spawn_daemon(struct record *record, const char *program, const char *notify_path)
{
	int pipe_fds[2], error = 0;
	pid_t parent = getpid();

	record->log_fd = memfd_create("lttngmap-log", MFD_CLOEXEC);
	if (record->log_fd < 0 || fcntl(record->log_fd, F_SETFL, O_APPEND) < 0 ||
	    pipe2(pipe_fds, O_CLOEXEC) < 0)
		return -errno;
	record->daemon = fork();
	if (record->daemon == 0)
		run_daemon(record, program, notify_path, pipe_fds[1], parent);
	record->daemon_session = record->daemon;
	if (record->daemon < 0)
		error = errno;
	close(pipe_fds[1]);
	if (record->daemon > 0 &&
	    read(pipe_fds[0], &error, sizeof(error)) == (ssize_t)sizeof(error)) {
		waitpid(record->daemon, NULL, 0);
		record->daemon = 0;
	}
	close(pipe_fds[0]);
	return -error;
}

/* True if a datagram with READY=1 has come. */
static bool is_ready(struct record *record)
{
	char text[4096];
	ssize_t length;

	while ((length = recv(record->notify_fd, text, sizeof(text) - 1, MSG_DONTWAIT)) >= 0) {
		text[length] = '\0';
		if (strncmp(text, "READY=1", 7) == 0 || strstr(text, "\nREADY=1"))
			return true;
	}
	return false;
}

static int wait_ready(struct record *record)
{
	int64_t deadline = time_now_ms() + READY_TIMEOUT_MS;

	for (;;) {
		struct pollfd fds[] = {
			{ .fd = record->notify_fd, .events = POLLIN },
			{ .fd = record->signal_fd, .events = POLLIN },
		};
		int64_t left = deadline - time_now_ms();

		if (is_ready(record))
			return 0;
		if (record->daemon == 0)
			return -ECHILD;
		if (record->interrupted)
			return -EINTR;
		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(fds, 2, left) < 0 && errno != EINTR)
			return -errno;
		record_signals_handle(record);
	}
}

int record_daemon_start(struct record *record)
{
	char program[PATH_MAX], notify_path[RECORD_RUNTIME_MAX + 16];
	int error;

	error = make_notify_socket(record, notify_path, sizeof(notify_path));
	if (error) {
		message_error("%s: cannot make a socket in %s: %s", record->options.verb,
			      record->runtime_dir, strerror(-error));
		return error;
	}
	locate_program(DAEMON_NAME, "LTTNGMAP_SESSIOND", program, sizeof(program));
	error = spawn_daemon(record, program, notify_path);
	if (error) {
		message_error("%s: cannot start the session daemon '%s': %s", record->options.verb,
			      program, strerror(-error));
		message_hint("is lttngmap installed as a whole? LTTNGMAP_SESSIOND says where its "
			     "daemon is");
		return error;
	}
	error = wait_ready(record);
	/*
	 * The daemon removes its directory if this command is killed; the directory must be empty
	 * then.
	 */
	unlink(notify_path);
	close(record->notify_fd);
	record->notify_fd = -1;
	record_log_show(record);
	if (error == -ECHILD) {
		message_error("%s: the session daemon '%s' did not start", record->options.verb,
			      program);
		session_daemon_limits_hint();
	} else if (error == -ETIMEDOUT) {
		message_error("%s: the session daemon '%s' was not ready within %d s",
			      record->options.verb, program, READY_TIMEOUT_MS / 1000);
		message_hint("is the machine overloaded, or the daemon of another version?");
	} else if (error && error != -EINTR) {
		message_error("%s: waiting for the session daemon: %s", record->options.verb,
			      strerror(-error));
	}
	return error;
}

/* The part of a daemon's line behind the names of the daemon, the level and our session. */
static const char *message_of(const char *line)
{
	static const char *const levels[] = { ": error: ", ": warning: ", ": info: " };
	static const char ours[] = OUR_SESSION;

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		const char *level = strstr(line, levels[i]);

		if (!level)
			continue;
		level += strlen(levels[i]);
		return level + (strncmp(level, ours, strlen(ours)) == 0 ? strlen(ours) : 0);
	}
	return line;
}

bool record_is_new(struct record *record, const char *message)
{
	unsigned place;

	for (unsigned i = 0; i < RECORD_MESSAGES_MAX; i++) {
		if (record->messages[i] && strcmp(record->messages[i], message) == 0)
			return false;
	}
	place = record->nr_messages++ % RECORD_MESSAGES_MAX;
	free(record->messages[place]);
	record->messages[place] = strdup(message);
	return true;
}

void record_show_message(struct record *record, const char *line)
{
	char message[2048];
	const char *begin = message_of(line), *name = strstr(line, OUR_SESSION);
	unsigned int rule;
	int behind = 0;

	/* The session has no name that its user knows, and ends with the program. */
	snprintf(message, sizeof(message), "%.*s", control_ended_length(begin), begin);
	if (!record_is_new(record, message))
		return;
	/* The channel has no name that its user knows, either. */
	if (sscanf(message, "rule %u of channel " RECORD_CHANNEL " %n", &rule, &behind) == 1 &&
	    behind) {
		message_note("%s: rule %u %s", record->options.verb, rule, message + behind);
		return;
	}
	if (!name || name >= begin)
		name = begin;
	message_note("%.*s%s", (int)(name - line), line, message);
}

void record_log_show(struct record *record)
{
	char text[4096];
	ssize_t length;

	if (record->log_fd < 0)
		return;
	while ((length = pread(record->log_fd, text, sizeof(text) - 1, record->log_shown)) > 0) {
		char *end = memrchr(text, '\n', length);
		char *line = text, *next;

		/* Keep an unfinished line until it ends, unless it is very long. */
		if (!end && length < (ssize_t)sizeof(text) - 1)
			return;
		if (end)
			length = end + 1 - text;
		record->log_shown += length;
		text[length] = '\0';
		while ((next = strsep(&line, "\n"))) {
			if (next[0] != '\0')
				record_show_message(record, next);
		}
	}
}

void record_log_end(struct record *record)
{
	record_log_show(record);
	if (record->log_fd >= 0)
		close(record->log_fd);
	record->log_fd = -1;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	remove(path);
	return 0;
}

static void remove_runtime(struct record *record)
{
	if (record->runtime_dir[0] == '\0')
		return;
	nftw(record->runtime_dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	record->runtime_dir[0] = '\0';
}

/* Waits for the daemon's end without reaping it, so that its number still is its group's. */
static bool wait_ended(pid_t daemon, int timeout_ms)
{
	int64_t deadline = time_now_ms() + timeout_ms;
	struct timespec pause = { .tv_nsec = 500000 };

	for (;;) {
		siginfo_t info = { .si_pid = 0 };

		if (waitid(P_PID, daemon, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid)
			return true;
		if (time_now_ms() >= deadline)
			return false;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 20000000)
			pause.tv_nsec *= 2;
	}
}

void record_daemon_end(struct record *record)
{
	control_client_close(record->client);
	record->client = NULL;
	if (record->daemon > 0) {
		kill(record->daemon, SIGTERM);
		if (!wait_ended(record->daemon, END_TIMEOUT_MS))
			message_error("%s: the session daemon did not end in %d s; killed",
				      record->options.verb, END_TIMEOUT_MS / 1000);
		/* Kills its whole group, in case it left processes. */
		kill(-record->daemon, SIGKILL);
		kill(record->daemon, SIGKILL);
		waitpid(record->daemon, NULL, 0);
		record->daemon = 0;
	}
	record_log_end(record);
	if (record->notify_fd >= 0)
		close(record->notify_fd);
	record->notify_fd = -1;
	remove_runtime(record);
}
