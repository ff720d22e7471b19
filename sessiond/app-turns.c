/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/app-turns.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "sessiond/daemon.h"

/* Served before the loop looks at others: connections, commands, processes that end. */
#define SERVED_AT_ONCE 4
/* How often to look whether somebody may be served again who was over its rate. */
#define WAIT_USEC UINT64_C(5000)
#define ACCURACY_USEC UINT64_C(1000)

struct app_turns {
	sd_event_source *source; /* on while there is somebody to be served */
	sd_event_source *timer;  /* on while somebody waits for a later time */
	struct cds_list_head users;
	struct cds_list_head waiting; /* of users, over their rate */
	void (*serve)(struct app_turn *turn);
};

static void user_enter(struct app_turns *turns, struct quota_user *user)
{
	cds_list_add_tail(&user->turn_node, &turns->users);
	sd_event_source_set_enabled(turns->source, SD_EVENT_ON);
}

static void user_wait(struct app_turns *turns, struct quota_user *user)
{
	if (cds_list_empty(&turns->waiting)) {
		sd_event_source_set_time(turns->timer, daemon_now_usec() + WAIT_USEC);
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

static void serve_first(struct app_turns *turns)
{
	struct quota_user *user = cds_list_first_entry(&turns->users, struct quota_user, turn_node);
	struct app_turn *turn;

	cds_list_del(&user->turn_node);
	if (quota_take_message(user, 1, daemon_now_usec()) != 0) {
		user_wait(turns, user);
		return;
	}
	turn = cds_list_first_entry(&user->turns, struct app_turn, node);
	cds_list_del(&turn->node);
	turn->queued = false;
	user->has_turn = !cds_list_empty(&user->turns);
	/* Behind all others. */
	if (user->has_turn)
		user_enter(turns, user);
	turns->serve(turn);
}

static int on_turn(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct app_turns *turns = data;

	(void)fd;
	(void)revents;
	for (int i = 0; i < SERVED_AT_ONCE && !cds_list_empty(&turns->users); i++)
		serve_first(turns);
	if (cds_list_empty(&turns->users))
		return sd_event_source_set_enabled(source, SD_EVENT_OFF);
	return 0;
}

/*
 * The source is a descriptor that can always be read, for the loop takes those
 * in the order of how long they have been ready; a defer source would be first
 * each time.
 */
int app_turns_create(sd_event *event, void (*serve)(struct app_turn *turn),
		     struct app_turns **result)
{
	struct app_turns *turns = calloc(1, sizeof(*turns));
	int error, fd;

	*result = turns;
	if (!turns)
		return -ENOMEM;
	turns->serve = serve;
	CDS_INIT_LIST_HEAD(&turns->users);
	CDS_INIT_LIST_HEAD(&turns->waiting);
	fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	error = fd < 0 ? -errno
		       : sd_event_add_io(event, &turns->source, fd, EPOLLIN, on_turn, turns);
	if (error < 0) {
		if (fd >= 0)
			close(fd);
		goto fail;
	}
	sd_event_source_set_io_fd_own(turns->source, 1);
	sd_event_source_set_enabled(turns->source, SD_EVENT_OFF);
	error = sd_event_add_time(event, &turns->timer, CLOCK_MONOTONIC, UINT64_MAX, ACCURACY_USEC,
				  on_timer, turns);
	if (error < 0)
		goto fail;
	sd_event_source_set_enabled(turns->timer, SD_EVENT_OFF);
	return 0;

fail:
	app_turns_destroy(turns);
	*result = NULL;
	return error;
}

void app_turns_destroy(struct app_turns *turns)
{
	if (!turns)
		return;
	sd_event_source_disable_unref(turns->source);
	sd_event_source_disable_unref(turns->timer);
	free(turns);
}

void app_turn_add(struct app_turns *turns, struct app_turn *turn, struct quota_user *user)
{
	if (turn->queued)
		return;
	turn->queued = true;
	cds_list_add_tail(&turn->node, &user->turns);
	if (user->has_turn)
		return;
	user->has_turn = true;
	user_enter(turns, user);
}

void app_turn_remove(struct app_turns *turns, struct app_turn *turn, struct quota_user *user)
{
	if (!turn->queued)
		return;
	turn->queued = false;
	cds_list_del(&turn->node);
	if (!cds_list_empty(&user->turns))
		return;
	user->has_turn = false;
	cds_list_del(&user->turn_node);
	if (cds_list_empty(&turns->users))
		sd_event_source_set_enabled(turns->source, SD_EVENT_OFF);
}
