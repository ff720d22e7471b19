/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/mediator/doorbell.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <urcu/list.h>

#include "sessiond/base/messages.h"

#define POLL_USEC UINT64_C(200000)
/*
 * A reader that is woken for each sub-buffer spends more on waking than on
 * reading: it is left alone this long, while its rings have room. One that looks by itself is not
 * woken at all.
 */
#define LATE_USEC UINT64_C(15000)
/* The loop may be late by a quarter of a second otherwise. */
#define ACCURACY_USEC UINT64_C(1000)
/* Looked at before the loop looks at readers, orders and timers. */
#define READY_AT_ONCE 32

enum doorbell_order {
	DOORBELL_POLL = 1u << 0,
	DOORBELL_END = 1u << 1,
	DOORBELL_JOIN = 1u << 2,
};

enum set_order {
	SET_ADD = 1u << 0,
	SET_FLUSH = 1u << 1,
	SET_REMOVE = 1u << 2,
};

struct doorbells {
	struct ring_thread *thread;
	/*
	 * An epoll set of all eventfds: N doorbells that ring at once cost O(N). The event loop
	 * alone would poll all ready descriptors before each one that it serves.
	 */
	sd_event_source *ready;
	int epoll; /* the source's */
	const struct mediator_ops *ops;
	struct mediator *mediator;
	int triggers;                /* eventfd that the main thread reads */
	struct cds_list_head polled; /* struct doorbell */
	sd_event_source *timer;
	struct cds_list_head late; /* struct doorbell: their readers come with the timer */
	sd_event_source *late_timer;
	struct cds_list_head unshown; /* struct doorbell_set: could not be announced */
	sd_event_source *unshown_timer;
};

/*
 * Order DOORBELL_END may run before orders of the doorbell's sets that were
 * given earlier, as it joins an order of the doorbell that stands further
 * ahead in the queue. So it is freed by whoever is last: END, or its last set.
 */
struct doorbell {
	struct ring_order order;
	struct doorbells *doorbells;
	struct memory_set *memories;
	unsigned long sets;     /* and who joined; atomic; raised by main before END is given */
	struct doorbell *other; /* to be joined: main's, up to the order */
	struct doorbell *joined;
	bool ended;
	bool polled;
	bool listens;               /* it is in the epoll */
	struct cds_list_head shown; /* struct doorbell_set */
	struct cds_list_head node;  /* in doorbells->polled */
	bool is_late;
	struct cds_list_head late_node; /* in doorbells->late */
};

struct doorbell_set {
	struct ring_order order;
	struct doorbell *doorbell;
	struct ring_set *set;
	bool listed;
	bool announced;
	bool is_unshown; /* its announcement failed, and is tried again */
	struct cds_list_head node;
	struct cds_list_head unshown_node;
};

/* ---- ring thread ---------------------------------------------------------- */

static void arm(struct doorbells *doorbells, sd_event_source *timer, uint64_t usec)
{
	uint64_t now;

	sd_event_now(ring_thread_event(doorbells->thread), CLOCK_MONOTONIC, &now);
	sd_event_source_set_time(timer, now + usec);
	sd_event_source_set_enabled(timer, SD_EVENT_ONESHOT);
}

/* Its process may ring no more: what cannot be shown now is tried again by a timer. */
static void set_leave_unshown(struct doorbell_set *shown)
{
	if (shown->is_unshown)
		cds_list_del(&shown->unshown_node);
	shown->is_unshown = false;
}

static void set_announce(struct doorbell_set *shown)
{
	struct doorbells *doorbells = shown->doorbell->doorbells;
	int error;

	if (shown->announced)
		return;
	error = doorbells->ops->announce(doorbells->mediator, shown->set);
	if (error == 0) {
		shown->announced = true;
		set_leave_unshown(shown);
	} else if (!shown->is_unshown) {
		if (cds_list_empty(&doorbells->unshown))
			arm(doorbells, doorbells->unshown_timer, POLL_USEC);
		cds_list_add_tail(&shown->unshown_node, &doorbells->unshown);
		shown->is_unshown = true;
		message_say(
			"cannot show ring file %s of session %s, channel %s: %s; it is shown as "
			"soon as that is possible",
			ring_set_file_name(shown->set), ring_set_session(shown->set),
			ring_set_channel(shown->set), strerror(-error));
	}
}

static void set_notify(struct doorbell_set *shown)
{
	struct doorbells *doorbells = shown->doorbell->doorbells;

	if (shown->announced)
		doorbells->ops->notify(doorbells->mediator, shown->set);
}

static int on_unshown(sd_event_source *source, uint64_t now, void *data)
{
	struct doorbells *doorbells = data;
	struct doorbell_set *shown, *next;

	(void)now;
	cds_list_for_each_entry_safe(shown, next, &doorbells->unshown, unshown_node) {
		set_announce(shown);
		set_notify(shown);
	}
	if (!cds_list_empty(&doorbells->unshown))
		arm(doorbells, source, POLL_USEC);
	return 0;
}

static void doorbell_postpone(struct doorbell *doorbell)
{
	struct doorbells *doorbells = doorbell->doorbells;

	if (doorbell->is_late)
		return;
	if (cds_list_empty(&doorbells->late))
		arm(doorbells, doorbells->late_timer, LATE_USEC);
	cds_list_add(&doorbell->late_node, &doorbells->late);
	doorbell->is_late = true;
}

/* False: it is no trigger's. */
static bool set_tell_trigger(const struct doorbell_set *shown)
{
	static const uint64_t one = 1;
	bool first;

	if (!ring_set_ring(shown->set, &first))
		return false;
	/* It fails only where the main thread has 2^64 - 2 such looks before it. */
	if (first && write(shown->doorbell->doorbells->triggers, &one, sizeof(one)) < 0)
		return true;
	return true;
}

static void doorbell_look(struct doorbell *doorbell, bool at_once)
{
	const struct mediator_ops *ops = doorbell->doorbells->ops;
	struct doorbell_set *shown;

	cds_list_for_each_entry(shown, &doorbell->shown, node) {
		unsigned int events;
		bool is_new, is_awake;

		if (set_tell_trigger(shown))
			continue;
		if (ops->device) {
			ops->notify(doorbell->doorbells->mediator, shown->set);
			continue;
		}
		events = ring_set_poll(shown->set);
		is_new = !shown->announced;

		if (events & POLLIN)
			set_announce(shown);
		if (!events)
			continue;
		/* One that sleeps from now on looks by itself before. */
		is_awake = ring_set_is_awake(shown->set);
		if ((at_once && !is_awake) || is_new || events & POLLHUP ||
		    ring_set_is_urgent(shown->set))
			set_notify(shown);
		else if (!is_awake)
			doorbell_postpone(doorbell);
	}
	if (doorbell->joined && !doorbell->joined->ended)
		doorbell_look(doorbell->joined, at_once);
}

static void doorbell_leave_late(struct doorbell *doorbell)
{
	if (doorbell->is_late)
		cds_list_del(&doorbell->late_node);
	doorbell->is_late = false;
}

static int on_late(sd_event_source *source, uint64_t now, void *data)
{
	struct doorbells *doorbells = data;
	struct doorbell *doorbell, *next;

	(void)source;
	(void)now;
	cds_list_for_each_entry_safe(doorbell, next, &doorbells->late, late_node) {
		doorbell_leave_late(doorbell);
		doorbell_look(doorbell, true);
	}
	return 0;
}

static void doorbell_start_poll(struct doorbell *doorbell)
{
	struct doorbells *doorbells = doorbell->doorbells;
	sd_event *event = ring_thread_event(doorbells->thread);
	uint64_t now;

	if (doorbell->polled)
		return;
	doorbell->polled = true;
	cds_list_add(&doorbell->node, &doorbells->polled);
	sd_event_now(event, CLOCK_MONOTONIC, &now);
	sd_event_source_set_time(doorbells->timer, now + POLL_USEC);
	sd_event_source_set_enabled(doorbells->timer, SD_EVENT_ON);
}

static void doorbell_stop_listening(struct doorbell *doorbell)
{
	/* The process has the same open file: closing ours would leave it in the epoll. */
	if (doorbell->listens)
		epoll_ctl(doorbell->doorbells->epoll, EPOLL_CTL_DEL, doorbell->memories->doorbell,
			  NULL);
	doorbell->listens = false;
}

static void doorbell_take_ring(struct doorbell *doorbell)
{
	uint64_t count;
	const struct iovec to = { &count, sizeof(count) };

	/*
	 * O_NONBLOCK belongs to the open file, which the process has, too: it can clear the
	 * flag and empty the counter after epoll_wait(). RWF_NOWAIT belongs to this call.
	 */
	if (preadv2(doorbell->memories->doorbell, &to, 1, -1, RWF_NOWAIT) < 0 && errno != EAGAIN) {
		/* Refused by a kernel or a filter of system calls; no process can bring it about.
		 */
		doorbell_stop_listening(doorbell);
		doorbell_start_poll(doorbell);
	}
	doorbell_look(doorbell, false);
}

/* Only orders free doorbells: those that were left are run first, and none later. */
static int on_ready(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct doorbells *doorbells = data;
	struct epoll_event events[READY_AT_ONCE];
	int count;

	(void)source;
	(void)revents;
	ring_thread_run_orders(doorbells->thread);
	count = epoll_wait(fd, events, READY_AT_ONCE, 0);
	for (int i = 0; i < count; i++)
		doorbell_take_ring(events[i].data.ptr);
	return 0;
}

static int on_timer(sd_event_source *source, uint64_t now, void *data)
{
	struct doorbells *doorbells = data;
	struct doorbell *doorbell;

	ring_thread_run_orders(doorbells->thread);
	cds_list_for_each_entry(doorbell, &doorbells->polled, node)
		doorbell_look(doorbell, true);
	sd_event_source_set_time(source, now + POLL_USEC);
	return 0;
}

static void doorbell_put_set(struct doorbell *doorbell);

static void doorbell_free(struct doorbell *doorbell)
{
	if (doorbell->joined)
		doorbell_put_set(doorbell->joined);
	memory_set_put(doorbell->memories);
	free(doorbell);
}

/* One of its sets, or who joined it, is gone. */
static void doorbell_put_set(struct doorbell *doorbell)
{
	if (__atomic_sub_fetch(&doorbell->sets, 1, __ATOMIC_RELAXED) == 0 && doorbell->ended)
		doorbell_free(doorbell);
}

static void doorbell_end(struct doorbell *doorbell)
{
	struct doorbells *doorbells = doorbell->doorbells;

	/* It may have been killed between filling a sub-buffer and ringing. */
	if (doorbell->joined && !doorbell->joined->ended)
		doorbell_look(doorbell->joined, false);
	doorbell->ended = true;
	doorbell_leave_late(doorbell);
	doorbell_stop_listening(doorbell);
	if (doorbell->polled) {
		cds_list_del(&doorbell->node);
		doorbell->polled = false;
		if (cds_list_empty(&doorbells->polled))
			sd_event_source_set_enabled(doorbells->timer, SD_EVENT_OFF);
	}
	if (__atomic_load_n(&doorbell->sets, __ATOMIC_RELAXED) == 0)
		doorbell_free(doorbell);
}

static void doorbell_run(struct ring_order *order, unsigned long pending)
{
	struct doorbell *doorbell = caa_container_of(order, struct doorbell, order);

	if (pending & DOORBELL_JOIN)
		doorbell->joined = doorbell->other;
	if (pending & DOORBELL_POLL)
		doorbell_start_poll(doorbell);
	if (pending & DOORBELL_END)
		doorbell_end(doorbell);
}

static void set_remove(struct doorbell_set *shown)
{
	struct doorbell *doorbell = shown->doorbell;
	struct doorbells *doorbells = doorbell->doorbells;

	if (shown->listed)
		cds_list_del(&shown->node);
	set_leave_unshown(shown);
	if (shown->announced)
		doorbells->ops->withdraw(doorbells->mediator, shown->set);
	ring_set_put(shown->set);
	free(shown);
	doorbell_put_set(doorbell);
}

static void set_run(struct ring_order *order, unsigned long pending)
{
	struct doorbell_set *shown = caa_container_of(order, struct doorbell_set, order);

	if (pending & SET_ADD && !(pending & SET_REMOVE)) {
		cds_list_add(&shown->node, &shown->doorbell->shown);
		shown->listed = true;
	}
	if (pending & SET_FLUSH && !(pending & SET_REMOVE)) {
		if (ring_set_touched(shown->set))
			set_announce(shown);
		set_notify(shown);
	}
	if (pending & SET_REMOVE)
		set_remove(shown);
}

/* ---- main thread ---------------------------------------------------------- */

/* Off. */
static int add_timer(struct doorbells *doorbells, sd_event_source **timer, uint64_t accuracy,
		     sd_event_time_handler_t handler)
{
	int error = sd_event_add_time(ring_thread_event(doorbells->thread), timer, CLOCK_MONOTONIC,
				      UINT64_MAX, accuracy, handler, doorbells);

	return error < 0 ? error : sd_event_source_set_enabled(*timer, SD_EVENT_OFF);
}

static int add_epoll(struct doorbells *doorbells)
{
	int error;

	doorbells->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (doorbells->epoll < 0)
		return -errno;
	error = sd_event_add_io(ring_thread_event(doorbells->thread), &doorbells->ready,
				doorbells->epoll, EPOLLIN, on_ready, doorbells);
	if (error < 0) {
		close(doorbells->epoll);
		return error;
	}
	return sd_event_source_set_io_fd_own(doorbells->ready, 1);
}

int doorbells_create(struct ring_thread *thread, const struct mediator_ops *ops,
		     struct mediator *mediator, struct doorbells **result)
{
	struct doorbells *doorbells = calloc(1, sizeof(*doorbells));
	int error;

	*result = NULL;
	if (!doorbells)
		return -ENOMEM;
	doorbells->thread = thread;
	doorbells->ops = ops;
	doorbells->mediator = mediator;
	CDS_INIT_LIST_HEAD(&doorbells->polled);
	CDS_INIT_LIST_HEAD(&doorbells->late);
	CDS_INIT_LIST_HEAD(&doorbells->unshown);
	doorbells->triggers = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	error = doorbells->triggers < 0 ? -errno : add_epoll(doorbells);
	if (error >= 0)
		error = add_timer(doorbells, &doorbells->timer, 0, on_timer);
	if (error >= 0)
		error = add_timer(doorbells, &doorbells->late_timer, ACCURACY_USEC, on_late);
	if (error >= 0)
		error = add_timer(doorbells, &doorbells->unshown_timer, 0, on_unshown);
	if (error < 0) {
		doorbells_destroy(doorbells);
		return error;
	}
	*result = doorbells;
	return 0;
}

void doorbells_destroy(struct doorbells *doorbells)
{
	if (!doorbells)
		return;
	sd_event_source_disable_unref(doorbells->ready);
	sd_event_source_disable_unref(doorbells->timer);
	sd_event_source_disable_unref(doorbells->late_timer);
	sd_event_source_disable_unref(doorbells->unshown_timer);
	if (doorbells->triggers >= 0)
		close(doorbells->triggers);
	free(doorbells);
}

int doorbells_triggers(const struct doorbells *doorbells)
{
	return doorbells->triggers;
}

/* The ring thread hears it from now on: the doorbell is whole. */
static void doorbell_listen(struct doorbell *doorbell)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = doorbell };

	doorbell->listens = true;
	if (epoll_ctl(doorbell->doorbells->epoll, EPOLL_CTL_ADD, doorbell->memories->doorbell,
		      &event) == 0)
		return;
	doorbell->listens = false;
	message_say("cannot listen to process %u: %s; its rings are looked at now and then",
		    memory_set_record(doorbell->memories)->pid, strerror(errno));
	doorbell_poll(doorbell);
}

int doorbell_create(struct doorbells *doorbells, struct memory_set *memories,
		    struct doorbell **result)
{
	struct doorbell *doorbell = calloc(1, sizeof(*doorbell));

	*result = doorbell;
	if (!doorbell)
		return -ENOMEM;
	doorbell->order.run = doorbell_run;
	doorbell->doorbells = doorbells;
	doorbell->memories = memory_set_get(memories);
	CDS_INIT_LIST_HEAD(&doorbell->shown);
	if (!doorbells->ops->device)
		doorbell_listen(doorbell);
	return 0;
}

void doorbell_poll(struct doorbell *doorbell)
{
	ring_thread_give(doorbell->doorbells->thread, &doorbell->order, DOORBELL_POLL);
}

void doorbell_join(struct doorbell *doorbell, struct doorbell *other)
{
	__atomic_add_fetch(&other->sets, 1, __ATOMIC_RELAXED);
	doorbell->other = other;
	ring_thread_give(doorbell->doorbells->thread, &doorbell->order, DOORBELL_JOIN);
	/* The kernel module hears one doorbell for each ring set, the other's. */
	if (doorbell->doorbells->ops->device)
		doorbell_listen(doorbell);
}

void doorbell_destroy(struct doorbell *doorbell)
{
	if (doorbell)
		ring_thread_give(doorbell->doorbells->thread, &doorbell->order, DOORBELL_END);
}

int doorbell_add_set(struct doorbell *doorbell, struct ring_set *set, struct doorbell_set **result)
{
	struct doorbell_set *shown = calloc(1, sizeof(*shown));

	*result = shown;
	if (!shown)
		return -ENOMEM;
	shown->order.run = set_run;
	shown->doorbell = doorbell;
	shown->set = ring_set_get(set);
	__atomic_add_fetch(&doorbell->sets, 1, __ATOMIC_RELAXED);
	/* It is in time before the process rings: see on_ready(). */
	ring_thread_leave(doorbell->doorbells->thread, &shown->order, SET_ADD);
	return 0;
}

static void set_order(struct doorbell_set *shown, enum set_order order)
{
	ring_thread_give(shown->doorbell->doorbells->thread, &shown->order, order);
}

void doorbell_set_flush(struct doorbell_set *shown)
{
	set_order(shown, SET_FLUSH);
}

void doorbell_remove_set(struct doorbell_set *shown)
{
	if (shown)
		set_order(shown, SET_REMOVE);
}
