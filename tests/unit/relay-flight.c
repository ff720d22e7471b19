/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* relay-flight.c - as little as may be is on the way to a collector, and so much as it takes. */
#include "relay/flight.h"
#include "tests/utils/tap.h"

#define SECOND UINT64_C(1000000)
#define MEBI (UINT64_C(1) << 20)

/*
 * The collector takes `rate` bytes a second, and confirms each `late` microseconds after it came.
 * What may be on the way to it then?
 */
static uint64_t settled(uint64_t rate, uint64_t late)
{
	uint64_t now = 5 * SECOND;
	struct flight flight;

	flight_begin(&flight, now);
	for (int round = 0; round < 1000; round++) {
		uint64_t part = flight.max / 2, took = part * SECOND / rate, sent = now;

		flight.bytes += part;
		/* A half goes there while the other is waited for. */
		now += took * 2 > late ? took : late / 2;
		flight_confirmed(&flight, part, sent - late, sent + took);
	}
	return flight.bytes ? 0 : flight.max;
}

static void test_gathering(void)
{
	uint64_t now = SECOND, part = FLIGHT_MIN / 4;
	struct flight flight;

	flight_begin(&flight, now);
	flight_sent(&flight, part, now);
	ok(!flight_is_due(&flight, now) && flight_is_sparse(&flight),
	   "one packet is not asked about at once");
	flight_sent(&flight, part, now + 1000);
	is(flight_wait(&flight, now + 1000), 3000,
	   "others that follow do not put the question off");
	ok(flight_is_due(&flight, now + 4000), "the collector is asked after some milliseconds");
	flight_sent(&flight, part, now + 2000);
	ok(flight_is_due(&flight, now + 2000) && !flight_is_sparse(&flight),
	   "or at once where much is on the way");
	flight_pending(&flight, now + 2000);
	ok(!flight_is_due(&flight, now + 2100) && !flight_is_sparse(&flight),
	   "who has not written all is asked later, and about the same");
	ok(flight_is_due(&flight, now + 2250), "and then again");
	flight_confirmed(&flight, 2 * part, 0, now + 3000);
	is(flight.least, 0, "a question that was put off measures nothing");
}

int main(void)
{
	uint64_t waited = 0, last = 0;
	struct flight flight;

	plan(16);
	flight_begin(&flight, 1);
	is(flight.max, FLIGHT_MIN, "it begins with little");
	ok(settled(10 * MEBI, 300) <= 3 * MEBI, "a slow disk near by: little");
	ok(settled(110 * MEBI, 300) <= 3 * MEBI, "a fast network: little");
	ok(settled(110 * MEBI, 50000) == FLIGHT_MAX, "a fast one far away: so much as may be");
	ok(settled(50 * MEBI, 20000) >= 4 * MEBI,
	   "who confirms late: four times what goes meanwhile");
	last = settled(10 * MEBI, 50000);
	ok(last > 2 * MEBI && last < 8 * MEBI, "a slow one far away: less");
	flight_begin(&flight, 0);
	flight.bytes = 100;
	flight_confirmed(&flight, UINT64_MAX, 1, UINT64_MAX);
	ok(flight.bytes == 0 && flight.max == FLIGHT_MIN, "numbers that cannot be do no harm");
	for (int round = 0; round < 20; round++) {
		flight_pending(&flight, waited);
		waited += last = flight_wait(&flight, waited);
	}
	ok(last == 4000 && waited > 60000 && waited < 80000, "who is pending is asked less often");
	flight_confirmed(&flight, 1, 1, 1);
	flight_pending(&flight, 1);
	is(flight_wait(&flight, 1), 250, "until it is not");
	test_gathering();
	return done_testing();
}
