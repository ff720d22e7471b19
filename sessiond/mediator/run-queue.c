/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/mediator/run-queue.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "sessiond/base/parts.h"
#include "common/base/time.h"
#include "sessiond/mediator/ring-thread.h"

/* How long to serve before the loop looks at others: who connects, timers, consumers. */
#define SERVED_NS UINT64_C(500000)
/*
 * Maximum number of ready descriptors queued before the event loop turns to others: queueing is
 * cheap.
 */
#define READY_AT_ONCE 64
/* How often to look whether somebody may be served again who was over its rate. */
#define WAIT_USEC UINT64_C(5000)
#define ACCURACY_USEC UINT64_C(1000)
/* An entry that has been served for so long should queue the rest of its work. */
#define LONG_NS UINT64_C(10000000)

struct run_queue {
	struct ring_thread *rings;
	sd_event_source *source;      /* on while there is somebody to be served */
	sd_event_source *timer;       /* on while somebody waits for a later time */
	struct cds_list_head users;   /* on whom the least time was spent first */
	struct cds_list_head waiting; /* of users, over their rate */
	uint64_t least_ns;            /* spent on who was served last, before that */
	struct quota_user *served;    /* in no list meanwhile */
	uint64_t begin_ns;            /* when serving it began */
	int epoll;
	sd_event_source *ready; /* of the epoll */
};

/* From the end, where those who were just served belong; who comes anew is first. */
static struct cds_list_head *place_of(struct run_queue *run_queue, const struct quota_user *user)
{
	struct quota_user *before;

	if (user->spent_ns == run_queue->least_ns)
		return &run_queue->users;
	cds_list_for_each_entry_reverse(before, &run_queue->users,
					entry_node) if (before->spent_ns <=
							user->spent_ns) return &before->entry_node;
	return &run_queue->users;
}

static void user_enter(struct run_queue *run_queue, struct quota_user *user)
{
	if (user->spent_ns < run_queue->least_ns)
		user->spent_ns = run_queue->least_ns;
	cds_list_add(&user->entry_node, place_of(run_queue, user));
	sd_event_source_set_enabled(run_queue->source, SD_EVENT_ON);
}

static void user_wait(struct run_queue *run_queue, struct quota_user *user)
{
	if (cds_list_empty(&run_queue->waiting)) {
		sd_event_source_set_time(run_queue->timer, time_now_usec() + WAIT_USEC);
		sd_event_source_set_enabled(run_queue->timer, SD_EVENT_ONESHOT);
	}
	cds_list_add_tail(&user->entry_node, &run_queue->waiting);
}

/* They find out anew whether they may; those who may not yet wait on. */
static int on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct run_queue *run_queue = data;
	struct quota_user *user, *next;

	(void)source;
	(void)usec;
	cds_list_for_each_entry_safe(user, next, &run_queue->waiting, entry_node) {
		cds_list_del(&user->entry_node);
		user_enter(run_queue, user);
	}
	return 0;
}

static bool has_entry(struct quota_user *user)
{
	return !cds_list_empty(&user->run_queue) || !cds_list_empty(&user->ends);
}

/* The user has one. */
static struct run_entry *find_first(struct quota_user *user)
{
	bool end = cds_list_empty(&user->run_queue) ||
		   (user->ends_next && !cds_list_empty(&user->ends));

	return cds_list_first_entry(end ? &user->ends : &user->run_queue, struct run_entry, node);
}

static void take_entry(struct quota_user *user, struct run_entry *entry)
{
	cds_list_del(&entry->node);
	entry->queued = false;
	user->ends_next = !entry->is_end;
}

static void serve_first(struct run_queue *run_queue)
{
	struct quota_user *user =
		cds_list_first_entry(&run_queue->users, struct quota_user, entry_node);
	struct run_entry *entry = find_first(user);
	uint64_t begin = time_now_ns();

	cds_list_del(&user->entry_node);
	if (quota_take_message(user, entry->cost, begin / 1000) != 0) {
		user_wait(run_queue, user);
		return;
	}
	take_entry(user, entry);
	run_queue->least_ns = user->spent_ns;
	/* It has a turn until it was charged: what it queues meanwhile comes after that. */
	run_queue->served = user;
	run_queue->begin_ns = begin;
	if (entry->cost > 1)
		ring_thread_release(run_queue->rings);
	else
		ring_thread_hold(run_queue->rings);
	entry->serve(entry);
	run_queue->served = NULL;
	user->spent_ns += time_now_ns() - begin;
	user->has_entry = has_entry(user);
	if (user->has_entry)
		user_enter(run_queue, user);
}

/* Nothing is served from here: the events left would be of turns that are freed by then. */
static int on_ready(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct run_queue *run_queue = data;
	struct epoll_event events[READY_AT_ONCE];
	int count = epoll_wait(fd, events, READY_AT_ONCE, 0);

	(void)source;
	(void)revents;
	for (int i = 0; i < count; i++) {
		struct run_entry *entry = events[i].data.ptr;

		entry->is_end |= (events[i].events & EPOLLHUP) != 0;
		run_queue_add(run_queue, entry);
	}
	return 0;
}

static int on_entry(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct run_queue *run_queue = data;
	uint64_t end = time_now_ns() + SERVED_NS;

	(void)fd;
	(void)revents;
	while (!cds_list_empty(&run_queue->users) && time_now_ns() < end)
		serve_first(run_queue);
	ring_thread_release(run_queue->rings);
	if (cds_list_empty(&run_queue->users))
		return sd_event_source_set_enabled(source, SD_EVENT_OFF);
	return 0;
}

/* Takes the descriptor. */
static int add_source(struct run_queue *run_queue, sd_event *event, int fd,
		      sd_event_io_handler_t handler, sd_event_source **source)
{
	int error = fd < 0 ? -errno
			   : sd_event_add_io(event, source, fd, EPOLLIN, handler, run_queue);

	if (error < 0) {
		if (fd >= 0)
			close(fd);
		return error;
	}
	return sd_event_source_set_io_fd_own(*source, 1);
}

/*
 * The first source is a descriptor that can always be read, for the loop takes those
 * in the order of how long they have been ready; a defer source would be first
 * each time.
 */
static int add_sources(struct run_queue *run_queue, sd_event *event)
{
	int error = add_source(run_queue, event, eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK), on_entry,
			       &run_queue->source);

	if (error < 0)
		return error;
	sd_event_source_set_enabled(run_queue->source, SD_EVENT_OFF);
	run_queue->epoll = epoll_create1(EPOLL_CLOEXEC);
	error = add_source(run_queue, event, run_queue->epoll, on_ready, &run_queue->ready);
	if (error < 0)
		return error;
	error = sd_event_add_time(event, &run_queue->timer, CLOCK_MONOTONIC, UINT64_MAX,
				  ACCURACY_USEC, on_timer, run_queue);
	return error < 0 ? error : sd_event_source_set_enabled(run_queue->timer, SD_EVENT_OFF);
}

int run_queue_create(sd_event *event, struct ring_thread *rings, struct run_queue **result)
{
	struct run_queue *run_queue = calloc(1, sizeof(*run_queue));
	int error;

	*result = NULL;
	if (!run_queue)
		return -ENOMEM;
	run_queue->rings = rings;
	CDS_INIT_LIST_HEAD(&run_queue->users);
	CDS_INIT_LIST_HEAD(&run_queue->waiting);
	error = add_sources(run_queue, event);
	if (error < 0) {
		run_queue_destroy(run_queue);
		return error;
	}
	*result = run_queue;
	return 0;
}

void run_queue_destroy(struct run_queue *run_queue)
{
	if (!run_queue)
		return;
	sd_event_source_disable_unref(run_queue->source);
	sd_event_source_disable_unref(run_queue->ready);
	sd_event_source_disable_unref(run_queue->timer);
	free(run_queue);
}

void run_queue_add(struct run_queue *run_queue, struct run_entry *entry)
{
	struct quota_user *user = entry->user;

	if (entry->queued)
		return;
	entry->queued = true;
	cds_list_add_tail(&entry->node, entry->is_end ? &user->ends : &user->run_queue);
	if (user->has_entry)
		return;
	user->has_entry = true;
	user_enter(run_queue, user);
}

bool run_queue_is_long(const struct run_queue *run_queue)
{
	return run_queue->served && time_now_ns() - run_queue->begin_ns > LONG_NS;
}

int run_queue_watch(struct run_queue *run_queue, struct run_entry *entry, int fd)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT, .data.ptr = entry };

	if (epoll_ctl(run_queue->epoll, entry->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd,
		      &event) != 0)
		return -errno;
	entry->watched = true;
	return 0;
}

void run_queue_remove(struct run_queue *run_queue, struct run_entry *entry, int fd)
{
	struct quota_user *user = entry->user;

	/* Its file may have other descriptors, and would stay in the epoll by these. */
	if (entry->watched)
		epoll_ctl(run_queue->epoll, EPOLL_CTL_DEL, fd, NULL);
	entry->watched = false;
	if (!entry->queued)
		return;
	entry->queued = false;
	cds_list_del(&entry->node);
	if (has_entry(user) || user == run_queue->served)
		return;
	user->has_entry = false;
	cds_list_del(&user->entry_node);
	if (cds_list_empty(&run_queue->users))
		sd_event_source_set_enabled(run_queue->source, SD_EVENT_OFF);
}
