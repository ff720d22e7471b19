/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* When a channel's slot is given out again. */
#include "sessiond/slots.h"

#include <errno.h>

#include "tests/utils/tap.h"

int main(void)
{
	static struct slots slots;
	uint64_t now = 5000000;

	is(slots_take(&slots, now), 0, "the lowest first");
	is(slots_take(&slots, now), 1, "then the next");
	slots_free(&slots, 0, now);
	is(slots_take(&slots, now), 2, "not one that was just freed");
	is(slots_take(&slots, now + SLOTS_QUARANTINE_USEC), 0, "a second later it is");

	slots_hold(&slots, 1);
	slots_free(&slots, 1, now);
	now += 10 * SLOTS_QUARANTINE_USEC;
	is(slots_take(&slots, now), 3, "nor one whose rings somebody reads");
	slots_drop(&slots, 1);
	is(slots_take(&slots, now), 1, "once they are gone it is");

	for (uint32_t i = 4; i < LTTNGMAP_CHANNELS; i++)
		slots_take(&slots, now);
	is(slots_take(&slots, now), -ENOSPC, "all are in use");
	slots_free(&slots, 9, now);
	is(slots_take(&slots, now), -EAGAIN, "one rests");
	is(slots_take(&slots, now + SLOTS_QUARANTINE_USEC), 9, "and comes back");
	return done_testing();
}
