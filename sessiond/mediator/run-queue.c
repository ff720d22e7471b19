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
#include "sessiond/base/time.h"
#include "sessiond/mediator/ring-thread.h"

/* How long to serve before the loop looks at others: who connects, timers, consumers. */
#define SERVED_NS UINT64_C(500000)
/* Of descriptors that can be read, queued before the loop looks at others: it is little work. */
#define READY_AT_ONCE 64
/* How often to look whether somebody may be served again who was over its rate. */
#define WAIT_USEC UINT64_C(5000)
#define ACCURACY_USEC UINT64_C(1000)

struct app_turns {
	struct ring_thread *rings;
	sd_event_source *source;      /* on while there is somebody to be served */
	sd_event_source *timer;       /* on while somebody waits for a later time */
	struct cds_list_head users;   /* on whom the least time was spent first */
	struct cds_list_head waiting; /* of users, over their rate */
	uint64_t least_ns;            /* spent on who was served last, before that */
	struct quota_user *served;    /* in no list meanwhile */
	int epoll;
	sd_event_source *ready; /* of the epoll */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* From the end, where those who were just served belong; who comes anew is first. */
static struct cds_list_head *place_of(struct app_turns *turns, const struct quota_user *user)
{
	struct quota_user *before;

	if (user->spent_ns == turns->least_ns)
		return &turns->users;
	cds_list_for_each_entry_reverse(before, &turns->users,
					turn_node) if (before->spent_ns <=
						       user->spent_ns) return &before->turn_node;
	return &turns->users;
}

static void user_enter(struct app_turns *turns, struct quota_user *user)
{
	if (user->spent_ns < turns->least_ns)
		user->spent_ns = turns->least_ns;
	cds_list_add(&user->turn_node, place_of(turns, user));
	sd_event_source_set_enabled(turns->source, SD_EVENT_ON);
}

static void user_wait(struct app_turns *turns, struct quota_user *user)
{
	if (cds_list_empty(&turns->waiting)) {
		sd_event_source_set_time(turns->timer, time_now_usec() + WAIT_USEC);
		sd_event_source_set_enabled(turns->timer, SD_EVENT_ONESHOT);
	}
	cds_list_add_tail(&user->turn_node, &turns->waiting);
}

/* They find out anew whether they may; those who may not yet wait on. */
static int on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct app_turns *turns = data;
	struct quota_user *user, *next;

	(void)source;
	(void)usec;
	cds_list_for_each_entry_safe(user, next, &turns->waiting, turn_node) {
		cds_list_del(&user->turn_node);
		user_enter(turns, user);
	}
	return 0;
}

static bool has_turns(struct quota_user *user)
{
	return !cds_list_empty(&user->turns) || !cds_list_empty(&user->ends);
}

/* The user has one. */
static struct app_turn *find_first(struct quota_user *user)
{
	bool end = cds_list_empty(&user->turns) ||
		   (user->ends_next && !cds_list_empty(&user->ends));

	return cds_list_first_entry(end ? &user->ends : &user->turns, struct app_turn, node);
}

static void take_turn(struct quota_user *user, struct app_turn *turn)
{
	cds_list_del(&turn->node);
	turn->queued = false;
	user->ends_next = !turn->is_end;
}

static void serve_first(struct app_turns *turns)
{
	struct quota_user *user = cds_list_first_entry(&turns->users, struct quota_user, turn_node);
	struct app_turn *turn = find_first(user);
	uint64_t begin = now_ns();

	cds_list_del(&user->turn_node);
	if (quota_take_message(user, turn->cost, begin / 1000) != 0) {
		user_wait(turns, user);
		return;
	}
	take_turn(user, turn);
	turns->least_ns = user->spent_ns;
	/* It has a turn until it was charged: what it queues meanwhile comes after that. */
	turns->served = user;
	if (turn->cost > 1)
		ring_thread_release(turns->rings);
	else
		ring_thread_hold(turns->rings);
	turn->serve(turn);
	turns->served = NULL;
	user->spent_ns += now_ns() - begin;
	user->has_turn = has_turns(user);
	if (user->has_turn)
		user_enter(turns, user);
}

/* Nothing is served from here: the events left would be of turns that are freed by then. */
static int on_ready(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct app_turns *turns = data;
	struct epoll_event events[READY_AT_ONCE];
	int count = epoll_wait(fd, events, READY_AT_ONCE, 0);

	(void)source;
	(void)revents;
	for (int i = 0; i < count; i++) {
		struct app_turn *turn = events[i].data.ptr;

		turn->is_end |= (events[i].events & EPOLLHUP) != 0;
		app_turn_add(turns, turn);
	}
	return 0;
}

static int on_turn(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct app_turns *turns = data;
	uint64_t end = now_ns() + SERVED_NS;

	(void)fd;
	(void)revents;
	while (!cds_list_empty(&turns->users) && now_ns() < end)
		serve_first(turns);
	ring_thread_release(turns->rings);
	if (cds_list_empty(&turns->users))
		return sd_event_source_set_enabled(source, SD_EVENT_OFF);
	return 0;
}

/* Takes the descriptor. */
static int add_source(struct app_turns *turns, sd_event *event, int fd,
		      sd_event_io_handler_t handler, sd_event_source **source)
{
	int error = fd < 0 ? -errno : sd_event_add_io(event, source, fd, EPOLLIN, handler, turns);

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
static int add_sources(struct app_turns *turns, sd_event *event)
{
	int error = add_source(turns, event, eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK), on_turn,
			       &turns->source);

	if (error < 0)
		return error;
	sd_event_source_set_enabled(turns->source, SD_EVENT_OFF);
	turns->epoll = epoll_create1(EPOLL_CLOEXEC);
	error = add_source(turns, event, turns->epoll, on_ready, &turns->ready);
	if (error < 0)
		return error;
	error = sd_event_add_time(event, &turns->timer, CLOCK_MONOTONIC, UINT64_MAX, ACCURACY_USEC,
				  on_timer, turns);
	return error < 0 ? error : sd_event_source_set_enabled(turns->timer, SD_EVENT_OFF);
}

int app_turns_create(sd_event *event, struct ring_thread *rings, struct app_turns **result)
{
	struct app_turns *turns = calloc(1, sizeof(*turns));
	int error;

	*result = NULL;
	if (!turns)
		return -ENOMEM;
	turns->rings = rings;
	CDS_INIT_LIST_HEAD(&turns->users);
	CDS_INIT_LIST_HEAD(&turns->waiting);
	error = add_sources(turns, event);
	if (error < 0) {
		app_turns_destroy(turns);
		return error;
	}
	*result = turns;
	return 0;
}

void app_turns_destroy(struct app_turns *turns)
{
	if (!turns)
		return;
	sd_event_source_disable_unref(turns->source);
	sd_event_source_disable_unref(turns->ready);
	sd_event_source_disable_unref(turns->timer);
	free(turns);
}

void app_turn_add(struct app_turns *turns, struct app_turn *turn)
{
	struct quota_user *user = turn->user;

	if (turn->queued)
		return;
	turn->queued = true;
	cds_list_add_tail(&turn->node, turn->is_end ? &user->ends : &user->turns);
	if (user->has_turn)
		return;
	user->has_turn = true;
	user_enter(turns, user);
}

int app_turn_watch(struct app_turns *turns, struct app_turn *turn, int fd)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT, .data.ptr = turn };

	if (epoll_ctl(turns->epoll, turn->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) != 0)
		return -errno;
	turn->watched = true;
	return 0;
}

void app_turn_remove(struct app_turns *turns, struct app_turn *turn, int fd)
{
	struct quota_user *user = turn->user;

	/* Its file may have other descriptors, and would stay in the epoll by these. */
	if (turn->watched)
		epoll_ctl(turns->epoll, EPOLL_CTL_DEL, fd, NULL);
	turn->watched = false;
	if (!turn->queued)
		return;
	turn->queued = false;
	cds_list_del(&turn->node);
	if (has_turns(user) || user == turns->served)
		return;
	user->has_turn = false;
	cds_list_del(&user->turn_node);
	if (cds_list_empty(&turns->users))
		sd_event_source_set_enabled(turns->source, SD_EVENT_OFF);
}
