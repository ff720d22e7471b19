/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * stream-circle.c - where packets of a spool go: never over one that is kept, whatever
 * their sizes and however late the collector has them; and in as little room as may be.
 */
#include "consumerd/stream/stream-circle.h"

#include <stdlib.h>

#include "common/protocol/relay-journal.h"
#include "tests/utils/tap.h"

#define PACKETS 200000

static struct {
	uint64_t begin, end;
	bool is_behind;
} packets[PACKETS];

struct run {
	struct circle circle;
	uint64_t end;       /* of the file */
	uint64_t packets;   /* in it */
	uint64_t confirmed; /* of these */
	uint64_t behind;    /* of these */
	bool is_sound;
};

static void begin(struct run *run)
{
	*run = (struct run){ .is_sound = true };
	circle_begin(&run->circle, 0, 0);
}

static uint64_t kept(const struct run *run)
{
	uint64_t last = run->packets ? run->packets - 1 : 0;

	return run->confirmed < last ? run->confirmed : last;
}

static void put(struct run *run, uint64_t size)
{
	struct circle_place place =
		circle_find(&run->circle, size, run->end, run->confirmed, run->packets);
	uint64_t begin = place.offset, end = begin + size;

	for (uint64_t i = kept(run); i < run->packets; i++)
		run->is_sound &= end <= packets[i].begin || begin >= packets[i].end;
	/* Nobody leaves a hole, and what is behind is behind all. */
	run->is_sound &= place.is_behind ? begin == run->end
					 : begin <= run->end && end <= RELAY_CIRCLE_SIZE;
	circle_take(&run->circle, place, size, run->packets);
	packets[run->packets].begin = begin;
	packets[run->packets].end = end;
	run->packets++;
	run->behind += place.is_behind;
	run->end = end > run->end ? end : run->end;
}

/* Of sizes up to `most`, `late` packets behind at most. */
static void run_random(struct run *run, unsigned seed, uint64_t most, uint64_t late,
		       uint64_t number)
{
	srand(seed);
	begin(run);
	while (run->packets < number && run->is_sound) {
		uint64_t wanted;

		put(run, 108 + (uint64_t)rand() % most);
		wanted = run->packets > late ? run->packets - late : 0;
		wanted += (uint64_t)rand() % (late + 1);
		/* More than there is: a sender may say anything. */
		if (wanted > run->confirmed && rand() % 4 == 0)
			run->confirmed = wanted + (rand() % 64 == 0 ? 1000 : 0);
		if (run->confirmed > run->packets && rand() % 2)
			run->confirmed = run->packets;
	}
}

static void test_random(void)
{
	static const uint64_t most[] = { 1, 300, 4096, 70000, 600000, 3 << 20, 12 << 20 };
	static const uint64_t late[] = { 0, 1, 3, 20, 500 };
	bool is_sound = true;
	struct run run;

	for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++) {
		for (size_t j = 0; j < sizeof(late) / sizeof(late[0]); j++) {
			run_random(&run, (unsigned)(i * 10 + j + 1), most[i], late[j], 5000);
			if (!run.is_sound)
				diag("packets up to %llu, %llu late: number %llu",
				     (unsigned long long)most[i], (unsigned long long)late[j],
				     (unsigned long long)run.packets);
			is_sound &= run.is_sound;
		}
	}
	ok(is_sound, "no packet goes over one that is kept");
}

/* Packets of one size, confirmed `late` packets later. */
static void run_even(struct run *run, uint64_t size, uint64_t late)
{
	begin(run);
	while (run->packets < 10000) {
		put(run, size);
		run->confirmed = run->packets > late ? run->packets - late : 0;
	}
}

static void test_room(void)
{
	const uint64_t half = 512 << 10;
	struct run run;

	run_even(&run, half, 0);
	ok(run.end <= 6 * half, "what is sent at once needs room for few packets");
	run_even(&run, half, 6);
	ok(run.is_sound && run.behind == 0, "3 MiB on the way find room");
	run_even(&run, 300, 2000);
	ok(run.is_sound && run.behind == 0, "... in small packets, too");
	run_even(&run, half, 20);
	ok(run.is_sound && run.behind > 0, "10 MiB do not");
	ok(run.behind < run.packets / 2, "... and yet some");
	for (run.confirmed = run.packets; run.confirmed < 10100; run.confirmed = run.packets)
		put(&run, half);
	ok(packets[run.packets - 1].end <= RELAY_CIRCLE_SIZE,
	   "when all are sent, there is room again");
}

static void test_edges(void)
{
	const uint64_t large = RELAY_CIRCLE_SIZE + 1, size = 1000;
	struct run run;

	begin(&run);
	for (int i = 0; i < 20000; i++)
		put(&run, size);
	ok(run.end == 20000 * size, "while nothing is sent, one comes behind the other");
	begin(&run);
	put(&run, large);
	put(&run, size);
	run.confirmed = 2;
	put(&run, size);
	ok(run.is_sound && run.behind == 3, "what is larger than the circle is behind it");
	begin(&run);
	put(&run, size);
	run.confirmed = 1;
	put(&run, size);
	ok(run.is_sound && packets[1].begin == size, "the last packet is kept, though it is sent");

	begin(&run);
	run.packets = 3;
	run.end = 3 * size;
	circle_begin(&run.circle, run.end, run.packets);
	run.confirmed = 2;
	put(&run, size);
	ok(packets[3].begin == 3 * size, "of a file that was there, all are kept");
	run.confirmed = 4;
	put(&run, RELAY_CIRCLE_SIZE);
	ok(packets[4].begin == 4 * size, "... but not for ever");
	circle_begin(&run.circle, 2 * RELAY_CIRCLE_SIZE, 1);
	ok(circle_find(&run.circle, size, 2 * RELAY_CIRCLE_SIZE, 0, 1).is_behind,
	   "a large one is full");
}

int main(void)
{
	plan(13);
	test_random();
	test_room();
	test_edges();
	return done_testing();
}
