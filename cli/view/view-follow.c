/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view-follow.c - shows a trace while it is recorded. Twice a second the session daemon is asked to
 * write buffered events to disk. Then the events on disk are shown.
 *
 * Rings are written one after another, so one ring's events on disk may be later than missing
 * events of another ring. So only events before the last request but one are shown: all of those
 * are on disk by then. An event that comes even later is shown when it comes.
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
/* Looks during which a killed daemon may come back. */
#define ABSENCE_MOST 20
/* Looks without news after which the end of a stopped recording is shown. */
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
	char runtime_dir[SOCKET_PATH_MAX + 1]; /* of the daemon that has or had the session */
	bool was_recorded;
	unsigned absent, quiet;
	int64_t asked_ns; /* last request to the daemon, since 1970 */
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* True if `path` is the folder, or in it. */
static bool is_in(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return length > 0 && strncmp(path, folder, length) == 0 &&
	       (path[length] == '\0' || path[length] == '/');
}

/* True if the trace belongs to an active session. Asks its daemon to write buffered events. */
static bool ask_daemons(struct follower *follower)
{
	struct top_daemon *daemon;
	bool is_silent = false;

	top_look(&follower->top);
	for (daemon = follower->top.daemons; daemon; daemon = daemon->next) {
		/* A killed daemon is started again, and answers late. */
		is_silent |= daemon->error != 0 && daemon->error != -ENOENT;
		for (size_t i = 0; i < daemon->sample.nr_sessions; i++) {
			const struct top_session *session = &daemon->sample.sessions[i];

			if (!session->active || session->is_kernel ||
			    !is_in(follower->path, session->output))
				continue;
			follower->absent = 0;
			follower->was_recorded = true;
			/* From now on ask only this daemon, because others may be slow. */
			strcpy(follower->runtime_dir, daemon->runtime_dir);
			follower->top.chosen = follower->runtime_dir;
			follower->top.everywhere = false;
			/* A flight recorder refuses: it writes a trace only as a snapshot. */
			if (!session->snapshot)
				(void)top_sample_flush(daemon, session->name, ANSWER_TIMEOUT_MS);
			return true;
		}
	}
	return follower->was_recorded && is_silent && ++follower->absent <= ABSENCE_MOST;
}

/* Shows what has come, up to `horizon`. 0 or -errno. */
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
		/* The last events come a moment after the stop. */
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

	/* Without SA_RESTART, so that signals end a wait. */
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
	/* The session that stopped meanwhile has noted them. */
	losses_add(follower.path, &view->losses);
	view->segments = NULL;
	view->broken = view_segments_broken(follower.segments);
	view_segments_destroy(follower.segments);
	top_free(&follower.top);
	return error;
}
