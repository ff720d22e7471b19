/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-thread.h - the thread that listens to doorbells and serves readers,
 * so that no registration and no command ever delays a ring, nor the other
 * way round.
 *
 * It has an event loop of its own. The main thread hands it orders: each
 * object of the ring thread begins with a struct ring_order, whose pending
 * orders are bits. Giving an order allocates nothing and cannot fail; the
 * same order given twice before it ran runs once.
 *
 *   main thread: fetch_or of a bit into `pending`; whoever finds it 0 queues
 *                the object (wfcqueue) and writes the eventfd.
 *   ring thread: dequeue, exchange `pending` with 0, run all bits found.
 *
 *   The main thread may hold the eventfd back while it gives the orders of many processes, and
 *   leave orders that matter only once the ring thread runs for another reason.
 *
 * An object stands in the queue only between these, so the exchange is the
 * last touch of the queue's node until the next order.
 */
#ifndef SESSIOND_MEDIATOR_RING_THREAD_H
#define SESSIOND_MEDIATOR_RING_THREAD_H

#include <systemd/sd-event.h>
#include <urcu/wfcqueue.h>

struct ring_thread;

struct ring_order {
	struct cds_wfcq_node node;
	unsigned long pending;
	/* In the ring thread. May free the object. */
	void (*run)(struct ring_order *order, unsigned long pending);
};

/* Makes queue and loop; the thread itself begins with start. 0 or -errno. */
int ring_thread_create(struct ring_thread **thread);
/* The loop, for sources that are added before start or from the thread. */
sd_event *ring_thread_event(struct ring_thread *thread);
/* 0 or -errno. All signals are blocked in it. */
int ring_thread_start(struct ring_thread *thread);
/* All orders given so far are run, then it ends. */
void ring_thread_stop(struct ring_thread *thread);
/* After stop; NULL is allowed. */
void ring_thread_destroy(struct ring_thread *thread);

/* Gives an order and wakes nobody: it is run before the next one of ring_thread_give(). */
void ring_thread_leave(struct ring_thread *thread, struct ring_order *order, unsigned long bits);
/* In the ring thread: runs what was left, before a look at what the orders are about. */
void ring_thread_run_orders(struct ring_thread *thread);
void ring_thread_give(struct ring_thread *thread, struct ring_order *order, unsigned long bits);
/*
 * From hold to release, the main thread's orders are queued and the ring thread is left asleep: one
 * wake-up for them all. Both may be repeated, and with NULL do nothing.
 */
void ring_thread_hold(struct ring_thread *thread);
void ring_thread_release(struct ring_thread *thread);

#endif /* SESSIOND_MEDIATOR_RING_THREAD_H */
