/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/session/output-ring-private.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "common/base/log.h"
#include "common/ring-file/ring-file-pages.h"

/* Packets and bytes that a ring may write before other rings have their turn. */
#define TURN_PACKETS 16
#define TURN_BYTES (4u << 20)

enum outcome {
	OUTCOME_MORE,  /* another turn */
	OUTCOME_IDLE,  /* until poll says something, or the pace does */
	OUTCOME_HOLD,  /* until it is woken */
	OUTCOME_LATER, /* until the session's timer */
	OUTCOME_END,
};

const char *output_ring_name(const struct output_ring *ring)
{
	return ring->name;
}

struct cds_list_head *output_ring_node(struct output_ring *ring)
{
	return &ring->node;
}

struct output_ring *output_ring_of_node(struct cds_list_head *node)
{
	return caa_container_of(node, struct output_ring, node);
}

void output_ring_wake(struct output_ring *ring)
{
	turn_add(&output_ring_shared(ring)->turns, &ring->turn);
}

/* PROCNAME-PID-ID: what stands before the last two dashes. */
static void take_procname(struct output_ring *ring)
{
	const char *end = ring->name + strlen(ring->name);
	size_t length;

	for (int dashes = 0; end > ring->name && dashes < 2; dashes++) {
		do
			end--;
		while (end > ring->name && *end != '-');
	}
	length = end > ring->name ? (size_t)(end - ring->name) : strlen(ring->name);
	if (length >= sizeof(ring->procname))
		length = sizeof(ring->procname) - 1;
	memcpy(ring->procname, ring->name, length);
}

static int on_ready(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct output_ring *ring = userdata;

	(void)source;
	(void)fd;
	(void)events;
	output_ring_wake(ring);
	return 0;
}

/* Is it worth to try again what failed like that? */
static bool is_passing(int error)
{
	return error == -EBUSY || error == -EMFILE || error == -ENFILE || error == -ENOMEM ||
	       error == -EAGAIN || error == -EINTR || error == -ETIMEDOUT;
}

static void say_later(struct output_ring *ring, int error)
{
	if (ring->said_busy)
		return;
	ring->said_busy = true;
	if (error == -EBUSY)
		log_warning("ring %s/%s: another reader has it open; it is recorded as soon as "
			    "that one closes it",
			    output_channel_name(ring->channel), ring->name);
	else
		log_warning("ring %s/%s: cannot be opened now (%s); trying again",
			    output_channel_name(ring->channel), ring->name, strerror(-error));
}

/*
 * Edges are enough, since a ring is always drained to -EAGAIN, and each
 * level would cost a request to the daemon. The kernel forgets who waits
 * when it wakes him: it is asked anew each time.
 */
static enum outcome listen_to(struct output_ring *ring)
{
	int error = sd_event_add_io(output_ring_shared(ring)->loop, &ring->source,
				    lttngmap_ring_file_fd(ring->file),
				    ring->is_kernel ? EPOLLIN : EPOLLIN | EPOLLET, on_ready, ring);

	if (error >= 0 && ring->is_kernel)
		error = sd_event_source_set_enabled(ring->source, SD_EVENT_OFF);
	if (error >= 0)
		return OUTCOME_IDLE;
	ring->source = sd_event_source_disable_unref(ring->source);
	lttngmap_ring_file_close(ring->file);
	ring->file = NULL;
	say_later(ring, error);
	return OUTCOME_LATER;
}

static enum outcome attach(struct output_ring *ring)
{
	char path[PATH_MAX];
	int error, length;

	length = snprintf(path, sizeof(path), "%s/%s%s", output_channel_directory(ring->channel),
			  ring->name, ring->is_kernel ? "/trace_pipe_raw" : "");
	error = length < (int)sizeof(path)
			? ring_file_open_pages(
				  path, output_session_pages(output_channel_session(ring->channel)),
				  &ring->file)
			: -ENAMETOOLONG;
	if (is_passing(error)) {
		say_later(ring, error);
		return OUTCOME_LATER;
	}
	/* Gone again, or read to its end by an earlier consumer: no news. */
	if (error == -ENOENT || error == -ENODATA)
		return OUTCOME_END;
	if (error == -ENODEV && !output_channel_tells(ring->channel))
		return OUTCOME_END;
	/* A CPU that is off has no buffer before it is on. */
	if (error == -EINVAL && ring->is_kernel)
		return OUTCOME_IDLE;
	if (error) {
		log_warning("ring %s: not recorded: %s", path,
			    error == -ENODEV ? "this is not a ring file" : strerror(-error));
		return OUTCOME_END;
	}
	if (ring->is_kernel && listen_to(ring) == OUTCOME_LATER)
		return OUTCOME_LATER;
	return OUTCOME_MORE;
}

static void detach(struct output_ring *ring)
{
	ring->source = sd_event_source_disable_unref(ring->source);
	lttngmap_ring_file_close(ring->file);
	ring->file = NULL;
	ring->ended = true;
}

/* Is the daemon gone, or the ring not as it was agreed? No try will mend that. */
static bool is_broken(int error)
{
	return error == -EBADMSG || error == -EFAULT || error == -ENOTCONN ||
	       error == -ECONNABORTED || error == -EPROTO || error == -EPIPE;
}

static enum outcome give_up(struct output_ring *ring, int error)
{
	log_warning("ring %s/%s: reading it ended early (%s)", output_channel_name(ring->channel),
		    ring->name,
		    error == -EBADMSG  ? "a packet that cannot be"
		    : error == -EFAULT ? "its process cut its file short"
				       : strerror(-error));
	detach(ring);
	return OUTCOME_MORE;
}

/* True if the kernel's next packet should be waited for. */
static bool is_short(const struct output_ring *ring)
{
	const struct lttngmap_meta *meta = lttngmap_ring_file_meta(ring->file);

	return ring->is_kernel &&
	       !output_session_is_draining(output_channel_session(ring->channel),
					   ring->kernel.cursor.last) &&
	       ring->packet.offset + ring->packet.length < meta->meta.subbuf_size / 2;
}

/*
 * Drops the packet if the trace was removed, and counts it as one that was removed with it: no
 * writer is to wait for a trace that nobody will have. False: the trace is there. The output is
 * looked for once a turn, which `is_gone` remembers.
 */
static bool drop_where_gone(struct output_ring *ring, bool *is_gone)
{
	if (ring->is_kernel)
		return false;
	if (!*is_gone)
		*is_gone = output_session_is_gone(output_channel_session(ring->channel));
	if (!*is_gone)
		return false;
	output_ring_count(ring, &(struct output_session_written){ .events = ring->packet.events });
	ring->holding = false;
	return true;
}

/* Bytes of the given packets from the held one on up to the next one. */
static uint64_t measure_written(const struct output_ring *ring, uint32_t held)
{
	uint64_t bytes = 0;

	for (uint32_t i = held; i < ring->next; i++)
		bytes += ring->given.packets[i].length;
	return bytes;
}

static enum outcome drain(struct output_ring *ring)
{
	struct output_session *session = output_channel_session(ring->channel);
	bool is_gone = false;
	uint64_t bytes = 0;
	const char *what;
	uint32_t held;
	int error;

	for (uint32_t packets = 0; packets < TURN_PACKETS && bytes < TURN_BYTES;) {
		if (!ring->holding) {
			error = output_ring_next_packet(ring);
			if (error == -EAGAIN && output_ring_is_asked_again(ring))
				error = output_ring_next_packet(ring);
			/* Listened to once there is nothing: what is there needs no event. */
			if (error == -EAGAIN)
				return ring->source ? OUTCOME_IDLE : listen_to(ring);
			if (error == -EINTR)
				return OUTCOME_MORE;
			if (error == -ENODATA) {
				ring->is_whole = true;
				detach(ring);
				return OUTCOME_MORE;
			}
			/* The kernel's own, which is read, may lack memory for a moment. */
			if (ring->is_kernel && is_passing(error))
				return OUTCOME_LATER;
			if (error)
				return give_up(ring, error);
		}
		if (!output_session_may_write(session, &ring->packet)) {
			if (!drop_where_gone(ring, &is_gone))
				return OUTCOME_HOLD;
			packets++;
			continue;
		}
		held = ring->next - 1;
		error = output_ring_write_packet(ring, &what);
		packets += ring->next - held;
		if (is_broken(error))
			return give_up(ring, error);
		if (error && drop_where_gone(ring, &is_gone))
			continue;
		if (error) {
			output_session_failed(session, what, error);
			return OUTCOME_HOLD;
		}
		ring->holding = false;
		bytes += measure_written(ring, held);
		if (is_short(ring))
			return OUTCOME_IDLE;
		if (output_ring_is_asked_later(ring))
			return ring->source ? OUTCOME_IDLE : listen_to(ring);
	}
	return OUTCOME_MORE;
}

/* Writes the copied packets of one ring, the oldest first. 0 or -errno. */
static int write_snapshot(struct output_ring *ring, const struct snapshot *snapshot,
			  const char **what)
{
	for (size_t i = snapshot->nr_packets; i > 0; i--) {
		const struct snapshot_packet *copied = &snapshot->packets[i - 1];
		struct stream *stream;
		int error;

		ring->packet = copied->packet;
		error = output_ring_find_stream(ring, &stream);
		if (error)
			return error;
		*what = stream_name(stream);
		error = output_ring_put_packet(ring, stream, snapshot->bytes + copied->at);
		if (error)
			return error;
	}
	return output_ring_flush(ring, what);
}

/*
 * Read backward over all rings of the file, and close it, which tells that they
 * are on disk. A packet that cannot be written ends the snapshot: at the next try the rings would
 * have other events than those that were asked for.
 */
static enum outcome take_snapshot(struct output_ring *ring, uint64_t size)
{
	struct output_session *session = output_channel_session(ring->channel);
	struct snapshot *snapshot = &output_ring_shared(ring)->snapshot;
	const char *what = ring->name;
	int error = 0;

	if (!output_session_may_write(session, &(struct lttngmap_packet){ .cpu = 0 }))
		return OUTCOME_HOLD;
	for (; !error && ring->next_cpu < CPU_MAX; ring->next_cpu += !error) {
		error = snapshot_take(snapshot, ring->file, ring->next_cpu, size);
		/* No more rings. */
		if (error == -EINVAL)
			break;
		if (error) {
			log_warning("ring %s/%s: not all of it is in the snapshot (%s)",
				    output_channel_name(ring->channel), ring->name,
				    strerror(-error));
			break;
		}
		/* The newest tells of classes that came meanwhile: look again then. */
		if (snapshot->nr_packets > 0 &&
		    !output_session_may_write(session, &snapshot->packets[0].packet))
			return OUTCOME_HOLD;
		error = write_snapshot(ring, snapshot, &what);
		if (error)
			output_session_failed(session, what, error);
	}
	detach(ring);
	return OUTCOME_IDLE;
}

/* Reports the packets of an earlier consumer before any new one. */
static bool begin_kernel(struct output_ring *ring)
{
	struct output_session *session = output_channel_session(ring->channel);
	struct output_session_written more = { .packets = 0 };
	struct stream *stream;
	int error;

	if (!ring->file || ring->kernel.has_end || !output_session_had_streams(session))
		return true;
	if (!output_session_may_write(session, &(struct lttngmap_packet){ .cpu = 0 }))
		return false;
	ring->packet.cpu = (uint32_t)strtoul(ring->name + strlen("cpu"), NULL, 10);
	error = output_ring_find_stream(ring, &stream);
	if (!error)
		error = ring_kernel_begin(&ring->kernel, stream, &more);
	if (error)
		output_session_failed(session, ring->name, error);
	else if (more.overrun)
		output_ring_count(ring, &more);
	return !error;
}

static enum outcome take_turn(struct output_ring *ring)
{
	enum outcome outcome;
	const char *what;
	uint64_t size;
	int error;

	if (!ring->file && !ring->ended)
		return attach(ring);
	if (ring->is_kernel && !begin_kernel(ring))
		return OUTCOME_HOLD;
	/* It stays when it is closed: its name may be said once more. */
	if (output_session_is_snapshot(output_channel_session(ring->channel), &size))
		return ring->ended ? OUTCOME_IDLE : take_snapshot(ring, size);
	outcome = ring->file ? drain(ring) : OUTCOME_END;
	error = output_ring_flush(ring, &what);
	if (error &&
	    (ring->is_kernel || !output_session_is_gone(output_channel_session(ring->channel)))) {
		output_session_failed(output_channel_session(ring->channel), what, error);
		return OUTCOME_HOLD;
	}
	return outcome;
}

/* The kernel is to say when there is more; and this may have been the last ring of all. */
static void rest_kernel(struct output_ring *ring)
{
	int error;

	/* One that is not attached has nothing. */
	ring->is_drained = true;
	if (ring->source) {
		error = sd_event_source_set_enabled(ring->source, SD_EVENT_ONESHOT);
		if (error < 0)
			log_error("ring %s/%s: cannot be waited for (%s)",
				  output_channel_name(ring->channel), ring->name, strerror(-error));
	}
	output_session_check_drained(output_channel_session(ring->channel));
}

/* Not where its daemon has gone: the next one shows the ring again. */
static void end_streams(const struct output_ring *ring)
{
	if (!ring->is_whole)
		return;
	for (uint32_t cpu = 0; cpu < ring->nr_streams; cpu++) {
		if (ring->streams[cpu])
			stream_end(ring->streams[cpu]);
	}
}

static void serve(struct turn *turn)
{
	struct output_ring *ring = caa_container_of(turn, struct output_ring, turn);
	struct output_session *session = output_channel_session(ring->channel);

	switch (take_turn(ring)) {
	case OUTCOME_MORE:
		if (ring->is_kernel &&
		    !output_session_is_draining(session, ring->kernel.cursor.last)) {
			ring->is_drained = true;
			output_session_check_drained(session);
		}
		output_ring_wake(ring);
		break;
	case OUTCOME_IDLE:
		if (ring->is_kernel)
			rest_kernel(ring);
		break;
	case OUTCOME_HOLD:
		break;
	case OUTCOME_LATER:
		output_session_retry_later(session);
		break;
	case OUTCOME_END:
		end_streams(ring);
		output_ring_destroy(ring);
		output_session_check_drained(session);
		break;
	}
}

void output_ring_drain(struct output_ring *ring)
{
	ring->is_drained = false;
	output_ring_wake(ring);
}

bool output_ring_is_drained(const struct output_ring *ring)
{
	return ring->is_drained;
}

static void drop_streams(struct output_ring *ring)
{
	for (uint32_t cpu = 0; cpu < ring->nr_streams; cpu++) {
		stream_destroy(ring->streams[cpu]);
		ring->streams[cpu] = NULL;
	}
}

void output_ring_clear(struct output_ring *ring)
{
	ring->holding = false;
	ring->given.count = 0;
	drop_streams(ring);
}

int output_ring_close_streams(struct output_ring *ring)
{
	const char *what;
	int error = output_ring_flush(ring, &what);

	if (!error)
		drop_streams(ring);
	return error;
}

struct output_ring *output_ring_create(struct output_channel *channel, const char *name)
{
	size_t size = strlen(name) + 1;
	struct output_ring *ring = calloc(1, sizeof(*ring) + size);

	if (!ring)
		return NULL;
	ring->turn.serve = serve;
	ring->channel = channel;
	memcpy(ring->name, name, size);
	ring->is_kernel = output_session_is_kernel(output_channel_session(channel));
	if (ring->is_kernel)
		strcpy(ring->procname, "kernel");
	else
		take_procname(ring);
	output_ring_wake(ring);
	return ring;
}

void output_ring_destroy(struct output_ring *ring)
{
	output_channel_forget(ring->channel, ring);
	turn_remove(&ring->turn);
	sd_event_source_disable_unref(ring->source);
	lttngmap_ring_file_close(ring->file);
	for (uint32_t cpu = 0; cpu < ring->nr_streams; cpu++)
		stream_destroy(ring->streams[cpu]);
	free(ring->streams);
	free(ring);
}
