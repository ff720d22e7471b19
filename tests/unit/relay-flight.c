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

int main(void)
{
	uint64_t waited = 0, last = 0;
	struct flight flight;

	plan(9);
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
	for (int round = 0; round < 20; round++)
		waited += last = flight_wait(&flight);
	ok(last == 4000 && waited > 60000 && waited < 80000, "who is pending is asked less often");
	flight_confirmed(&flight, 1, 1, 1);
	is(flight_wait(&flight), 250, "until it is not");
	return done_testing();
}
