/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/trace/sync.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/socket.h"

#define PROGRAM "/proc/self/exe"

extern char **environ;

/* With the folder's descriptor. */
struct request {
	uint64_t id;
};

struct answer {
	uint64_t id;
	int32_t error; /* -errno */
	uint32_t reserved;
};

struct syncer {
	sd_event *loop;
	sd_event_source *source; /* owns the socket; NULL: the other process is gone */
	unsigned seconds;
	uint64_t last_id;
	struct cds_list_head syncs;
};

unsigned sync_seconds(void)
{
	const char *text = getenv("LTTNGMAP_SYNC_SECONDS");
	unsigned long seconds;
	char *end;

	if (!text || !text[0])
		return SYNC_SECONDS;
	errno = 0;
	seconds = strtoul(text, &end, 10);
	if (errno == 0 && *end == '\0' && text[0] != '-' && seconds <= SYNC_SECONDS_MAX)
		return (unsigned)seconds;
	log_warning("LTTNGMAP_SYNC_SECONDS: '%s' is not a number from 0 to %u: it is %u", text,
		    SYNC_SECONDS_MAX, SYNC_SECONDS);
	return SYNC_SECONDS;
}

/* ---- the other process ------------------------------------------------------ */

int sync_start(void)
{
	char *const arguments[] = { "lttngmap-consumerd", "--sync", NULL };
	posix_spawn_file_actions_t actions;
	int error, sockets[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return -errno;
	error = posix_spawn_file_actions_init(&actions);
	if (!error) {
		error = posix_spawn_file_actions_adddup2(&actions, sockets[1], STDIN_FILENO);
		if (!error)
			error = posix_spawn(&pid, PROGRAM, &actions, NULL, arguments, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(sockets[1]);
	if (error)
		close(sockets[0]);
	return error ? -error : sockets[0];
}

int sync_serve(void)
{
	struct request request;
	struct answer answer = { .id = 0 };
	size_t nr_fds = 1;
	int folder;

	/* The terminal's signals are the traced program's. */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	while (socket_receive(STDIN_FILENO, &request, sizeof(request), 0, &folder, &nr_fds) ==
	       sizeof(request)) {
		answer.id = request.id;
		answer.error = -EBADF;
		if (nr_fds == 1) {
			answer.error = syncfs(folder) < 0 ? -errno : 0;
			close(folder);
		}
		if (socket_send(STDIN_FILENO, &answer, sizeof(answer), NULL, 0) < 0)
			break;
		nr_fds = 1;
	}
	return EXIT_SUCCESS;
}

/* ---- our end ------------------------------------------------------------------ */

static void arm(struct sync *sync)
{
	int enabled;

	if (!sync->timer || sd_event_source_get_enabled(sync->timer, &enabled) < 0 ||
	    enabled != SD_EVENT_OFF)
		return;
	(void)sd_event_source_set_time_relative(sync->timer,
						sync->syncer->seconds * UINT64_C(1000000));
	(void)sd_event_source_set_enabled(sync->timer, SD_EVENT_ONESHOT);
}

/* Said once for one trouble; the page cache had taken what the disk did not. */
static void take_answer(struct sync *sync, int error)
{
	if (error && error != sync->error)
		log_error("what was written cannot be brought to the disk: %s; a part of it may be "
			  "lost",
			  strerror(-error));
	sync->error = error;
	sync->waiting = 0;
	if (sync->is_due)
		arm(sync);
}

static int on_answer(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct syncer *syncer = userdata;
	struct answer answer;
	struct sync *sync;
	ssize_t size;

	(void)source;
	(void)events;
	size = socket_receive(fd, &answer, sizeof(answer), MSG_DONTWAIT, NULL, NULL);
	if (size == -EAGAIN)
		return 0;
	if (size != sizeof(answer)) {
		log_warning("what is written is not synced any more, for the process that does it "
			    "is gone; the kernel does it in its own time");
		syncer->source = sd_event_source_disable_unref(syncer->source);
		return 0;
	}
	cds_list_for_each_entry(sync, &syncer->syncs, node) {
		if (sync->waiting == answer.id) {
			take_answer(sync, answer.error);
			break;
		}
	}
	return 0;
}

int syncer_create(sd_event *loop, int fd, unsigned seconds, struct syncer **result)
{
	struct syncer *syncer = calloc(1, sizeof(*syncer));
	int error;

	*result = syncer;
	if (!syncer) {
		close(fd);
		return -ENOMEM;
	}
	syncer->loop = loop;
	syncer->seconds = seconds;
	CDS_INIT_LIST_HEAD(&syncer->syncs);
	error = sd_event_add_io(loop, &syncer->source, fd, EPOLLIN, on_answer, syncer);
	if (error < 0) {
		close(fd);
		free(syncer);
		*result = NULL;
		return error;
	}
	sd_event_source_set_io_fd_own(syncer->source, true);
	return 0;
}

void syncer_destroy(struct syncer *syncer)
{
	if (!syncer)
		return;
	sd_event_source_disable_unref(syncer->source);
	free(syncer);
}

static int on_timer(sd_event_source *source, uint64_t now, void *userdata)
{
	struct sync *sync = userdata;
	struct syncer *syncer = sync->syncer;
	struct request request = { .id = syncer->last_id + 1 };
	int error = -EAGAIN, folder = sync->folder(sync->userdata);

	(void)source;
	(void)now;
	/* One at a time: its answer brings the next. */
	if (sync->waiting || !syncer->source)
		return 0;
	if (folder >= 0)
		error = socket_send(sd_event_source_get_io_fd(syncer->source), &request,
				    sizeof(request), &folder, 1);
	if (error) {
		arm(sync);
		return 0;
	}
	sync->waiting = syncer->last_id = request.id;
	sync->is_due = false;
	return 0;
}

int sync_init(struct sync *sync, struct syncer *syncer, int (*folder)(void *userdata),
	      void *userdata)
{
	int error;

	*sync = (struct sync){ .folder = folder, .userdata = userdata };
	if (!syncer)
		return 0;
	error = sd_event_add_time_relative(syncer->loop, &sync->timer, CLOCK_MONOTONIC,
					   syncer->seconds * UINT64_C(1000000), 0, on_timer, sync);
	if (error >= 0)
		error = sd_event_source_set_enabled(sync->timer, SD_EVENT_OFF);
	if (error < 0) {
		sync->timer = sd_event_source_disable_unref(sync->timer);
		return error;
	}
	sync->syncer = syncer;
	cds_list_add_tail(&sync->node, &syncer->syncs);
	return 0;
}

void sync_fini(struct sync *sync)
{
	if (sync->syncer)
		cds_list_del(&sync->node);
	sync->syncer = NULL;
	sync->timer = sd_event_source_disable_unref(sync->timer);
}

void sync_due(struct sync *sync)
{
	if (!sync->syncer || sync->is_due)
		return;
	sync->is_due = true;
	if (!sync->waiting)
		arm(sync);
}
