/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* One user cannot use up what all share. */
#include "sessiond/quota.h"

#include <errno.h>
#include <unistd.h>

#include "tests/utils/tap.h"

int main(void)
{
	uint32_t stranger = geteuid() + 1000, other = geteuid() + 1001;
	struct quota *quota;

	is(quota_processes(1024, 16), 21, "half of the descriptors are a user's");
	is(quota_processes(UINT64_MAX, 0), UINT32_MAX, "without end, if they are");

	is(quota_create(2, &quota), 0, "two processes each");
	is(quota_take_process(quota, stranger), 0, "one");
	is(quota_take_process(quota, stranger), 0, "two");
	is(quota_take_process(quota, stranger), -EDQUOT, "not three");
	is(quota_take_process(quota, other), 0, "another user's are his own");
	quota_drop_process(quota, stranger);
	is(quota_take_process(quota, stranger), 0, "one went, one comes");
	for (int i = 0; i < 10; i++)
		if (quota_take_process(quota, 0) != 0 || quota_take_process(quota, geteuid()) != 0)
			ok(false, "root and the daemon's user are limited");

	quota_add_classes(quota, other + 1, QUOTA_CLASSES);
	is(quota_check_classes(quota, other + 1), -EDQUOT,
	   "classes before a process is registered");
	quota_add_classes(quota, stranger, QUOTA_CLASSES - 1);
	is(quota_check_classes(quota, stranger), 0, "classes while there are any");
	quota_add_classes(quota, stranger, 1);
	is(quota_check_classes(quota, stranger), -EDQUOT, "then none");
	is(quota_check_classes(quota, other), 0, "of that user");
	quota_add_classes(quota, 0, 2 * QUOTA_CLASSES);
	is(quota_check_classes(quota, 0), 0, "root may");
	quota_destroy(quota);
	return done_testing();
}
