/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/consumer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/log.h"
#include "consumerd/link.h"
#include "consumerd/session/output-session.h"
#include "consumerd/trace/sync.h"

/* Programs that go on writing shall not keep an orphan alive for ever. */
#define FINISH_S 5
#define ALIVE_US UINT64_C(1000000)

struct consumer {
	struct output_session_shared shared;
	struct link *link;
	bool is_orphan;
	bool is_busy;           /* the daemon was told so */
	uint64_t served;        /* events of the loop, since it was told last */
	sd_event_source *alive; /* on while it is busy */
	struct cds_list_head sessions;
};

static struct output_session *find_session(struct consumer *consumer, const char *name)
{
	struct cds_list_head *node;

	cds_list_for_each(node, &consumer->sessions)
	{
		struct output_session *session = output_session_of_node(node);

		if (strcmp(output_session_name(session), name) == 0)
			return session;
	}
	return NULL;
}

/* The session that a message is about; it is said where there is none. */
static struct output_session *need_session(struct consumer *consumer, const char *name)
{
	struct output_session *session = find_session(consumer, name);

	if (!session)
		log_error("the session daemon speaks of a session '%s' that it never named", name);
	return session;
}

static void on_session(void *userdata, const char *name, const struct output_session_config *config)
{
	struct consumer *consumer = userdata;
	struct output_session *session;

	if (find_session(consumer, name))
		return;
	session = output_session_create_for(&consumer->shared, name, config);
	if (!session) {
		log_error("session %s: not recorded: no memory", name);
		return;
	}
	cds_list_add_tail(output_session_node(session), &consumer->sessions);
}

static void on_channel(void *userdata, const char *name, const char *channel, uint32_t stream_id,
		       const struct stream_limits *limits)
{
	struct output_session *session = need_session(userdata, name);
	int error;

	if (!session)
		return;
	error = output_session_add_channel(session, channel, stream_id, limits);
	/* Its end is on its way: the folder went with the channel. */
	if (error && error != -ENOENT)
		log_error("session %s: channel %s is not recorded: its rings' folder cannot be "
			  "watched (%s)",
			  name, channel, strerror(-error));
}

static void on_channel_end(void *userdata, const char *name, const char *channel)
{
	struct output_session *session = need_session(userdata, name);

	if (session)
		output_session_remove_channel(session, channel);
}

static void on_clear(void *userdata, const char *name)
{
	struct output_session *session = need_session(userdata, name);

	if (session)
		output_session_clear(session);
}

static void on_rotate(void *userdata, const char *name,
		      const struct output_session_rotation *rotation)
{
	struct output_session *session = need_session(userdata, name);

	if (session)
		output_session_rotate(session, rotation);
}

static void on_live(void *userdata, const char *name, uint64_t time)
{
	struct output_session *session = need_session(userdata, name);

	if (session)
		output_session_tell_live(session, time);
}

static void on_recording(void *userdata, const char *name, bool on)
{
	struct output_session *session = need_session(userdata, name);

	if (session)
		output_session_set_recording(session, on);
}

static void on_losses(void *userdata, const char *name, const struct losses *losses)
{
	struct output_session *session = need_session(userdata, name);

	if (session)
		output_session_note_losses(session, losses);
}

static void on_metadata(void *userdata, const char *name, uint64_t generation, uint64_t offset,
			int memory, int formats, bool final)
{
	struct output_session *session = need_session(userdata, name);

	/* First, as the metadata wakes the rings. */
	if (session && formats >= 0)
		output_session_set_formats(session, formats);
	if (formats >= 0)
		close(formats);
	if (session)
		output_session_add_metadata(session, generation, offset, memory, final);
	else
		close(memory);
}

static void on_end(void *userdata, const char *name)
{
	struct output_session *session = need_session(userdata, name);

	if (!session)
		return;
	cds_list_del(output_session_node(session));
	output_session_destroy(session);
}

static void on_closed(void *userdata)
{
	struct consumer *consumer = userdata;

	consumer->is_orphan = true;
}

static const struct link_ops ops = {
	.session = on_session,
	.channel = on_channel,
	.channel_end = on_channel_end,
	.metadata = on_metadata,
	.clear = on_clear,
	.rotate = on_rotate,
	.live = on_live,
	.recording = on_recording,
	.losses = on_losses,
	.end = on_end,
	.closed = on_closed,
};

/* ---- does it answer? ---------------------------------------------------------- */

static void tell_alive_later(struct consumer *consumer)
{
	consumer->served = 0;
	(void)sd_event_source_set_time_relative(consumer->alive, ALIVE_US);
	(void)sd_event_source_set_enabled(consumer->alive, SD_EVENT_ONESHOT);
}

static int on_alive(sd_event_source *source, uint64_t now, void *userdata)
{
	struct consumer *consumer = userdata;
	/* Beside this one. */
	bool busy = consumer->served > 1;
	int error = link_send_alive(consumer->link, busy);

	(void)source;
	(void)now;
	if (busy || error == -EAGAIN)
		tell_alive_later(consumer);
	else
		consumer->is_busy = false;
	return 0;
}

void consumer_note_work(struct consumer *consumer)
{
	consumer->served++;
	/* A daemon that is slow is told at the next event. */
	if (consumer->is_busy || link_send_busy(consumer->link) != 0)
		return;
	consumer->is_busy = true;
	tell_alive_later(consumer);
}

static int add_alive(struct consumer *consumer)
{
	int error = sd_event_add_time_relative(consumer->shared.loop, &consumer->alive,
					       CLOCK_MONOTONIC, 0, 0, on_alive, consumer);

	if (error >= 0)
		error = sd_event_source_set_enabled(consumer->alive, SD_EVENT_OFF);
	/* However much there is to be written. */
	if (error >= 0)
		error = sd_event_source_set_priority(consumer->alive, SD_EVENT_PRIORITY_IMPORTANT);
	return error;
}

static int report(struct output_session_shared *shared, const char *session,
		  const struct output_session_written *written)
{
	struct consumer *consumer = shared->userdata;

	return link_send_written(consumer->link, session, written);
}

static int report_rotation(struct output_session_shared *shared, const char *session,
			   const struct output_session_rotation *rotation)
{
	struct consumer *consumer = shared->userdata;

	return link_send_rotated(consumer->link, session, rotation);
}

static int report_broken(struct output_session_shared *shared, const char *session,
			 const struct output_session_broken *broken)
{
	struct consumer *consumer = shared->userdata;

	return link_send_broken(consumer->link, session, broken);
}

int consumer_create(sd_event *loop, const char *control_path, unsigned max_fds, int sync_fd,
		    struct consumer **result)
{
	struct consumer *consumer = calloc(1, sizeof(*consumer));
	int error;

	if (!consumer)
		return -ENOMEM;
	CDS_INIT_LIST_HEAD(&consumer->sessions);
	consumer->shared.loop = loop;
	consumer->shared.report = report;
	consumer->shared.report_rotation = report_rotation;
	consumer->shared.report_broken = report_broken;
	consumer->shared.userdata = consumer;
	/* Two descriptors a stream, and half of all for streams: rings need theirs. */
	stream_pool_init(&consumer->shared.pool, max_fds / 4);
	error = turns_init(&consumer->shared.turns, loop);
	if (error >= 0 && sync_fd >= 0)
		error = syncer_create(loop, sync_fd, sync_seconds(), &consumer->shared.syncer);
	if (error >= 0)
		error = add_alive(consumer);
	if (error >= 0)
		error = link_create(loop, control_path, &ops, consumer, &consumer->link);
	if (error < 0) {
		consumer_destroy(consumer);
		return error;
	}
	*result = consumer;
	return 0;
}

bool consumer_is_orphan(const struct consumer *consumer)
{
	return consumer->is_orphan;
}

void consumer_finish(struct consumer *consumer)
{
	time_t deadline = time(NULL) + FINISH_S;
	struct cds_list_head *node;

	cds_list_for_each(node, &consumer->sessions)
		output_session_wake(output_session_of_node(node));
	while (!turns_are_empty(&consumer->shared.turns) && time(NULL) < deadline) {
		if (sd_event_run(consumer->shared.loop, 0) < 0)
			break;
	}
}

void consumer_destroy(struct consumer *consumer)
{
	struct cds_list_head *node, *next;

	if (!consumer)
		return;
	cds_list_for_each_safe(node, next, &consumer->sessions)
	{
		cds_list_del(node);
		output_session_destroy(output_session_of_node(node));
	}
	sd_event_source_disable_unref(consumer->alive);
	syncer_destroy(consumer->shared.syncer);
	link_destroy(consumer->link);
	turns_fini(&consumer->shared.turns);
	stream_pool_destroy(&consumer->shared.pool);
	free(consumer->shared.copy);
	snapshot_free(&consumer->shared.snapshot);
	free(consumer);
}
