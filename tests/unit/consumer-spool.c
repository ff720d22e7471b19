/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* consumer-spool.c - how much may wait: for what comes, for a rotation, at a stop. */
#include "consumerd/session/spool.h"
#include "tests/utils/tap.h"

#define MAX 1000

int main(void)
{
	struct spool *spool = spool_create(MAX);
	enum spool_news news;

	if (!spool)
		bail_out("no memory");
	spool_count(spool, MAX - 1);
	ok(spool_has_room(spool, &news), "there is room up to the limit");
	spool_count(spool, 1);
	ok(!spool_has_room(spool, &news), "... and no more");
	ok(spool_has_reserve(spool), "a rotation may go beyond it");
	spool_count(spool, MAX - 1);
	ok(spool_has_reserve(spool), "... by as much again");
	spool_count(spool, 1);
	ok(!spool_has_reserve(spool), "... and no more");
	spool_lift(spool, true);
	ok(spool_has_room(spool, &news), "a stop has no limit");
	spool_lift(spool, false);
	ok(!spool_has_room(spool, &news), "... and then there is one again");
	spool_destroy(spool);
	return done_testing();
}
