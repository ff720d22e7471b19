/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Orders that are left to the ring thread: they wake it not, and are run before the next order that
 * is given. An order that was left and is then given does wake it.
 */
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include <urcu/urcu-memb.h>

#include "sessiond/mediator/ring-thread.h"
#include "tests/utils/tap.h"

#define BITS 8

static struct recorder {
	struct ring_order order;
	unsigned long run[BITS]; /* bits, as they were run */
	unsigned int count;
} first, second;
static unsigned int first_at_second; /* times that `first` had been run when `second` was */
static sem_t done;

static void record(struct ring_order *order, unsigned long pending)
{
	struct recorder *recorder = caa_container_of(order, struct recorder, order);

	if (recorder->count < BITS)
		recorder->run[recorder->count] = pending;
	if (recorder == &second)
		first_at_second = first.count;
	__atomic_add_fetch(&recorder->count, 1, __ATOMIC_RELEASE);
	sem_post(&done);
}

static bool is_run(void)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 20;
	return sem_timedwait(&done, &end) == 0;
}

int main(void)
{
	struct ring_thread *thread;

	plan(7);
	urcu_memb_register_thread();
	sem_init(&done, 0, 0);
	first.order.run = second.order.run = record;
	if (ring_thread_create(&thread) != 0 || ring_thread_start(thread) != 0)
		bail_out("no ring thread");
	/* The thread is in its loop, and asleep. */
	ring_thread_give(thread, &second.order, 1);
	ok(is_run(), "an order that is given is run");
	/* Asleep again: a thread that is at its orders takes what is left, too. */
	usleep(20000);
	ring_thread_leave(thread, &first.order, 1);
	/* Nothing is to happen meanwhile. */
	usleep(20000);
	is(__atomic_load_n(&first.count, __ATOMIC_ACQUIRE), 0, "one that is left wakes nobody");
	ring_thread_give(thread, &second.order, 1);
	ok(is_run() && is_run(), "it is run when another one is given");
	is(first_at_second, 1, "before that");
	/* Asleep, as above. */
	usleep(20000);
	ring_thread_leave(thread, &first.order, 1);
	ring_thread_give(thread, &first.order, 2);
	ok(is_run(), "one that was left, and is then given, is run");
	is(first.run[1], 3, "with the bits of both");
	ring_thread_leave(thread, &first.order, 4);
	ring_thread_stop(thread);
	is(first.count, 3, "what is left in the end is run, too");
	ring_thread_destroy(thread);
	urcu_memb_unregister_thread();
	return done_testing();
}
