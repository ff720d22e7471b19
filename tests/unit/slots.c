/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* When a channel's slot is given out again. */
#include "sessiond/base/slots.h"

#include <errno.h>

#include "tests/utils/tap.h"

/* How many the user gets. */
static unsigned int take_all(struct slots *slots, uint32_t user, uint64_t now)
{
	unsigned int count = 0;

	while (slots_take(slots, user, true, now) >= 0)
		count++;
	return count;
}

/* Each leaves half of what is left to the next one, and 16 to root. */
static void test_shares(void)
{
	static struct slots slots;
	uint64_t now = 5000000;

	is(take_all(&slots, 1, now), 16, "a user has 16");
	is(take_all(&slots, 2, now), 16, "the next one, too");
	is(take_all(&slots, 3, now), 8, "a third one half of what they left");
	is(take_all(&slots, 4, now) + take_all(&slots, 5, now) + take_all(&slots, 6, now), 7,
	   "and so on");
	is(slots_take(&slots, 1, true, now), -EDQUOT, "no more");
	for (uint32_t i = 0; i < 16; i++)
		slots_free(&slots, i, now);
	is(slots_take(&slots, 1, true, now), -EDQUOT, "those that rest are their owner's");
	is(take_all(&slots, 1, now + SLOTS_QUARANTINE_USEC), 9, "and come back");
	for (int i = 0; i < 16; i++)
		if (slots_take(&slots, 0, false, now) < 0)
			bail_out("there is none for root");
	ok(true, "root has 16");
}

int main(void)
{
	static struct slots slots;
	uint64_t now = 5000000;

	is(slots_take(&slots, 0, false, now), 0, "the lowest first");
	is(slots_take(&slots, 0, false, now), 1, "then the next");
	slots_free(&slots, 0, now);
	is(slots_take(&slots, 0, false, now), 2, "not one that was just freed");
	is(slots_take(&slots, 0, false, now + SLOTS_QUARANTINE_USEC), 0, "a second later it is");

	slots_hold(&slots, 1);
	slots_free(&slots, 1, now);
	now += 10 * SLOTS_QUARANTINE_USEC;
	is(slots_take(&slots, 0, false, now), 3, "nor one whose rings somebody reads");
	slots_drop(&slots, 1);
	is(slots_take(&slots, 0, false, now), 1, "once they are gone it is");

	for (uint32_t i = 4; i < LTTNGMAP_CHANNELS; i++)
		slots_take(&slots, 0, false, now);
	is(slots_take(&slots, 0, false, now), -ENOSPC, "all are in use");
	slots_free(&slots, 9, now);
	is(slots_take(&slots, 0, false, now), -EAGAIN, "one rests");
	is(slots_take(&slots, 0, false, now + SLOTS_QUARANTINE_USEC), 9, "and comes back");
	test_shares();
	return done_testing();
}
