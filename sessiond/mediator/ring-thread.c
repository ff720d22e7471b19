/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/mediator/ring-thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <urcu/urcu-memb.h>

#include "sessiond/storage/supervisor.h"

struct ring_thread {
	struct cds_wfcq_head head;
	struct cds_wfcq_tail tail;
	int wakeup;    /* eventfd: there are orders */
	bool stopping; /* atomic */
	bool running;  /* main thread's, as are these: */
	bool held;
	bool due;      /* orders were given meanwhile */
	bool has_left; /* orders were queued, and no wake-up since */
	pthread_t thread;
	sd_event *event;
	sd_event_source *source;
};

void ring_thread_run_orders(struct ring_thread *thread)
{
	struct cds_wfcq_node *node;

	/* This thread is the only one that dequeues: no lock is needed. */
	while ((node = __cds_wfcq_dequeue_blocking(&thread->head, &thread->tail))) {
		struct ring_order *order = caa_container_of(node, struct ring_order, node);
		/*
		 * Acquire: what the giver did before the order is seen here.
		 * Release: the dequeue is over before another giver can queue it.
		 */
		unsigned long pending = __atomic_exchange_n(&order->pending, 0, __ATOMIC_ACQ_REL);

		order->run(order, pending);
	}
}

static int on_wakeup(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct ring_thread *thread = data;
	uint64_t count;
	bool stopping;

	(void)source;
	(void)revents;
	if (read(fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return -errno;
	/* Looked at first: the orders given before the stop are all in the queue. */
	stopping = __atomic_load_n(&thread->stopping, __ATOMIC_ACQUIRE);
	ring_thread_run_orders(thread);
	if (stopping)
		sd_event_exit(thread->event, 0);
	return 0;
}

int ring_thread_create(struct ring_thread **result)
{
	struct ring_thread *thread = calloc(1, sizeof(*thread));
	int error;

	*result = NULL;
	if (!thread)
		return -ENOMEM;
	cds_wfcq_init(&thread->head, &thread->tail);
	thread->wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (thread->wakeup < 0) {
		error = -errno;
		goto fail;
	}
	error = sd_event_new(&thread->event);
	if (error < 0)
		goto fail;
	error = sd_event_add_io(thread->event, &thread->source, thread->wakeup, EPOLLIN, on_wakeup,
				thread);
	if (error < 0)
		goto fail;
	*result = thread;
	return 0;

fail:
	ring_thread_destroy(thread);
	return error;
}

sd_event *ring_thread_event(struct ring_thread *thread)
{
	return thread->event;
}

static void *ring_thread_main(void *data)
{
	struct ring_thread *thread = data;

	pthread_setname_np(pthread_self(), RING_THREAD_NAME);
	urcu_memb_register_thread();
	sd_event_loop(thread->event);
	urcu_memb_unregister_thread();
	return NULL;
}

int ring_thread_start(struct ring_thread *thread)
{
	sigset_t all, before;
	int error;

	/* Signals are the main thread's, which takes them from its loop. */
	sigfillset(&all);
	/* A fault while it is blocked ends the process, guarded or not (map-guard.h). */
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread->thread, NULL, ring_thread_main, thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	thread->running = error == 0;
	return -error;
}

static void wake(struct ring_thread *thread)
{
	uint64_t one = 1;
	ssize_t written;

	thread->has_left = false;
	written = write(thread->wakeup, &one, sizeof(one));

	/* EAGAIN would mean that it was woken 2^64 - 2 times already. */
	(void)written;
}

void ring_thread_stop(struct ring_thread *thread)
{
	if (!thread || !thread->running)
		return;
	__atomic_store_n(&thread->stopping, true, __ATOMIC_RELEASE);
	wake(thread);
	pthread_join(thread->thread, NULL);
	thread->running = false;
}

void ring_thread_destroy(struct ring_thread *thread)
{
	if (!thread)
		return;
	/* Orders given after the stop: whoever gave them counts on their run. */
	ring_thread_run_orders(thread);
	sd_event_source_disable_unref(thread->source);
	sd_event_unref(thread->event);
	if (thread->wakeup >= 0)
		close(thread->wakeup);
	free(thread);
}

/* False: it was in the queue. */
static bool queue_order(struct ring_thread *thread, struct ring_order *order, unsigned long bits)
{
	/* Release and acquire: see ring_thread_run_orders(). */
	if (__atomic_fetch_or(&order->pending, bits, __ATOMIC_ACQ_REL) != 0)
		return false;
	cds_wfcq_node_init(&order->node);
	cds_wfcq_enqueue(&thread->head, &thread->tail, &order->node);
	return true;
}

void ring_thread_leave(struct ring_thread *thread, struct ring_order *order, unsigned long bits)
{
	if (queue_order(thread, order, bits))
		thread->has_left = true;
}

void ring_thread_give(struct ring_thread *thread, struct ring_order *order, unsigned long bits)
{
	/* One that was left there has woken nobody. */
	if (!queue_order(thread, order, bits) && !thread->has_left)
		return;
	if (thread->held)
		thread->due = true;
	else
		wake(thread);
}

void ring_thread_hold(struct ring_thread *thread)
{
	if (thread)
		thread->held = true;
}

void ring_thread_release(struct ring_thread *thread)
{
	if (!thread)
		return;
	if (thread->due)
		wake(thread);
	thread->held = thread->due = false;
}
