/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* Users have equal parts of the daemon's time, whatever they make it do. */
#include "sessiond/app-turns.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

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
		struct app_turn turn;
		struct party *party;
	} turns[TURNS];
};

static struct app_turns *turns;
static sd_event *event;
static struct party slow, quick, late;

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

static void serve(struct app_turn *turn)
{
	struct party *party = *(struct party **)(turn + 1);
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
		party->turns[i].party = party;
		party->turns[i].turn =
			(struct app_turn){ .serve = serve, .user = party->user, .cost = 1 };
		app_turn_add(turns, &party->turns[i].turn);
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
		app_turn_remove(turns, &party->turns[i].turn, -1);
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

int main(void)
{
	static const struct quota_limits limits = {
		.processes = 1, .descriptors = 1, .memory = 1, .connections = 1, .messages = 100000
	};
	struct quota *quota;

	if (sd_event_new(&event) < 0 || app_turns_create(event, &turns) != 0 ||
	    quota_create(&limits, &quota) != 0)
		bail_out("no queue");
	test_shares(quota);
	test_comes_back(quota);
	withdraw(&slow);
	withdraw(&late);
	app_turns_destroy(turns);
	sd_event_unref(event);
	quota_destroy(quota);
	return done_testing();
}
