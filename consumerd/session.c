/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "common/protocol-control.h"
#include "consumerd/channel.h"
#include "consumerd/kernel-plan.h"
#include "consumerd/live.h"
#include "consumerd/spool.h"
#include "consumerd/sync.h"

#define RETRY_US (500 * UINT64_C(1000))
#define SPOOL_RETRY_US (10 * UINT64_C(1000))
#define SPOOL_FULL                                                                                 \
	"the collector takes events more slowly than they come, or not at all: the spool is "      \
	"full, "                                                                                   \
	"and what comes is lost where the buffers are full, too"
#define REPORT_US (PROTOCOL_CONTROL_WRITTEN_MS * UINT64_C(1000))

struct session {
	struct cds_list_head node;
	struct session_shared *shared;
	struct cds_list_head channels;
	struct trace trace;
	uint8_t uuid[CTF_UUID_SIZE];
	uid_t owner;
	gid_t group;
	bool is_open; /* the trace is */
	bool has_metadata;
	struct session_written written;
	/* The newest metadata: -1, or a descriptor. On disk, where `has_metadata`. */
	int memory;
	uint64_t memory_generation;
	bool memory_final;
	/* Rotation; its name is below. */
	struct session_rotation rotation;
	bool is_prepared; /* there is room for the chunk */
	bool is_rotating; /* it is to be moved there */
	bool has_answer;  /* `rotation` is to be told */
	char chunk_name[NAME_MAX + 1];
	bool is_snapshot;
	uint64_t stream_size;
	/* The kernel's. */
	struct kernel_plan *plan; /* of the newest metadata; NULL: not the kernel's */
	int pages;                /* -1: its rings are mapped */
	bool is_draining;         /* the metadata that is final is told of when rings are read */
	/* Writing failed, and is tried again at the next tick. */
	bool stalled;
	int trouble; /* -errno as last said; 0: none */
	char error[512];
	sd_event_source *retry;  /* on while there is something to try again */
	sd_event_source *report; /* on while there is something to report */
	struct sync sync;
	bool is_live;
	uint64_t live_time;  /* as told last */
	bool live_is_full;   /* likewise */
	uint64_t live_due;   /* of a kernel's: its rings are read up to that before; 0: none is */
	struct spool *spool; /* NULL: the output is the trace's own */
	char *output;
	char *rings;
	char name[];
};

/* ---- reporting ------------------------------------------------------------- */

static void report_later(struct session *session)
{
	int enabled;

	if (sd_event_source_get_enabled(session->report, &enabled) < 0 || enabled != SD_EVENT_OFF)
		return;
	(void)sd_event_source_set_time_relative(session->report, REPORT_US);
	(void)sd_event_source_set_enabled(session->report, SD_EVENT_ONESHOT);
}

static void report_now(struct session *session)
{
	struct session_shared *shared = session->shared;
	int error;

	(void)sd_event_source_set_enabled(session->report, SD_EVENT_OFF);
	session->written.overwritten = session->trace.overwritten;
	error = shared->report(shared, session->name, &session->written);
	if (!error && session->has_answer) {
		error = shared->report_rotation(shared, session->name, &session->rotation);
		session->has_answer = error == -EAGAIN;
	}
	if (error == -EAGAIN)
		report_later(session);
}

static int on_report(sd_event_source *source, uint64_t now, void *userdata)
{
	(void)source;
	(void)now;
	report_now(userdata);
	return 0;
}

/* ---- trouble ------------------------------------------------------------- */

static void retry_in(struct session *session, uint64_t usec)
{
	int enabled;

	if (sd_event_source_get_enabled(session->retry, &enabled) < 0 || enabled != SD_EVENT_OFF)
		return;
	(void)sd_event_source_set_time_relative(session->retry, usec);
	(void)sd_event_source_set_enabled(session->retry, SD_EVENT_ONESHOT);
}

void session_retry_later(struct session *session)
{
	retry_in(session, RETRY_US);
}

static const char *advice(int error)
{
	switch (error) {
	case -ENOSPC:
	case -EDQUOT:
	case -EFBIG:
		return "make room there; recording then goes on by itself";
	case -EMFILE:
	case -ENFILE:
		return "raise the limit of open files (ulimit -n)";
	case -EEXIST:
		return "another trace lies there: choose another output folder";
	case -EACCES:
	case -EPERM:
	case -EROFS:
		return "make it writable; recording then goes on by itself";
	default:
		return "recording goes on as soon as it can be written";
	}
}

void session_failed(struct session *session, const char *what, int error)
{
	session->stalled = true;
	session_retry_later(session);
	/* Once for one trouble, whatever the number of rings that run into it. */
	if (session->trouble == error)
		return;
	session->trouble = error;
	snprintf(session->error, sizeof(session->error), "cannot write %s/%s%s%s: %s; %s",
		 session->output, trace_directory(&session->trace), what ? "/" : "",
		 what ? what : "", strerror(-error), advice(error));
	log_error("session %s: %s", session->name, session->error);
	session->written.error = session->error;
	report_now(session);
}

static void recovered(struct session *session)
{
	log_info("session %s: %s/%s can be written again; recording goes on", session->name,
		 session->output, trace_directory(&session->trace));
	session->trouble = 0;
	session->written.error = NULL;
	report_now(session);
}

/* ---- the trace ------------------------------------------------------------- */

static void open_trace(struct session *session)
{
	int error = trace_open_as(&session->trace, session->output, session->uuid, session->owner,
				  session->group);

	if (error)
		session_failed(session, NULL, error);
	else
		session->is_open = true;
	if (session->is_open)
		spool_open(session->spool, &session->trace);
}

static void note_live(struct session *session, uint64_t time)
{
	/* In trouble, entries may be missing in the indexes. */
	if (!session->is_open || session->trouble || session->stalled)
		return;
	session->live_time = time;
	session->live_is_full = false;
	if (live_tell(&session->trace, time, false) < 0)
		log_debug("session %s: who watches it is not told how far it is", session->name);
}

/* Who sends keeps what is later than that time, and would keep it for ever. */
static void note_full(struct session *session)
{
	if (!session->is_live || session->live_is_full)
		return;
	session->live_is_full = live_tell(&session->trace, session->live_time, true) == 0;
}

/* All rings of the kernel's are to be read to their ends before the metadata is told of. */
static void drain(struct session *session)
{
	struct cds_list_head *node;

	session->is_draining = true;
	cds_list_for_each(node, &session->channels) channel_drain(channel_of_node(node));
	session_check_drained(session);
}

void session_check_drained(struct session *session)
{
	struct cds_list_head *node;

	if (!session->is_draining && !session->live_due)
		return;
	cds_list_for_each(
		node, &session->channels) if (!channel_is_drained(channel_of_node(node))) return;
	if (session->live_due)
		note_live(session, session->live_due);
	session->live_due = 0;
	if (!session->is_draining)
		return;
	session->is_draining = false;
	session->written.generation = session->memory_generation;
	/* Whatever the trouble was, all is on disk. */
	if (session->trouble)
		recovered(session);
	else
		report_now(session);
}

static void write_metadata(struct session *session)
{
	int error;

	if (session->memory < 0 || session->has_metadata || !session->is_open)
		return;
	error = trace_write_metadata(&session->trace, session->memory);
	if (error) {
		session_failed(session, TRACE_METADATA, error);
		return;
	}
	session->has_metadata = true;
	sync_due(&session->sync);
	if (session->memory_final && session->trace.is_kernel) {
		drain(session);
		return;
	}
	session->written.generation = session->memory_generation;
	if (session->memory_final)
		report_now(session);
	else
		report_later(session);
}

void session_set_metadata(struct session *session, uint64_t generation, int memory, bool final)
{
	if (session->memory >= 0)
		close(session->memory);
	session->memory = memory;
	session->has_metadata = false;
	session->memory_generation = generation;
	session->memory_final = final;
	session->is_draining = false;
	/* Of a kernel's, it says that nothing more is recorded. */
	if (session->trace.is_kernel)
		session_set_recording(session, !final);
	write_metadata(session);
	/* Rings may hold packets that waited for it. */
	if (session->has_metadata)
		session_wake(session);
}

void session_set_formats(struct session *session, int formats)
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

/* ---- rotation ---------------------------------------------------------------- */

static void answer_rotation(struct session *session, int error, bool dropped)
{
	session->rotation.name = NULL;
	session->rotation.dropped = dropped;
	session->rotation.error = error ? strerror(-error) : NULL;
	session->has_answer = true;
	report_now(session);
}

static void prepare_rotation(struct session *session)
{
	int error = session->trouble ? session->trouble : -ENOENT;

	if (session->is_open)
		error = trace_prepare_chunk(&session->trace, session->chunk_name);
	session->is_prepared = !error;
	answer_rotation(session, error, false);
}

/* *dropped: it stays where it is. */
static int move_chunk(struct session *session, bool *dropped)
{
	struct cds_list_head *node;
	int error = 0;

	cds_list_for_each(node, &session->channels) if (!error)
		error = channel_close_streams(channel_of_node(node));
	if (error)
		return error;
	*dropped = session->rotation.drop_empty && trace_is_empty(&session->trace);
	if (!*dropped)
		return trace_move_chunk(&session->trace, session->chunk_name);
	trace_abandon_chunk(&session->trace, session->chunk_name);
	return 0;
}

static void rotate_now(struct session *session)
{
	bool dropped = false;
	int error;

	if (!session->is_rotating || !session->is_open)
		return;
	error = move_chunk(session, &dropped);
	if (error) {
		session_failed(session, NULL, error);
		return;
	}
	session->is_rotating = false;
	session->is_prepared = false;
	session->trace.chunk = session->rotation.chunk;
	if (!dropped) {
		trace_close(&session->trace);
		session->is_open = false;
		session->has_metadata = false;
		open_trace(session);
		write_metadata(session);
	}
	answer_rotation(session, 0, dropped);
	session_wake(session);
}

void session_rotate(struct session *session, const struct session_rotation *rotation)
{
	snprintf(session->chunk_name, sizeof(session->chunk_name), "%s", rotation->name);
	session->rotation = *rotation;
	session->has_answer = false;
	session->is_rotating = rotation->final;
	if (rotation->final)
		rotate_now(session);
	else
		prepare_rotation(session);
}

/*
 * Try again. What failed before and did not fail in all the time since the
 * try before this one is over: a disk with room for small packets only is
 * not said to be full and free in turns.
 */
static int on_retry(sd_event_source *source, uint64_t now, void *userdata)
{
	struct session *session = userdata;
	bool was_stalled = session->stalled;

	(void)source;
	(void)now;
	session->stalled = false;
	if (!session->is_open)
		open_trace(session);
	write_metadata(session);
	rotate_now(session);
	if (!session->stalled) {
		if (session->trouble && !was_stalled)
			recovered(session);
		else if (session->trouble)
			session_retry_later(session);
		session_wake(session);
	}
	return 0;
}

/* ---- the session ----------------------------------------------------------- */

static int sync_folder(void *userdata)
{
	const struct session *session = userdata;

	return session->is_open ? session->trace.dir : -1;
}

static int add_timers(struct session *session)
{
	sd_event *loop = session->shared->loop;
	int error;

	error = sd_event_add_time_relative(loop, &session->retry, CLOCK_MONOTONIC, RETRY_US, 0,
					   on_retry, session);
	if (error >= 0)
		error = sd_event_source_set_enabled(session->retry, SD_EVENT_OFF);
	if (error >= 0)
		error = sd_event_add_time_relative(loop, &session->report, CLOCK_MONOTONIC,
						   REPORT_US, 0, on_report, session);
	if (error >= 0)
		error = sd_event_source_set_enabled(session->report, SD_EVENT_OFF);
	/* What is in a spool is not to last. */
	if (error >= 0 && !session->trace.is_spool)
		error = sync_init(&session->sync, session->shared->syncer, sync_folder, session);
	return error;
}

struct session *session_create_for(struct session_shared *shared, const char *name,
				   const struct session_config *config)
{
	size_t size = strlen(name) + 1;
	struct session *session = calloc(1, sizeof(*session) + size);

	if (!session)
		return NULL;
	CDS_INIT_LIST_HEAD(&session->node);
	CDS_INIT_LIST_HEAD(&session->channels);
	session->shared = shared;
	session->memory = -1;
	session->pages = -1;
	memcpy(session->name, name, size);
	memcpy(session->uuid, config->uuid, sizeof(session->uuid));
	session->trace.chunk = config->chunk;
	session->trace.overwritten = config->overwritten;
	session->is_snapshot = config->snapshot;
	session->stream_size = config->stream_size;
	session->trace.is_kernel = config->kernel;
	session->trace.is_spool = config->spool != 0;
	session->trace.is_sent = config->sent;
	session->is_live = config->live;
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
		session_destroy(session);
		return NULL;
	}
	open_trace(session);
	return session;
}

struct session *session_create(struct session_shared *shared, const char *name, const char *output,
			       const char *rings, const uint8_t uuid[CTF_UUID_SIZE])
{
	struct session_config config = {
		.output = output,
		.rings = rings,
		.uuid = uuid,
		.owner = geteuid(),
		.group = getegid(),
		.pages = -1,
	};

	return session_create_for(shared, name, &config);
}

void session_destroy(struct session *session)
{
	struct cds_list_head *node, *next;

	if (!session)
		return;
	cds_list_for_each_safe(node, next, &session->channels)
		channel_destroy(channel_of_node(node));
	sd_event_source_disable_unref(session->retry);
	sd_event_source_disable_unref(session->report);
	sync_fini(&session->sync);
	if (session->is_open && session->is_prepared)
		trace_abandon_chunk(&session->trace, session->chunk_name);
	if (session->is_open)
		trace_close(&session->trace);
	if (session->memory >= 0)
		close(session->memory);
	if (session->pages >= 0)
		close(session->pages);
	kernel_plan_destroy(session->plan);
	spool_destroy(session->spool);
	free(session->output);
	free(session->rings);
	free(session);
}

const char *session_name(const struct session *session)
{
	return session->name;
}

struct cds_list_head *session_node(struct session *session)
{
	return &session->node;
}

struct session *session_of_node(struct cds_list_head *node)
{
	return caa_container_of(node, struct session, node);
}

int session_add_channel(struct session *session, const char *name, uint32_t stream_id,
			const struct stream_limits *limits)
{
	struct cds_list_head *node;

	cds_list_for_each(node, &session->channels)
	{
		if (strcmp(channel_name(channel_of_node(node)), name) == 0)
			return 0;
	}
	return channel_create(session, session->rings, name, stream_id, limits, &session->channels);
}

void session_remove_channel(struct session *session, const char *name)
{
	struct cds_list_head *node, *next;

	cds_list_for_each_safe(node, next,
			       &session->channels) if (strcmp(channel_name(channel_of_node(node)),
							      name) == 0)
		channel_destroy(channel_of_node(node));
}

void session_clear(struct session *session)
{
	struct session_written before = session->written;
	struct cds_list_head *node;
	int error = 0;

	cds_list_for_each(node, &session->channels) channel_clear(channel_of_node(node));
	session->trace.overwritten = 0;
	if (session->is_open)
		error = trace_clear(&session->trace);
	session->written = (struct session_written){
		.generation = before.generation,
		.cleared = before.cleared + 1,
		.error = before.error,
	};
	if (error)
		session_failed(session, NULL, error);
	/* Also where the trouble is an old one, which is not told again. */
	report_now(session);
	session_wake(session);
}

void session_tell_live(struct session *session, uint64_t time)
{
	struct cds_list_head *node;

	if (!session->trace.is_kernel) {
		note_live(session, time);
		return;
	}
	session->live_due = time;
	cds_list_for_each(node, &session->channels) channel_drain(channel_of_node(node));
	session_check_drained(session);
}

void session_wake(struct session *session)
{
	struct cds_list_head *node;

	cds_list_for_each(node, &session->channels) channel_wake(channel_of_node(node));
}

/* ---- for its channels ------------------------------------------------------ */

struct session_shared *session_shared(const struct session *session)
{
	return session->shared;
}

bool session_is_snapshot(const struct session *session, uint64_t *stream_size)
{
	*stream_size = session->stream_size;
	return session->is_snapshot;
}

bool session_is_live(const struct session *session, uint64_t *time)
{
	*time = session->live_time;
	return session->is_live;
}

bool session_is_kernel(const struct session *session)
{
	return session->trace.is_kernel;
}

int session_pages(const struct session *session)
{
	return session->pages;
}

const struct kernel_plan *session_plan(const struct session *session)
{
	return session->plan;
}

bool session_is_draining(const struct session *session, uint64_t time)
{
	return session->is_draining || time < session->live_due;
}

bool session_had_streams(const struct session *session)
{
	return session->trace.had_streams;
}

struct stream *session_create_stream(struct session *session, const char *name,
				     const char *procname, uint32_t stream_id)
{
	struct stream *stream =
		stream_create(&session->trace, &session->shared->pool, name, procname, stream_id);

	session->written.streams += stream != NULL;
	return stream;
}

/* Its sender says nothing when it made some: it is looked for again, soon. */
static bool has_room(struct session *session)
{
	enum spool_news news;
	bool has_room = spool_has_room(session->spool, &news);

	if (!has_room) {
		retry_in(session, SPOOL_RETRY_US);
		note_full(session);
	}
	if (news == SPOOL_NEWS_NONE)
		return has_room;
	session->written.error = news == SPOOL_NEWS_FULL ? SPOOL_FULL : NULL;
	log_message(news == SPOOL_NEWS_FULL ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO, "session %s: %s",
		    session->name,
		    news == SPOOL_NEWS_FULL ? SPOOL_FULL : "the spool takes events again");
	report_later(session);
	return has_room;
}

void session_set_recording(struct session *session, bool on)
{
	if (!session->spool)
		return;
	spool_lift(session->spool, !on);
	/* What was said of it is over. */
	if (!on && has_room(session))
		session_wake(session);
}

/* A chunk that is to end is written to its end, though the spool be full. */
static bool has_room_for(struct session *session, const struct lttngmap_packet *packet)
{
	if (!session->spool)
		return true;
	if (session->is_prepared && packet->chunk == session->trace.chunk &&
	    spool_has_reserve(session->spool))
		return true;
	return has_room(session);
}

bool session_may_write(struct session *session, const struct lttngmap_packet *packet)
{
	return session->is_open && !session->stalled && session->has_metadata &&
	       session->written.generation >= packet->metadata_generation &&
	       packet->chunk <= session->trace.chunk && has_room_for(session, packet);
}

void session_count(struct session *session, const struct session_written *more)
{
	session->written.packets += more->packets;
	session->written.events += more->events;
	session->written.lapped += more->lapped;
	session->written.bytes += more->bytes;
	spool_count(session->spool, more->bytes);
	sync_due(&session->sync);
	report_later(session);
}
