/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/session/turn.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/time.h"

#define ACCURACY_USEC UINT64_C(1000)
/* Turns that are short are served one after another for that long, then descriptors. */
#define TURNS_USEC UINT64_C(500)

/* Each entry once at most. One that queues itself again is served after descriptors were. */
static int serve_some(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct turns *turns = userdata;
	uint64_t begin = time_now_usec();
	struct turn *turn;

	(void)fd;
	(void)events;
	cds_list_splice(&turns->queue, &turns->served);
	CDS_INIT_LIST_HEAD(&turns->queue);
	while (!cds_list_empty(&turns->served)) {
		turn = cds_list_first_entry(&turns->served, struct turn, node);
		turn_remove(turn);
		turn->serve(turn);
		if (time_now_usec() - begin >= TURNS_USEC)
			break;
	}
	/* The others stay in front. */
	cds_list_splice(&turns->served, &turns->queue);
	CDS_INIT_LIST_HEAD(&turns->served);
	return cds_list_empty(&turns->queue) ? sd_event_source_set_enabled(source, SD_EVENT_OFF)
					     : 0;
}

static int on_step(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct turns *turns = userdata;
	struct turn *turn, *next;

	(void)source;
	(void)usec;
	cds_list_for_each_entry_safe(turn, next, &turns->waiting, node)
		turn_add(turns, turn);
	return 0;
}

/*
 * The loop takes sources of one priority in the order of how long they have
 * been pending. A defer source has always been so for longest, and would hold
 * up all descriptors and timers. A descriptor that can always be read is
 * pending anew for each turn.
 */
int turns_init(struct turns *turns, sd_event *loop)
{
	int error, fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);

	CDS_INIT_LIST_HEAD(&turns->queue);
	CDS_INIT_LIST_HEAD(&turns->served);
	CDS_INIT_LIST_HEAD(&turns->waiting);
	turns->source = NULL;
	turns->timer = NULL;
	if (fd < 0)
		return -errno;
	error = sd_event_add_io(loop, &turns->source, fd, EPOLLIN, serve_some, turns);
	if (error < 0) {
		close(fd);
		return error;
	}
	sd_event_source_set_io_fd_own(turns->source, true);
	sd_event_source_set_enabled(turns->source, SD_EVENT_OFF);
	error = sd_event_add_time(loop, &turns->timer, CLOCK_MONOTONIC, UINT64_MAX, ACCURACY_USEC,
				  on_step, turns);
	return error < 0 ? error : sd_event_source_set_enabled(turns->timer, SD_EVENT_OFF);
}

void turns_fini(struct turns *turns)
{
	turns->source = sd_event_source_disable_unref(turns->source);
	turns->timer = sd_event_source_disable_unref(turns->timer);
}

bool turns_are_empty(struct turns *turns)
{
	return cds_list_empty(&turns->queue);
}

void turn_add(struct turns *turns, struct turn *turn)
{
	if (turn->queued)
		return;
	turn_remove(turn);
	turn->queued = true;
	cds_list_add_tail(&turn->node, &turns->queue);
	/* Fails only where the loop is being torn down. */
	(void)sd_event_source_set_enabled(turns->source, SD_EVENT_ON);
}

bool turn_add_later(struct turns *turns, struct turn *turn, uint64_t due_usec)
{
	if (turn->queued || turn->waits)
		return true;
	if (cds_list_empty(&turns->waiting) || due_usec < turns->due_usec) {
		if (sd_event_source_set_time(turns->timer, due_usec) < 0 ||
		    sd_event_source_set_enabled(turns->timer, SD_EVENT_ONESHOT) < 0)
			return false;
		turns->due_usec = due_usec;
	}
	turn->waits = true;
	cds_list_add_tail(&turn->node, &turns->waiting);
	return true;
}

void turn_remove(struct turn *turn)
{
	if (turn->queued || turn->waits)
		cds_list_del(&turn->node);
	turn->queued = false;
	turn->waits = false;
}
