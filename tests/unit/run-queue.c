/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* Users have equal parts of the daemon's time, whatever they make it do. */
#include "sessiond/mediator/run-queue.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sessiond/mediator/ring-thread.h"
#include "tests/utils/tap.h"

#define TURNS 400u
#define LONG_US 4000
#define SHORT_US 200

/* One user's: each of its turns takes so long. */
struct party {
	struct quota_user *user;
	int64_t turn_us;
	unsigned int served;
	int64_t spent_us;
	struct {
		struct run_entry entry;
		struct party *party;
	} run_queue[TURNS];
};

static struct run_queue *run_queue;
static sd_event *event;
static struct party slow, quick, late;

/* Each turn gives the ring thread an order. */
static struct ring_thread *rings;
static unsigned int nr_wakes, nr_run;
static struct giving {
	struct run_entry entry;
	struct ring_order order;
	unsigned int wakes; /* when its turn came */
} givings[TURNS + 1];

/* In place of the C library's: what wakes the ring thread. */
ssize_t write(int fd, const void *bytes, size_t size)
{
	nr_wakes++;
	return syscall(SYS_write, fd, bytes, size);
}

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

static void serve(struct run_entry *entry)
{
	struct party *party = *(struct party **)(entry + 1);
	int64_t begin = now_us(), took;

	do
		took = now_us() - begin;
	while (took < party->turn_us);
	party->served++;
	party->spent_us += took;
}

static void queue(struct party *party, struct quota *quota, uint32_t uid, int64_t turn_us)
{
	party->user = quota_user(quota, uid);
	party->turn_us = turn_us;
	for (unsigned int i = 0; i < TURNS; i++) {
		party->run_queue[i].party = party;
		party->run_queue[i].entry =
			(struct run_entry){ .serve = serve, .user = party->user, .cost = 1 };
		run_queue_add(run_queue, &party->run_queue[i].entry);
	}
}

static void run_until(const struct party *party, unsigned int served)
{
	while (party->served < served && sd_event_run(event, 1000000) > 0)
		continue;
}

static void withdraw(struct party *party)
{
	for (unsigned int i = 0; i < TURNS; i++)
		run_queue_remove(run_queue, &party->run_queue[i].entry, -1);
}

static void test_shares(struct quota *quota)
{
	queue(&slow, quota, 0, LONG_US);
	queue(&quick, quota, geteuid() + 1000, SHORT_US);
	run_until(&slow, 10);
	/* One turn of each after the other, it would have a twentieth. */
	ok(quick.spent_us * 2 > slow.spent_us, "%lld us of short turns beside %lld us of long ones",
	   (long long)quick.spent_us, (long long)slow.spent_us);
}

static void test_comes_back(struct quota *quota)
{
	unsigned int before;
	int64_t before_us;

	withdraw(&quick);
	run_until(&slow, slow.served + 10);
	before = slow.served;
	queue(&late, quota, geteuid() + 2000, LONG_US);
	run_until(&late, 1);
	ok(slow.served <= before + 1, "who comes is served next: after %u turns of another",
	   slow.served - before);
	before_us = slow.spent_us;
	run_until(&late, 11);
	ok((slow.spent_us - before_us) * 2 > late.spent_us,
	   "and has saved up nothing: %lld us of another, beside %lld",
	   (long long)(slow.spent_us - before_us), (long long)late.spent_us);
}

static void run_order(struct ring_order *order, unsigned long pending)
{
	(void)order;
	nr_run += pending == 1;
}

static void give(struct run_entry *entry)
{
	struct giving *giving = caa_container_of(entry, struct giving, entry);

	giving->wakes = nr_wakes;
	ring_thread_give(rings, &giving->order, 1);
}

/* The last turn is a command. */
static void test_wakes(struct quota *quota)
{
	struct giving *command = &givings[TURNS];
	unsigned int before = nr_wakes;

	for (unsigned int i = 0; i <= TURNS; i++) {
		givings[i].entry = (struct run_entry){ .serve = give,
						       .user = quota_user(quota, 0),
						       .cost = i < TURNS ? 1 : 10 };
		givings[i].order.run = run_order;
		run_queue_add(run_queue, &givings[i].entry);
	}
	while (command->entry.queued && sd_event_run(event, 1000000) > 0)
		continue;
	ok(nr_wakes - before < TURNS / 4, "%u messages wake the ring thread %u times", TURNS,
	   nr_wakes - before);
	ok(command->wakes > givings[TURNS - 1].wakes, "which is awake before a command is served");
	is(nr_wakes - command->wakes, 1, "and is woken at once by what the command orders");
	ring_thread_stop(rings);
	is(nr_run, TURNS + 1, "all orders were run");
}

int main(void)
{
	static const struct quota_limits limits = {
		.processes = 1, .descriptors = 1, .memory = 1, .connections = 1, .messages = 100000
	};
	struct quota *quota;

	if (sd_event_new(&event) < 0 || ring_thread_create(&rings) != 0 ||
	    ring_thread_start(rings) != 0 || run_queue_create(event, rings, &run_queue) != 0 ||
	    quota_create(&limits, &quota) != 0)
		bail_out("no queue");
	test_shares(quota);
	test_comes_back(quota);
	withdraw(&slow);
	withdraw(&late);
	test_wakes(quota);
	run_queue_destroy(run_queue);
	ring_thread_destroy(rings);
	sd_event_unref(event);
	quota_destroy(quota);
	return done_testing();
}
