/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/consumer/consumer-private.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <urcu/list.h>

#include "common/base/json-message.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "common/base/time.h"

/*
 * Maximum number of messages queued for a consumer that does not read, and how long they may wait.
 */
#define QUEUE_MAX 4096u
#define STUCK_USEC UINT64_C(5000000)
#define STUCK_ACCURACY_USEC UINT64_C(100000)

struct queued {
	struct cds_list_head node;
	struct json_object *message;
	int fds[JSON_MESSAGE_FDS_MAX]; /* to go with it */
	size_t nr_fds;
};

/* ---- what it is told ----------------------------------------------------------- */

static void close_all(const int *fds, size_t nr_fds)
{
	for (size_t i = 0; i < nr_fds; i++)
		close(fds[i]);
}

static void queue_drop(struct consumer_link *link, struct queued *queued)
{
	cds_list_del(&queued->node);
	link->queued--;
	json_object_put(queued->message);
	close_all(queued->fds, queued->nr_fds);
	free(queued);
}

void consumer_link_disconnect(struct consumer_link *link)
{
	struct queued *queued, *next;

	cds_list_for_each_entry_safe(queued, next, &link->queue, node)
		queue_drop(link, queued);
	if (link->stuck)
		sd_event_source_set_enabled(link->stuck, SD_EVENT_OFF);
	link->source = sd_event_source_disable_unref(link->source);
	if (link->fd >= 0)
		close(link->fd);
	link->fd = -1;
}

/* It is started again, as if it had died. */
static void end_stuck(struct consumer_link *link)
{
	char who[CONSUMER_WHO_SIZE];

	message_say("%s does not read what it is told: it is started again",
		    consumer_link_who(link, who));
	consumer_link_disconnect(link);
	if (link->pid > 0)
		kill(link->pid, SIGKILL);
}

static int on_stuck(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	end_stuck(data);
	return 0;
}

int consumer_link_add_timer(struct consumer_link *link)
{
	int error = sd_event_add_time(link->daemon->event, &link->stuck, CLOCK_MONOTONIC,
				      UINT64_MAX, STUCK_ACCURACY_USEC, on_stuck, link);

	return error < 0 ? error : sd_event_source_set_enabled(link->stuck, SD_EVENT_OFF);
}

static void watch_queue(struct consumer_link *link)
{
	if (cds_list_empty(&link->queue) || sd_event_source_get_enabled(link->stuck, NULL) > 0)
		return;
	sd_event_source_set_time(link->stuck, time_now_usec() + STUCK_USEC);
	sd_event_source_set_enabled(link->stuck, SD_EVENT_ONESHOT);
}

static void link_flush(struct consumer_link *link)
{
	struct queued *queued, *next;

	cds_list_for_each_entry_safe(queued, next, &link->queue, node) {
		int error = json_message_send_fds(link->fd, queued->message, queued->fds,
						  queued->nr_fds, 0);

		if (error == -EAGAIN)
			break;
		if (error && error != -EPIPE && error != -ECONNRESET)
			message_say("the consumer cannot be told what to do: %s", strerror(-error));
		if (error) {
			consumer_link_disconnect(link);
			return;
		}
		queue_drop(link, queued);
		/* It reads: its time begins anew. */
		sd_event_source_set_enabled(link->stuck, SD_EVENT_OFF);
	}
	watch_queue(link);
	if (link->is_leaving && cds_list_empty(&link->queue))
		shutdown(link->fd, SHUT_WR);
	sd_event_source_set_io_events(link->source,
				      cds_list_empty(&link->queue) ? EPOLLIN : EPOLLIN | EPOLLOUT);
	if (cds_list_empty(&link->queue))
		link->consumers->ops->drained(link->daemon->sessions, link);
}

void consumer_link_send(struct consumer_link *link, struct json_object *message, const int *fds,
			size_t nr_fds)
{
	struct queued *queued = NULL;

	if (link->fd >= 0 && link->queued < QUEUE_MAX)
		queued = calloc(1, sizeof(*queued));
	if (!queued) {
		bool stuck = link->fd >= 0;

		json_object_put(message);
		close_all(fds, nr_fds);
		if (stuck)
			end_stuck(link);
		return;
	}
	queued->message = message;
	if (nr_fds != 0)
		memcpy(queued->fds, fds, nr_fds * sizeof(*fds));
	queued->nr_fds = nr_fds;
	cds_list_add_tail(&queued->node, &link->queue);
	link->queued++;
	link->sent++;
	consumer_answer_expect(link);
	link_flush(link);
}

void consumer_link_close(struct consumer_link *link)
{
	if (link->fd >= 0)
		link_flush(link);
}

struct json_object *consumer_link_event(const char *event, const char *name)
{
	struct json_object *message = json_object_new_object();

	json_object_object_add(message, "event", json_object_new_string(event));
	json_object_object_add(message, "session", json_object_new_string(name));
	return message;
}

/* ---- what it tells --------------------------------------------------------------- */

/* Returns NULL, or the name of the member that is wrong. */
static const char *take_alive(struct consumer_link *link, struct json_object *message)
{
	static const char *const keys[] = { "verb", "taken", "busy", NULL };
	const char *unknown = json_message_unknown(message, keys);
	uint64_t taken;
	bool busy;

	if (unknown)
		return unknown;
	if (json_message_get_uint64(message, "taken", 0, INT64_MAX, &taken) != 0)
		return "taken";
	if (json_message_get_bool(message, "busy", &busy) != 0)
		return "busy";
	consumer_answer_take(link, !busy && taken == link->sent);
	return NULL;
}

static const char *take_message(struct consumer_link *link, struct json_object *message)
{
	const char *verb = "";

	(void)json_message_get_string(message, "verb", &verb);
	if (strcmp(verb, "busy") == 0) {
		consumer_answer_expect(link);
		return NULL;
	}
	if (strcmp(verb, "alive") == 0)
		return take_alive(link, message);
	consumer_answer_take(link, false);
	return link->consumers->ops->take(link, verb, message);
}

static int on_connection(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct consumer_link *link = data;
	struct json_object *message;
	char who[CONSUMER_WHO_SIZE];
	const char *wrong;
	int error;

	(void)source;
	consumer_link_who(link, who);
	if (revents & EPOLLOUT)
		link_flush(link);
	if (link->fd < 0 || !(revents & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		return 0;
	error = json_message_receive(fd, &message, NULL, 0);
	if (error == -EAGAIN)
		return 0;
	if (error) {
		if (error != -EPIPE && error != -ECONNRESET)
			message_say("%s sent what is no message: %s", who, strerror(-error));
		consumer_link_disconnect(link);
		return 0;
	}
	wrong = take_message(link, message);
	if (wrong) {
		message_say("%s sent a bad member '%s'", who, wrong);
		consumer_link_disconnect(link);
	}
	json_object_put(message);
	return 0;
}

int consumer_link_connect(struct consumer_link *link, int fd)
{
	struct json_object *answer;
	int error = sd_event_add_io(link->daemon->event, &link->source, fd, EPOLLIN, on_connection,
				    link);

	if (error < 0)
		return error;
	link->fd = fd;
	answer = json_object_new_object();
	json_object_object_add(answer, "ok", json_object_new_boolean(true));
	consumer_link_send(link, answer, NULL, 0);
	/* It counts what comes after that. */
	link->sent = 0;
	link->consumers->ops->connected(link->daemon->sessions, link);
	/* A flight recorder's is told nothing, and has no output to wait for. */
	if (link->sent == 0)
		consumer_answer_take(link, true);
	return 0;
}
