/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/relay/relay-child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "common/protocol/protocol-control.h"
#include "relay/connection.h"
#include "relay/presence.h"

#define SELF "/proc/self/exe"
#define SPOOL_DIRECTORY "/var/tmp"
#define CHECK_TIMEOUT_MS 5000
#define START_TIMEOUT_MS 20000

static int check_sizes(const char *verb, struct relay_options *options, bool keeps)
{
	const char *text = options->spool_size ? options->spool_size : RELAY_SPOOL_SIZE;

	if (options->spool_size && keeps) {
		message_error("%s: --spool-size: with -o, everything stays in the directory", verb);
		message_hint("leave out one of them");
		return -EINVAL;
	}
	if (options_parse_size(text, &options->spool) || options->spool < RELAY_SPOOL_LEAST ||
	    options->spool > INT64_MAX) {
		message_error("%s: --spool-size: '%s' cannot be used", verb, text);
		message_hint("it is 16M or more");
		return -EINVAL;
	}
	if (keeps)
		options->spool = 0;
	return 0;
}

int relay_live_parse(const char *verb, const char *text, uint64_t *ms)
{
	if (options_parse_duration(text, ms) == 0 && *ms >= PROTOCOL_CONTROL_LIVE_MIN_MS &&
	    *ms <= PROTOCOL_CONTROL_LIVE_MAX_MS)
		return 0;
	message_error("%s: --live: '%s' cannot be used", verb, text);
	message_hint("it is a time from 100 ms to a minute");
	return -EINVAL;
}

int relay_options_check(const char *verb, struct relay_options *options, bool keeps)
{
	struct relay_url url;
	const char *why;

	if (!options->url && options->spool_size) {
		message_error("%s: --spool-size is about a collector, and none is named", verb);
		message_hint("name it by its URL, as net://127.0.0.1");
		return -EINVAL;
	}
	if (!options->url && options->live) {
		message_error("%s: --live is about a collector, and none is named", verb);
		message_hint("`lttngmap view --follow` watches a trace here");
		return -EINVAL;
	}
	if (!options->url)
		return 0;
	if (options->live && relay_live_parse(verb, options->live, &options->live_ms))
		return -EINVAL;
	if (strlen(options->url) >= RELAY_URL_MAX ||
	    relay_url_parse(options->url, &url, &why) != 0) {
		message_error("%s: '%.200s' is no URL of a collector", verb, options->url);
		message_hint("%s", why);
		return -EINVAL;
	}
	return check_sizes(verb, options, keeps);
}

int relay_child_check(const char *verb, const struct relay_options *options)
{
	struct relay_url url;
	const char *why;
	int error;

	if (relay_url_parse(options->url, &url, &why) != 0)
		return -EINVAL;
	error = relay_connection_probe(&url, CHECK_TIMEOUT_MS);
	if (!error)
		return 0;
	message_error("%s: no collector can be used at %s: %s", verb, options->url,
		      error == -EPROTONOSUPPORT || error == -EPROTO
			      ? "who answers is no lttng-relayd of 2.11 or later"
			      : strerror(-error));
	message_hint("`lttng-relayd` is to run there");
	return error;
}

int relay_spool_create(const char *verb, struct output_dir *dir)
{
	const char *chosen = getenv("LTTNGMAP_SPOOL_DIR");
	char path[PATH_MAX];
	int error, folder = -1;

	*dir = (struct output_dir){ .made = false };
	snprintf(path, sizeof(path), "%s/lttngmap-spool-XXXXXX",
		 chosen && chosen[0] == '/' ? chosen : SPOOL_DIRECTORY);
	if (mkdtemp(path))
		folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	error = folder < 0 ? -errno : output_dir_hold(dir, folder);
	dir->made = !error;
	if (!error)
		return 0;
	message_error("%s: cannot make a directory for what waits for the collector, '%s': %s",
		      verb, path, strerror(-error));
	message_hint("LTTNGMAP_SPOOL_DIR says where it is made");
	return error;
}

/* Nobody reads the child's output: messages go to the system's log (log.h). */
static void go_to_background(void)
{
	int ends[2];
	pid_t pid;

	setsid();
	pid = fork();
	if (pid != 0)
		_exit(pid < 0 ? 1 : 0);
	if (chdir("/") < 0 || pipe(ends) < 0)
		_exit(1);
	dup2(ends[1], STDERR_FILENO);
	close(ends[0]);
	close(ends[1]);
}

/* Runs in the forked child; makes only system calls that do not affect the parent. */
static void run_child(char *const *arguments, bool detached)
{
	const char *preload = getenv("LD_PRELOAD");
	sigset_t until_handled;
	int null_fd;

	if (detached)
		go_to_background();
	else
		/* The terminal's signals are not for the child. */
		setpgid(0, 0);
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null_fd < 0)
		_exit(1);
	dup2(null_fd, STDIN_FILENO);
	dup2(null_fd, STDOUT_FILENO);
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	/* The end may be asked for before the sender has its handlers: relay-run.c, relay-keep.c.
	 */
	sigemptyset(&until_handled);
	sigaddset(&until_handled, SIGTERM);
	sigaddset(&until_handled, SIGINT);
	sigaddset(&until_handled, SIGHUP);
	sigprocmask(SIG_SETMASK, &until_handled, NULL);
	if (preload && strstr(preload, "/liblttngmap"))
		unsetenv("LD_PRELOAD");
	execv(SELF, arguments);
	_exit(127);
}

/* Waits until others can see that the trace is being sent. */
static bool is_there_soon(const struct relay_options *options, const char *output)
{
	const struct timespec pause = { .tv_nsec = 5 * 1000000 };
	struct relay_url url;
	const char *why;

	if (relay_url_parse(options->url, &url, &why) != 0)
		return false;
	for (int round = 0; round < START_TIMEOUT_MS / 5; round++) {
		if (presence_look(output, &url, options->spool) == 1)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

int relay_child_start(const char *verb, const struct relay_options *options, const char *output,
		      const char *session, bool detached, pid_t *pid)
{
	char *arguments[12] = { (char *)"lttngmap",  (char *)"relay",     (char *)"--quiet",
				(char *)"--restart", (char *)"--session", (char *)session };
	int nr_arguments = 6, status;
	pid_t child;

	if (options->spool)
		arguments[nr_arguments++] = (char *)"--spool";
	if (options->live) {
		arguments[nr_arguments++] = (char *)"--live";
		arguments[nr_arguments++] = options->live;
	}
	arguments[nr_arguments++] = options->url;
	arguments[nr_arguments++] = (char *)output;
	child = fork();
	if (child == 0)
		run_child(arguments, detached);
	*pid = detached ? 0 : child;
	if (child > 0 && (!detached || (waitpid(child, &status, 0) == child && status == 0 &&
					is_there_soon(options, output))))
		return 0;
	message_error("%s: cannot start what sends the trace to %s: %s", verb, options->url,
		      child < 0 ? strerror(errno) : "it ended at once");
	return -EAGAIN;
}
