/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Thousands of processes ring at once: each ring costs the ring thread the same CPU time,
 * however many there are. None has it wait for a counter that it empties itself.
 */
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <urcu/urcu-memb.h>

#include "sessiond/mediator/doorbell.h"
#include "tests/utils/tap.h"

#define FEW 500
#define MANY 3000
#define ROUNDS 5
/* A ring of MANY may cost so many percent of what one of FEW does; N * N would be 600. */
#define GROWTH_PERCENT 250

static struct memory_set *sets[MANY];
static struct doorbell *bells[MANY];

/* Keeps the ring thread from looking until all have rung. */
static struct gate {
	struct ring_order order;
	sem_t entered, open;
} gate;

static void enter(struct ring_order *order, unsigned long pending)
{
	(void)order;
	(void)pending;
	sem_post(&gate.entered);
	sem_wait(&gate.open);
}

static int64_t cpu_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Of all threads but this one. */
static int64_t ring_thread_ns(void)
{
	return cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns(CLOCK_THREAD_CPUTIME_ID);
}

static bool is_rung(const struct memory_set *set)
{
	struct pollfd bell = { .fd = set->doorbell, .events = POLLIN };

	return poll(&bell, 1, 0) != 0;
}

static int64_t ring_all(struct ring_thread *thread, int count)
{
	int64_t begin;

	ring_thread_give(thread, &gate.order, 1);
	sem_wait(&gate.entered);
	begin = ring_thread_ns();
	for (int i = 0; i < count; i++)
		if (eventfd_write(sets[i]->doorbell, 1) != 0)
			bail_out("eventfd");
	sem_post(&gate.open);
	for (int i = 0; i < count; i++)
		while (is_rung(sets[i]))
			usleep(1000);
	return (ring_thread_ns() - begin) / count;
}

static int64_t fastest(struct ring_thread *thread, int count)
{
	int64_t least = INT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		int64_t took = ring_all(thread, count);

		least = took < least ? took : least;
	}
	return least;
}

static bool is_emptied; /* the first doorbell's counter, after each epoll_wait() */
static int times_emptied;

/* In place of the C library's: a process empties its counter before the daemon reads it. */
int epoll_wait(int epoll, struct epoll_event *events, int most, int timeout)
{
	int count = (int)syscall(SYS_epoll_pwait, epoll, events, most, timeout, NULL, 8);
	uint64_t value;
	const struct iovec to = { &value, sizeof(value) };

	for (int i = 0; i < count && __atomic_load_n(&is_emptied, __ATOMIC_ACQUIRE); i++)
		if (events[i].data.ptr == bells[0] &&
		    preadv2(sets[0]->doorbell, &to, 1, -1, RWF_NOWAIT) > 0)
			__atomic_add_fetch(&times_emptied, 1, __ATOMIC_RELEASE);
	return count;
}

/* The ring thread goes on; with a read that waits it would be there until somebody rings again. */
static void test_emptied(struct ring_thread *thread)
{
	int fd = sets[0]->doorbell;
	struct timespec end;

	fcntl(fd, F_SETFL, 0);
	__atomic_store_n(&is_emptied, true, __ATOMIC_RELEASE);
	if (eventfd_write(fd, 1) != 0)
		bail_out("eventfd");
	for (int i = 0; i < 20000 && !__atomic_load_n(&times_emptied, __ATOMIC_ACQUIRE); i++)
		usleep(1000);
	is(times_emptied, 1, "a counter is emptied before the daemon reads it");
	ring_thread_give(thread, &gate.order, 1);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 20;
	ok(sem_timedwait(&gate.entered, &end) == 0, "which does not wait for it");
	sem_post(&gate.open);
	__atomic_store_n(&is_emptied, false, __ATOMIC_RELEASE);
	eventfd_write(fd, 1);
}

static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		bail_out("no limit");
	if (limit.rlim_max < 2 * MANY + 100)
		skip_all("the limit of open files is too low here");
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int main(void)
{
	static const struct mediator_ops ops = { .name = "none" };
	struct memory_set_config config = { .descriptors = 0 };
	struct doorbells *doorbells;
	struct ring_thread *thread;
	int64_t few, many;

	raise_limit();
	urcu_memb_register_thread();
	sem_init(&gate.entered, 0, 0);
	sem_init(&gate.open, 0, 0);
	gate.order.run = enter;
	if (saved_state_create(1, &config.saved_state) != 0 || ring_thread_create(&thread) != 0 ||
	    doorbells_create(thread, &ops, NULL, &doorbells) != 0)
		bail_out("no doorbells");
	for (int i = 0; i < MANY; i++)
		if (memory_set_create(&config, &sets[i]) != 0 ||
		    doorbell_create(doorbells, sets[i], &bells[i]) != 0)
			bail_out("no doorbell %d", i);
	if (ring_thread_start(thread) != 0)
		bail_out("no thread");
	few = fastest(thread, FEW);
	many = fastest(thread, MANY);
	ok(many * 100 <= few * GROWTH_PERCENT, "of %d rings, each takes %lld ns, of %d, %lld ns",
	   FEW, (long long)few, MANY, (long long)many);
	test_emptied(thread);
	for (int i = 0; i < MANY; i++) {
		doorbell_destroy(bells[i]);
		memory_set_put(sets[i]);
	}
	ring_thread_stop(thread);
	doorbells_destroy(doorbells);
	ring_thread_destroy(thread);
	saved_state_destroy(config.saved_state);
	urcu_memb_unregister_thread();
	return done_testing();
}
