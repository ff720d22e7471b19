/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * link.c - any messages of the session daemon's to the consumer, a line each.
 * Each comes with a descriptor or two. What is handed on is names that lead
 * out of no folder, and absolute paths.
 */
#include "consumerd/link.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/name.h"
#include "common/base/socket.h"
#include "tests/fuzz/fuzz.h"

static sd_event *loop;
static struct link *consumer;
static int daemon_end;
static bool is_closed;

static void check_name(const char *name)
{
	FUZZ_CHECK(name_is_session(name) && !strchr(name, '/') && name[0] != '.');
}

/* A session's, or the kernel's part of one: no folder is called so. */
static void check_session(const char *name)
{
	const char *slash = strchr(name, '/');

	FUZZ_CHECK(!slash || (slash > name && strcmp(slash, "/kernel") == 0));
	FUZZ_CHECK(name[0] != '.' && strlen(name) <= NAME_SESSION_MAX + sizeof("/kernel"));
}

static void on_session(void *userdata, const char *session,
		       const struct output_session_config *config)
{
	(void)userdata;
	check_session(session);
	FUZZ_CHECK(config->output[0] == '/' && config->rings[0] == '/' && config->uuid);
	FUZZ_CHECK(config->kernel == (strchr(session, '/') != NULL));
}

static void on_channel(void *userdata, const char *session, const char *channel, uint32_t stream_id,
		       const struct stream_limits *limits)
{
	(void)userdata;
	(void)stream_id;
	check_session(session);
	check_name(channel);
	FUZZ_CHECK(limits->file_size <= INT64_MAX && limits->file_count <= UINT32_MAX);
}

static void on_name(void *userdata, const char *session)
{
	(void)userdata;
	check_session(session);
}

static void on_channel_end(void *userdata, const char *session, const char *channel)
{
	(void)userdata;
	check_session(session);
	check_name(channel);
}

static void on_metadata(void *userdata, const char *session, uint64_t generation, uint64_t offset,
			int memory, int formats, bool final)
{
	(void)userdata;
	FUZZ_CHECK(offset <= INT64_MAX);
	(void)generation;
	(void) final;
	check_session(session);
	FUZZ_CHECK(close(memory) == 0);
	FUZZ_CHECK(formats < 0 || close(formats) == 0);
}

static void on_rotate(void *userdata, const char *session,
		      const struct output_session_rotation *rotation)
{
	(void)userdata;
	check_session(session);
	check_name(rotation->name);
}

static void on_live(void *userdata, const char *session, uint64_t time)
{
	(void)userdata;
	(void)time;
	check_session(session);
}

static void on_recording(void *userdata, const char *session, bool on)
{
	(void)userdata;
	(void)on;
	check_session(session);
}

static void on_closed(void *userdata)
{
	(void)userdata;
	is_closed = true;
}

static const struct link_ops ops = {
	.session = on_session,
	.channel = on_channel,
	.channel_end = on_channel_end,
	.metadata = on_metadata,
	.clear = on_name,
	.rotate = on_rotate,
	.live = on_live,
	.recording = on_recording,
	.end = on_name,
	.closed = on_closed,
};

/* The daemon's part, while the consumer waits to be greeted. */
static void *greet(void *listener)
{
	static const char yes[] = "{\"ok\": true}";

	socket_wait(*(int *)listener, POLLIN, -1);
	FUZZ_CHECK(socket_accept(*(int *)listener, 0, &daemon_end) == 0);
	FUZZ_CHECK(socket_send(daemon_end, yes, strlen(yes), NULL, 0) == 0);
	return NULL;
}

static void set_up(void)
{
	char path[PATH_MAX], request[1024];
	pthread_t thread;
	int listener;

	FUZZ_CHECK(sd_event_new(&loop) >= 0);
	snprintf(path, sizeof(path), "%s/control.sock", fuzz_directory());
	FUZZ_CHECK(socket_listen(path, SOCK_SEQPACKET, 0600, &listener) == 0);
	FUZZ_CHECK(pthread_create(&thread, NULL, greet, &listener) == 0);
	FUZZ_CHECK(link_create(loop, path, &ops, NULL, &consumer) == 0);
	pthread_join(thread, NULL);
	FUZZ_CHECK(recv(daemon_end, request, sizeof(request), 0) > 0);
	close(listener);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data, *end = at + size;
	int passed[2];

	if (!loop)
		set_up();
	passed[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	passed[1] = passed[0];
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((newline ? newline : end) - at);

		/* An empty one would say that the daemon is gone. */
		if (length > 0 && socket_send(daemon_end, at, length, passed, 1 + length % 2) == 0)
			while (sd_event_run(loop, 0) > 0)
				continue;
		FUZZ_CHECK(!is_closed);
		at += length + 1;
	}
	/* Nothing is left open: the next descriptor is the same in each run. */
	close(passed[0]);
	passed[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	FUZZ_CHECK(passed[0] < 64);
	close(passed[0]);
	return 0;
}
