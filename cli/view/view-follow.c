/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view-follow.c - a trace while it is recorded: twice a second the session daemon is asked to
 * let go of what is in buffers, and what is on disk then is shown.
 *
 * Rings are read one after another, so what is on disk of one may be later than what is yet to
 * come of another. So events are shown up to the time when the daemon was asked the
 * last time but one: all of those have come by now, unless something was very late; then
 * they are shown when they come.
 */
#include <config.h>

#include "cli/view/view.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/top/top.h"

#define NS_PER_S INT64_C(1000000000)
#define EVERY_MS 500
#define ANSWER_TIMEOUT_MS 2000
/* So long a daemon that died may take to be there again, looks. */
#define ABSENCE_MOST 20
/* Looks without anything new, when nothing is recorded any more, and all has come. */
#define QUIET_LOOKS 2

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

struct follower {
	struct view *view;
	struct view_segments *segments;
	struct top top;
	char path[PATH_MAX];                   /* as the daemon calls it */
	char runtime_dir[SOCKET_PATH_MAX + 1]; /* of the daemon whose session it is, or was */
	bool was_recorded;
	unsigned absent, quiet;
	int64_t asked_ns; /* when the daemon was asked last, since 1970 */
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* Is `path` the folder, or in it? */
static bool is_in(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return length > 0 && strncmp(path, folder, length) == 0 &&
	       (path[length] == '\0' || path[length] == '/');
}

/* Is there an active session whose trace this is? Then it is asked to let go of its events. */
static bool ask_daemons(struct follower *follower)
{
	struct top_daemon *daemon;
	bool is_silent = false;

	top_look(&follower->top);
	for (daemon = follower->top.daemons; daemon; daemon = daemon->next) {
		/* One that was killed is started again, and keeps us waiting meanwhile. */
		is_silent |= daemon->error != 0 && daemon->error != -ENOENT;
		for (size_t i = 0; i < daemon->sample.nr_sessions; i++) {
			const struct top_session *session = &daemon->sample.sessions[i];

			if (!session->active || session->is_kernel ||
			    !is_in(follower->path, session->output))
				continue;
			follower->absent = 0;
			follower->was_recorded = true;
			/* From now on this one alone: others may be long in answering. */
			strcpy(follower->runtime_dir, daemon->runtime_dir);
			follower->top.chosen = follower->runtime_dir;
			follower->top.everywhere = false;
			/* A flight recorder refuses: what it has is no trace before it is asked. */
			if (!session->snapshot)
				(void)top_sample_flush(daemon, session->name, ANSWER_TIMEOUT_MS);
			return true;
		}
	}
	return follower->was_recorded && is_silent && ++follower->absent <= ABSENCE_MOST;
}

/* What has come, up to `horizon`. 0 or -errno. */
static int show(struct follower *follower, int64_t horizon)
{
	struct view *view = follower->view;
	struct view_traces traces = { 0 };
	bool more;
	int error;

	do {
		view_segments_set_horizon(follower->segments, horizon);
		error = view_segments_begin(follower->segments, &traces, &more);
		if (!error && traces.count > 0)
			error = view_graph_run(view, &traces);
		view_streams_free(&view->streams);
		view_segments_end(follower->segments, &traces);
		text_output_flush(&view->output);
	} while (!error && more && !view_segments_are_late(follower->segments) && !interrupted &&
		 !view->output.error && !view->is_past);
	return error;
}

static void wait_a_while(void)
{
	struct timespec rest = { .tv_nsec = EVERY_MS * 1000000L };

	nanosleep(&rest, NULL);
}

static int follow(struct follower *follower)
{
	const struct view *view = follower->view;
	bool is_recorded;
	int error;

	do {
		int64_t horizon = follower->asked_ns;

		follower->asked_ns = now_ns();
		is_recorded = ask_daemons(follower);
		/* The last ones come a moment after it was stopped. */
		if (is_recorded || !follower->was_recorded)
			follower->quiet = 0;
		if (is_recorded || follower->was_recorded)
			wait_a_while();
		if (interrupted)
			break;
		error = show(follower, is_recorded ? horizon : INT64_MAX);
		if (error)
			return error;
		if (!is_recorded && !view_segments_wait(follower->segments))
			follower->quiet++;
		if (!follower->was_recorded)
			break;
	} while (follower->quiet < QUIET_LOOKS && !view->output.error && !view->is_past);
	return 0;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	/* No SA_RESTART: they end a wait. */
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

int view_follow_run(struct view *view, const char *path)
{
	struct follower follower = {
		.view = view,
		.top = { .sessions_only = true,
			 .everywhere = true,
			 .timeout_ms = ANSWER_TIMEOUT_MS },
	};
	int error;

	if (!realpath(path, follower.path)) {
		error = -errno;
		message_error("%s: '%s': %s", view_verb, path, strerror(-error));
		return error;
	}
	follower.segments = view_segments_create(follower.path);
	if (!follower.segments) {
		message_error("%s: %s", view_verb, strerror(ENOMEM));
		return -ENOMEM;
	}
	catch_signals();
	view->segments = follower.segments;
	error = follow(&follower);
	if (!error && !follower.was_recorded)
		message_note("%s: '%s' is not being recorded now", view_verb, path);
	view->segments = NULL;
	view->broken = view_segments_broken(follower.segments);
	view_segments_destroy(follower.segments);
	top_free(&follower.top);
	return error;
}
