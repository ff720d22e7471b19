/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * record-child.c - the recorded program: start, signals, end.
 *
 * The program stays in the command's process group, so that the terminal treats both as one job.
 * While it runs, signals are handled so:
 *
 *   from the terminal (SI_KERNEL)  nothing: the program received the signal, too
 *   from the program itself        nothing
 *   from another process           passed on: the sender meant this process alone, or the
 *                                  group, where receiving it twice does no harm
 *   SIGTSTP                        passed on likewise; then the command stops, too
 *   SIGCHLD                        finds out which child ended
 *
 * A signal that asks for the end also ends --follow's waiting for descendants, whenever it comes.
 *
 * A program that blocks because its output is in trouble receives no signal in a system call that
 * would end. So a signal that asks for the end also stops the recording then: the program goes on.
 *
 * Before the program starts, a signal ends the command at once. After the program, the first signal
 * is ignored, because finishing the trace takes only a moment; the second one ends the command.
 */
#include <config.h>

#include "cli/record/record.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/verb.h"
#include "cli/client/control-client.h"
#include "common/base/time.h"

#define PROGRESS_MS 500

static const int watched[] = {
	SIGCHLD, SIGINT,  SIGTERM, SIGHUP,   SIGQUIT, SIGUSR1,
	SIGUSR2, SIGCONT, SIGTSTP, SIGWINCH, SIGPIPE,
};

/* SIGCHLD's action at the start, which the program gets back. */
static struct sigaction inherited_chld;

int record_signals_watch(struct record *record)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(watched) / sizeof(watched[0]); i++)
		sigaddset(&set, watched[i]);
	/* If a process ignores SIGCHLD, its children leave no status. */
	sigaction(SIGCHLD, &plain, &inherited_chld);
	sigprocmask(SIG_BLOCK, &set, &record->inherited_mask);
	/* SIGPIPE stays blocked after a write to a closed stderr; nobody reads it. */
	sigdelset(&set, SIGPIPE);
	record->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (record->signal_fd >= 0)
		return 0;
	message_error("%s: signalfd: %s", record->options.verb, strerror(errno));
	return -errno;
}

static bool is_running(const struct record *record)
{
	return record->child > 0 && !record->child_ended;
}

static void reap(struct record *record)
{
	int status;

	if (is_running(record) && waitpid(record->child, &status, WNOHANG) == record->child) {
		record->child_status = status;
		record->child_ended = true;
	}
	if (record->daemon > 0 && waitpid(record->daemon, &status, WNOHANG) == record->daemon) {
		/* Its group may still exist; record_daemon_end() ends it otherwise. */
		kill(-record->daemon, SIGKILL);
		record->daemon = 0;
	}
}

/* Stops as a job of the shell, by the default action of SIGTSTP. */
static void stop_self(void)
{
	sigset_t set;

	record_progress_clear();
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static void handle_end_request(struct record *record, int number)
{
	if (!record->child_ended) {
		record->interrupted = number;
		return;
	}
	/* The first signal may be the one that ended the program. */
	if (record->interrupted >= 0)
		record->interrupted = -1;
	else
		record->interrupted = number;
	if (record->interrupted < 0 && !record->options.map)
		message_note("finishing the trace; once more to give up");
}

static void handle(struct record *record, const struct signalfd_siginfo *info)
{
	int number = info->ssi_signo;
	bool forwards = is_running(record) && info->ssi_code != SI_KERNEL &&
			(pid_t)info->ssi_pid != record->child;

	switch (number) {
	case SIGCHLD:
		reap(record);
		return;
	case SIGTSTP:
		if (forwards)
			kill(record->child, number);
		stop_self();
		return;
	case SIGINT:
	case SIGTERM:
	case SIGHUP:
	case SIGQUIT:
		if (!is_running(record) && !record->is_following) {
			handle_end_request(record, number);
			return;
		}
		record->wants_release = true;
		break;
	}
	if (forwards)
		kill(record->child, number);
}

void record_signals_handle(struct record *record)
{
	struct signalfd_siginfo info;

	while (read(record->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		handle(record, &info);
}

bool record_wants_end(const struct record *record)
{
	return record->interrupted > 0;
}

/*
 * A program built with AddressSanitizer ends at its start if another library comes before its
 * runtime, unless this option allows that.
 */
static void allow_before_sanitizer(void)
{
	const char *options = getenv("ASAN_OPTIONS");
	char longer[4096];

	if ((size_t)snprintf(longer, sizeof(longer), "%s%sverify_asan_link_order=0",
			     options ? options : "", options ? ":" : "") < sizeof(longer))
		setenv("ASAN_OPTIONS", longer, 1);
}

/* Waits to be let go, or ends with the parent. */
static void wait_for_go(int go_fd, pid_t parent)
{
	char go;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent ||
	    read(go_fd, &go, 1) != 1 || prctl(PR_SET_PDEATHSIG, 0) < 0)
		_exit(CLI_STATUS_RECORD);
}

/* Runs in the forked child, which has only a few variables of ours. */
static void run_command(struct record *record, int error_fd)
{
	char timeout[32];

	setenv("LTTNGMAP_RUNTIME_DIR", record->runtime_dir, 1);
	if (record->preload[0] != '\0') {
		setenv("LD_PRELOAD", record->preload, 1);
		allow_before_sanitizer();
	} else {
		unsetenv("LD_PRELOAD");
	}
	record_sdt_set_environment(record);
	if (record->options.functions)
		setenv("LTTNGMAP_FUNCTIONS", record->options.functions, 1);
	snprintf(timeout, sizeof(timeout), "%llu", (unsigned long long)record->register_ms);
	setenv("LTTNGMAP_REGISTER_TIMEOUT", timeout, 1);
	if (strcmp(record->options.mode, "blocking") == 0)
		setenv("LTTNGMAP_ALLOW_BLOCKING", "1", 1);
	sigaction(SIGCHLD, &inherited_chld, NULL);
	sigprocmask(SIG_SETMASK, &record->inherited_mask, NULL);
	/* Like execvp(): a shell runs a file without "#!" that the kernel refuses. */
	if (strchr(record->command[0], '/'))
		execvp(record->command[0], record->command);
	else
		execv(record->program, record->command);
	if (errno == ENOEXEC)
		execvp(record->command[0], record->command);
	if (write(error_fd, &errno, sizeof(errno)) < 0)
		_exit(CLI_STATUS_RECORD);
	_exit(CLI_STATUS_NOT_EXECUTABLE);
}

int record_child_prepare(struct record *record)
{
	int go_fds[2], error_fds[2];
	pid_t parent = getpid();

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go_fds) < 0) {
		message_error("%s: socketpair: %s", record->options.verb, strerror(errno));
		return CLI_STATUS_RECORD;
	}
	if (pipe2(error_fds, O_CLOEXEC) < 0) {
		message_error("%s: pipe: %s", record->options.verb, strerror(errno));
		goto close_go;
	}
	fflush(NULL);
	record->prepared = fork();
	if (record->prepared == 0) {
		close(go_fds[1]);
		wait_for_go(go_fds[0], parent);
		run_command(record, error_fds[1]);
	}
	if (record->prepared < 0) {
		message_error("%s: cannot start a process: %s", record->options.verb,
			      strerror(errno));
		record->prepared = 0;
		goto close_error;
	}
	close(go_fds[0]);
	close(error_fds[1]);
	record->go_fd = go_fds[1];
	record->error_fd = error_fds[0];
	return 0;

close_error:
	close(error_fds[0]);
	close(error_fds[1]);
close_go:
	close(go_fds[0]);
	close(go_fds[1]);
	return CLI_STATUS_RECORD;
}

void record_child_drop(struct record *record)
{
	if (record->prepared <= 0)
		return;
	kill(record->prepared, SIGKILL);
	waitpid(record->prepared, NULL, 0);
	close(record->go_fd);
	close(record->error_fd);
	record->prepared = 0;
}

int record_child_start(struct record *record)
{
	int status = record->prepared ? 0 : record_child_prepare(record), error = 0;

	if (status)
		return status;
	record->child = record->prepared;
	record->prepared = 0;
	/* The child was killed if its end is closed; its end is then handled as any other. */
	if (send(record->go_fd, "", 1, MSG_NOSIGNAL) != 1)
		message_note("the program ended before it was started");
	close(record->go_fd);
	if (read(record->error_fd, &error, sizeof(error)) != (ssize_t)sizeof(error))
		error = 0;
	close(record->error_fd);
	if (!error)
		return 0;
	waitpid(record->child, NULL, 0);
	record->child = 0;
	message_error("%s: cannot run '%s': %s", record->options.verb, record->command[0],
		      strerror(error));
	if (error == ENOENT) {
		message_hint("its interpreter '%s' does not exist", record->interpreter);
		return CLI_STATUS_NOT_FOUND;
	}
	return CLI_STATUS_NOT_EXECUTABLE;
}

/*
 * Waits once for signals and the daemon; a silent daemon never delays a signal. The daemon is asked
 * whoever looks: an output in trouble is reported while the program runs.
 */
static void wait_round(struct record *record)
{
	bool pending = record->client && control_client_pending(record->client);
	struct pollfd fds[] = {
		{ .fd = record->signal_fd, .events = POLLIN },
		{ .fd = record->client ? control_client_fd(record->client) : -1, .events = POLLIN },
	};
	int64_t left = record->tick_ms ? record->next_tick_ms - time_now_ms() : PROGRESS_MS;
	int ready = poll(fds, 2, left > PROGRESS_MS ? PROGRESS_MS : left > 0 ? (int)left : 0);

	record_signals_handle(record);
	if (record->client && (fds[1].revents || pending)) {
		int error = record_status_read(record);

		if (error == 0)
			record_progress_draw(record);
		else if (error != -EAGAIN)
			record_daemon_lost(record);
	}
	if (ready == 0 && record->client && (is_running(record) || record->is_following) &&
	    record_status_ask(record) < 0)
		record_daemon_lost(record);
	if (record->wants_release && record->client && is_running(record))
		record_session_release(record);
	if (record->tick_ms && record->client && time_now_ms() >= record->next_tick_ms) {
		record->next_tick_ms = time_now_ms() + (int64_t)record->tick_ms;
		record->tick(record);
	}
}

int record_child_wait(struct record *record)
{
	record->next_tick_ms = time_now_ms() + (int64_t)record->tick_ms;
	while (is_running(record) || record_follow_goes_on(record)) {
		wait_round(record);
		record_log_show(record);
	}
	record->is_following = false;
	record_progress_clear();
	if (record->released_ms)
		record->unrecorded_ms = (uint64_t)(time_now_ms() - record->released_ms);
	/* The next message stands on a line of its own, not behind the terminal's ^C. */
	if (WIFSIGNALED(record->child_status) && WTERMSIG(record->child_status) == SIGINT &&
	    isatty(STDERR_FILENO)) {
		fputc('\n', stderr);
		message_note("the program was ended by ^C (SIGINT)");
	}
	if (WIFSIGNALED(record->child_status))
		return CLI_STATUS_SIGNALLED + WTERMSIG(record->child_status);
	return WEXITSTATUS(record->child_status);
}
