/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/relay/relay-keep.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/time.h"
#include "relay/presence.h"

/* A sender that is killed again so soon is killed for what it does. */
#define SHORT_LIFE_MS 10000
#define SHORT_LIVES_MAX 10
#define PAUSE_MIN_MS 100
#define PAUSE_MAX_MS 1000

struct keep {
	const struct relay_config *config;
	int (*send)(void *data);
	void *data;
	sigset_t signals;
	pid_t child;
	int64_t born_ms;
	int short_lives; /* in a row */
	int64_t pause_ms;
	int told; /* signal that every child has to receive; 0: none */
};

/* Marks the trace as sent by us, until the last of parent and children ends. 0 or -errno. */
static int take_place(const struct relay_config *config)
{
	int fd, output = open(config->output, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (output < 0)
		return -errno;
	fd = presence_take(output, &config->url, config->is_spool, PRESENCE_KEEPER);
	close(output);
	return fd < 0 ? fd : 0;
}

static int start_child(struct keep *keep)
{
	keep->born_ms = time_now_ms();
	keep->child = fork();
	if (keep->child < 0)
		return -errno;
	if (keep->child == 0)
		exit(keep->send(keep->data));
	if (keep->told)
		kill(keep->child, keep->told);
	return 0;
}

/*
 * Passes signals on for `ms` at most; -1: until the child ends. Returns whether the child has
 * ended.
 */
static bool wait_for_child(struct keep *keep, int64_t ms, int *status)
{
	struct timespec pause = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	int number = ms < 0 ? sigwaitinfo(&keep->signals, NULL)
			    : sigtimedwait(&keep->signals, NULL, &pause);

	if (number > 0 && number != SIGCHLD) {
		/* A signal to give up stays; a later one to finish (SIGTERM) does not replace it.
		 */
		keep->told = keep->told && keep->told != SIGTERM ? keep->told : number;
		if (keep->child > 0)
			kill(keep->child, number);
	}
	return keep->child > 0 && waitpid(keep->child, status, WNOHANG) == keep->child;
}

/* True if another child is to be started; waits before that. */
static bool may_go_on(struct keep *keep, int status)
{
	int64_t end;

	if (keep->told && keep->told != SIGTERM)
		return false;
	keep->short_lives = time_now_ms() - keep->born_ms < SHORT_LIFE_MS ? keep->short_lives + 1
									  : 1;
	if (keep->short_lives >= SHORT_LIVES_MAX) {
		log_error("what sends %s is killed again and again (last by signal %d), and is not "
			  "started any more; the rest lies there: lttngmap relay sends it",
			  keep->config->output, WTERMSIG(status));
		return false;
	}
	if (keep->short_lives == 1)
		keep->pause_ms = PAUSE_MIN_MS;
	log_warning("what sends %s was killed by signal %d; it is started again",
		    keep->config->output, WTERMSIG(status));
	end = time_now_ms() + keep->pause_ms;
	keep->pause_ms = keep->pause_ms * 2 < PAUSE_MAX_MS ? keep->pause_ms * 2 : PAUSE_MAX_MS;
	for (int64_t left; (left = end - time_now_ms()) > 0;)
		(void)wait_for_child(keep, left, &status);
	return !keep->told || keep->told == SIGTERM;
}

static int keep_sending(struct keep *keep)
{
	int status, error;

	do {
		error = start_child(keep);
		/*
		 * The resource that is missing now may be the one that the last child was killed
		 * for.
		 */
		if (error && !keep->short_lives)
			return error;
		status = 0;
		while (!error && !wait_for_child(keep, -1, &status))
			;
		keep->child = 0;
		if (!error && WIFEXITED(status))
			return WEXITSTATUS(status);
	} while (may_go_on(keep, status));
	return EXIT_FAILURE;
}

int relay_keep(const struct relay_config *config, int (*send)(void *data), void *data)
{
	struct keep keep = { .config = config, .send = send, .data = data };
	struct sigaction before;
	int error = take_place(config);

	if (error)
		return error;
	log_init("lttngmap");
	(void)signal(SIGCHLD, SIG_DFL);
	/* The messages may have no reader: log.h. */
	(void)signal(SIGPIPE, SIG_IGN);
	sigemptyset(&keep.signals);
	sigaddset(&keep.signals, SIGTERM);
	sigaddset(&keep.signals, SIGINT);
	/* A sender started by nohup keeps running. */
	sigaction(SIGHUP, NULL, &before);
	if (before.sa_handler != SIG_IGN)
		sigaddset(&keep.signals, SIGHUP);
	sigaddset(&keep.signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &keep.signals, NULL);
	return keep_sending(&keep);
}
