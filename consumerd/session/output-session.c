/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/session/output-session-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/log.h"
#include "consumerd/kernel/kernel-plan.h"
#include "consumerd/packet/file.h"
#include "consumerd/session/output-channel.h"

/* The metadata's buffer: it grows by at least so many bytes and by doubling, up to TEXT_MAX. */
#define ROOM_MIN ((size_t)4096)
#define TEXT_MAX ((uint64_t)1 << 31)
/* After the daemon's messages, and before rings. */
#define PRIORITY_DESCRIBE (SD_EVENT_PRIORITY_IMPORTANT / 2)

/* ---- the trace ------------------------------------------------------------- */

void output_session_open_trace(struct output_session *session)
{
	int error;

	if (session->trace.output >= 0)
		error = trace_open_next(&session->trace);
	else
		error = trace_open_as(&session->trace, session->output, session->uuid,
				      session->owner, session->group);
	session->is_open = !error;
	if (!session->place[0] && !error)
		output_session_note_place(session);
	if (error)
		output_session_failed(session, NULL, error);
	else
		spool_open(session->spool, &session->trace);
}

/* The text that the trace ends with has no room, which would be blanks. */
static int write_text(struct output_session *session)
{
	size_t room = session->text_size > ROOM_MIN ? session->text_size : ROOM_MIN;
	int error = -ENOBUFS;

	if (session->text_written > 0 && !session->text_final)
		error = trace_add_metadata(&session->trace, session->text + session->text_written,
					   session->text_size - session->text_written);
	if (error == -ENOBUFS)
		error = trace_write_metadata(&session->trace, session->text, session->text_size,
					     session->text_final ? 0 : room);
	return error;
}

void output_session_write_metadata(struct output_session *session)
{
	int error;

	if (session->text_size == 0 || session->has_metadata || !session->is_open)
		return;
	error = output_session_learn_layout(session);
	if (!error)
		error = output_session_keep_earlier(session);
	if (!error)
		error = write_text(session);
	if (error) {
		output_session_failed(session, TRACE_METADATA, error);
		return;
	}
	session->text_written = session->text_size;
	session->has_metadata = true;
	sync_due(&session->sync);
	if (session->text_final && session->trace.is_kernel) {
		output_session_drain(session);
		return;
	}
	session->written.generation = session->text_generation;
	if (session->text_final)
		output_session_report_now(session);
	else
		output_session_report_later(session);
}

static int reserve_text(struct output_session *session, size_t size)
{
	size_t room = session->text_room ? session->text_room : ROOM_MIN;
	char *text;

	while (room < size)
		room *= 2;
	if (room == session->text_room)
		return 0;
	text = realloc(session->text, room);
	if (!text)
		return -ENOMEM;
	session->text = text;
	session->text_room = room;
	return 0;
}

/* The bytes of `memory` are the text's from `offset` on. */
static int take_text(struct output_session *session, uint64_t offset, int memory)
{
	struct stat status;
	ssize_t got;
	int error;

	if (offset != 0 && session->is_kept)
		return 0;
	if (offset != 0 && offset != session->text_size)
		return -EBADMSG;
	if (fstat(memory, &status) < 0)
		return -errno;
	if (status.st_size < 0 || (uint64_t)status.st_size > TEXT_MAX - offset)
		return -EFBIG;
	error = reserve_text(session, offset + (size_t)status.st_size);
	if (error)
		return error;
	got = file_read(memory, session->text + offset, (size_t)status.st_size, 0);
	if (got < 0)
		return (int)got;
	session->text_size = offset + (size_t)got;
	if (offset == 0) {
		session->text_written = session->text_learnt = 0;
		session->is_kept = false;
	}
	return 0;
}

/* Rings may hold packets that waited for it. */
static void write_and_wake(struct output_session *session)
{
	output_session_write_metadata(session);
	if (session->has_metadata)
		output_session_wake(session);
}

static int on_describe(sd_event_source *source, void *userdata)
{
	(void)source;
	write_and_wake(userdata);
	return 0;
}

void output_session_add_metadata(struct output_session *session, uint64_t generation,
				 uint64_t offset, int memory, bool final)
{
	int error = take_text(session, offset, memory);

	close(memory);
	if (error) {
		log_error("session %s: what the daemon sent of the metadata cannot be used: %s",
			  session->name, strerror(-error));
		return;
	}
	session->has_metadata = false;
	session->text_generation = generation;
	session->text_final = final;
	session->is_draining = false;
	/* For a kernel domain, `final` means that nothing more is recorded. */
	if (session->trace.is_kernel)
		output_session_set_recording(session, !final);
	if (final || session->text_written == 0 ||
	    sd_event_source_set_enabled(session->describe, SD_EVENT_ONESHOT) < 0)
		write_and_wake(session);
}

void output_session_set_metadata(struct output_session *session, uint64_t generation, int memory,
				 bool final)
{
	output_session_add_metadata(session, generation, 0, memory, final);
}

void output_session_set_formats(struct output_session *session, int formats)
{
	struct kernel_plan *plan;
	int error = kernel_plan_read(formats, &plan);

	if (error) {
		log_error("session %s: the formats of the kernel's events cannot be used (%s); "
			  "what is not known of them is counted as lost",
			  session->name, strerror(-error));
		return;
	}
	kernel_plan_destroy(session->plan);
	session->plan = plan;
}

/* ---- the session ----------------------------------------------------------- */

static int on_report(sd_event_source *source, uint64_t now, void *userdata)
{
	(void)source;
	(void)now;
	output_session_report_now(userdata);
	return 0;
}

/* Clears the trace, before the consumer writes anything more into it. */
static void clear_now(struct output_session *session)
{
	int error;

	if (!session->is_clearing || !session->is_open)
		return;
	error = trace_clear(&session->trace);
	session->is_clearing = error != 0;
	if (error)
		output_session_failed(session, NULL, error);
}

/*
 * Try again. Trouble is over when nothing has failed since the try before this one. So a disk
 * with room for small packets only is not reported as full and free in turns.
 */
static int on_retry(sd_event_source *source, uint64_t now, void *userdata)
{
	struct output_session *session = userdata;
	bool was_stalled = session->stalled;

	(void)source;
	(void)now;
	session->stalled = false;
	if (!session->is_open)
		output_session_open_trace(session);
	clear_now(session);
	output_session_write_metadata(session);
	output_session_rotate_now(session);
	if (!session->stalled) {
		if (session->trouble && !was_stalled)
			output_session_recovered(session);
		else if (session->trouble)
			output_session_retry_later(session);
		output_session_wake(session);
	}
	if (output_session_check_place(session))
		output_session_report_now(session);
	return 0;
}

static int sync_folder(void *userdata)
{
	const struct output_session *session = userdata;

	return session->is_open ? session->trace.dir : -1;
}

/* Both are off before they can be due. */
static int add_timers(struct output_session *session)
{
	sd_event *loop = session->shared->loop;
	int error;

	error = sd_event_add_time_relative(loop, &session->retry, CLOCK_MONOTONIC, 0, 0, on_retry,
					   session);
	if (error >= 0)
		error = sd_event_source_set_enabled(session->retry, SD_EVENT_OFF);
	if (error >= 0)
		error = sd_event_add_time_relative(loop, &session->report, CLOCK_MONOTONIC, 0, 0,
						   on_report, session);
	if (error >= 0)
		error = sd_event_source_set_enabled(session->report, SD_EVENT_OFF);
	if (error >= 0)
		error = sd_event_add_defer(loop, &session->describe, on_describe, session);
	if (error >= 0)
		error = sd_event_source_set_enabled(session->describe, SD_EVENT_OFF);
	if (error >= 0)
		error = sd_event_source_set_priority(session->describe, PRIORITY_DESCRIBE);
	/* A spool need not outlive a power failure. */
	if (error >= 0 && !session->trace.is_spool)
		error = sync_init(&session->sync, session->shared->syncer, sync_folder, session);
	return error;
}

struct output_session *output_session_create_for(struct output_session_shared *shared,
						 const char *name,
						 const struct output_session_config *config)
{
	size_t size = strlen(name) + 1;
	struct output_session *session = calloc(1, sizeof(*session) + size);

	if (!session)
		return NULL;
	CDS_INIT_LIST_HEAD(&session->node);
	CDS_INIT_LIST_HEAD(&session->channels);
	session->shared = shared;
	session->pages = -1;
	memcpy(session->name, name, size);
	memcpy(session->uuid, config->uuid, sizeof(session->uuid));
	session->trace.output = -1;
	session->trace.chunk = config->chunk;
	session->trace.overwritten = session->gone_earlier = config->overwritten;
	session->is_snapshot = config->snapshot;
	session->stream_size = config->stream_size;
	session->trace.is_kernel = config->kernel;
	session->trace.is_new = config->snapshot;
	session->trace.is_spool = config->spool != 0;
	session->trace.is_sent = config->sent;
	session->trace.is_durable = config->durable;
	session->is_live = config->live;
	session->is_recovered = config->recovered;
	session->owner = config->owner;
	session->group = config->group;
	session->output = strdup(config->output);
	session->rings = strdup(config->rings);
	if (config->pages >= 0)
		session->pages = fcntl(config->pages, F_DUPFD_CLOEXEC, 0);
	if (config->spool)
		session->spool = spool_create(config->spool);
	if (!session->output || !session->rings || add_timers(session) < 0 ||
	    (config->spool && !session->spool) || (config->pages >= 0 && session->pages < 0) ||
	    (config->kernel && kernel_plan_parse("", 0, &session->plan) < 0)) {
		output_session_destroy(session);
		return NULL;
	}
	output_session_open_trace(session);
	return session;
}

struct output_session *output_session_create(struct output_session_shared *shared, const char *name,
					     const char *output, const char *rings,
					     const uint8_t uuid[CTF_UUID_SIZE])
{
	struct output_session_config config = {
		.output = output,
		.rings = rings,
		.uuid = uuid,
		.owner = geteuid(),
		.group = getegid(),
		.pages = -1,
	};

	return output_session_create_for(shared, name, &config);
}

void output_session_destroy(struct output_session *session)
{
	struct cds_list_head *node, *next;

	if (!session)
		return;
	cds_list_for_each_safe(node, next, &session->channels)
		output_channel_destroy(output_channel_of_node(node));
	sd_event_source_disable_unref(session->retry);
	sd_event_source_disable_unref(session->report);
	sd_event_source_disable_unref(session->describe);
	sync_fini(&session->sync);
	if (session->is_open && session->is_prepared)
		trace_abandon_chunk(&session->trace, session->chunk_name);
	if (session->trace.output >= 0)
		trace_close(&session->trace);
	record_layout_destroy(session->layout);
	if (session->pages >= 0)
		close(session->pages);
	kernel_plan_destroy(session->plan);
	spool_destroy(session->spool);
	free(session->text);
	free(session->output);
	free(session->rings);
	free(session);
}

const char *output_session_name(const struct output_session *session)
{
	return session->name;
}

struct cds_list_head *output_session_node(struct output_session *session)
{
	return &session->node;
}

struct output_session *output_session_of_node(struct cds_list_head *node)
{
	return caa_container_of(node, struct output_session, node);
}

int output_session_add_channel(struct output_session *session, const char *name, uint32_t stream_id,
			       const struct stream_limits *limits)
{
	struct cds_list_head *node;

	cds_list_for_each(node, &session->channels)
	{
		if (strcmp(output_channel_name(output_channel_of_node(node)), name) == 0)
			return 0;
	}
	return output_channel_create(session, session->rings, name, stream_id, limits,
				     &session->channels);
}

void output_session_remove_channel(struct output_session *session, const char *name)
{
	struct cds_list_head *node, *next;

	cds_list_for_each_safe(
		node, next,
		&session->channels) if (strcmp(output_channel_name(output_channel_of_node(node)),
					       name) == 0)
		output_channel_destroy(output_channel_of_node(node));
}

void output_session_clear(struct output_session *session)
{
	struct output_session_written before = session->written;
	struct cds_list_head *node;

	cds_list_for_each(node, &session->channels)
		output_channel_clear(output_channel_of_node(node));
	session->trace.overwritten = session->gone_earlier = session->chunk_from = 0;
	session->written = (struct output_session_written){
		.generation = before.generation,
		.cleared = before.cleared + 1,
		.error = before.error,
	};
	session->is_clearing = true;
	clear_now(session);
	/* Also where the trouble is an old one, which is not told again. */
	output_session_report_now(session);
	output_session_wake(session);
}

void output_session_wake(struct output_session *session)
{
	struct cds_list_head *node;

	cds_list_for_each(node, &session->channels)
		output_channel_wake(output_channel_of_node(node));
}

/* ---- for its channels ------------------------------------------------------ */

struct output_session_shared *output_session_shared(const struct output_session *session)
{
	return session->shared;
}

bool output_session_is_snapshot(const struct output_session *session, uint64_t *stream_size)
{
	*stream_size = session->stream_size;
	return session->is_snapshot;
}

bool output_session_is_live(const struct output_session *session, uint64_t *time)
{
	*time = session->live_time;
	return session->is_live;
}

bool output_session_is_kernel(const struct output_session *session)
{
	return session->trace.is_kernel;
}

int output_session_pages(const struct output_session *session)
{
	return session->pages;
}

const struct kernel_plan *output_session_plan(const struct output_session *session)
{
	return session->plan;
}

bool output_session_is_draining(const struct output_session *session, uint64_t time)
{
	return session->is_draining || time < session->live_due;
}

bool output_session_had_streams(const struct output_session *session)
{
	return session->trace.had_streams;
}

struct stream *output_session_create_stream(struct output_session *session, const char *name,
					    const char *procname, uint32_t stream_id)
{
	struct stream *stream =
		stream_create(&session->trace, &session->shared->pool, name, procname, stream_id);

	session->written.streams += stream != NULL;
	return stream;
}

bool output_session_may_write(struct output_session *session, const struct lttngmap_packet *packet)
{
	return session->is_open && !session->stalled && session->has_metadata &&
	       session->written.generation >= packet->metadata_generation &&
	       packet->chunk <= session->trace.chunk &&
	       output_session_has_room_for(session, packet);
}
