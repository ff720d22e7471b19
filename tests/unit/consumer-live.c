/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * consumer-live.c - where packets begin for those who watch, whatever a process wrote there;
 * and the file that says how far a trace is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/protocol/live-time.h"
#include "consumerd/session/live.h"
#include "tests/utils/tap.h"

#define HIGH (UINT64_C(5) << 48)

static void test_begin(uint64_t begin, uint64_t end, uint64_t first, uint64_t expected,
		       const char *name)
{
	struct lttngmap_packet packet = {
		.timestamp_begin = begin,
		.timestamp_end = end,
		.events = 1,
		.length = sizeof(uint64_t),
	};
	uint64_t record = first << 16 | 7;

	live_tighten(&packet, &record, 0);
	ok(packet.timestamp_begin == expected && packet.timestamp_end == end, "%s", name);
}

static void test_empty(uint64_t end, uint64_t told, uint64_t expected, const char *name)
{
	struct lttngmap_packet packet = { .timestamp_begin = end, .timestamp_end = end };

	live_tighten(&packet, NULL, told);
	ok(packet.timestamp_begin == expected && packet.timestamp_end == expected, "%s", name);
}

static void test_late(uint64_t begin, uint64_t end, uint64_t told, bool is_late, uint64_t new_end)
{
	struct lttngmap_packet packet = {
		.timestamp_begin = begin,
		.timestamp_end = end,
		.events = 1,
		.length = sizeof(uint64_t),
	};
	uint64_t record = begin << 16 | 7;

	is(live_is_late(&packet, told), is_late, "is it late?");
	if (!is_late)
		return;
	live_move(&packet, &record, told);
	ok(packet.timestamp_begin == told + 1 && packet.timestamp_end == new_end &&
		   record == ((told + 1) << 16 | 7),
	   "then its first event has the next time, and is the same event");
}

static uint64_t read_time(int folder)
{
	struct live_time live = { 0 };
	int fd = openat(folder, LIVE_TIME_NAME, O_RDONLY);

	if (fd < 0 || read(fd, &live, sizeof(live)) != sizeof(live) ||
	    live.magic != LIVE_TIME_MAGIC)
		live.time = 0;
	if (fd >= 0)
		close(fd);
	return live.time;
}

static void test_file(void)
{
	char path[] = "/tmp/lttngmap-live.XXXXXX";
	struct trace trace = { .owner = geteuid(), .group = getegid() };

	if (!mkdtemp(path))
		return;
	trace.dir = open(path, O_RDONLY | O_DIRECTORY);
	ok(live_tell(&trace, 100, false) == 0 && read_time(trace.dir) == 100, "a time is noted");
	ok(live_tell(&trace, 200, true) == 0 && read_time(trace.dir) == 200, "and the next one");
	ok(unlinkat(trace.dir, LIVE_TIME_NAME, 0) == 0 && rmdir(path) == 0, "nothing else is left");
	is(live_tell(&trace, 300, false), -ENOENT, "where the folder has gone, that is said");
	close(trace.dir);
}

int main(void)
{
	test_begin(HIGH + 10, HIGH + 90, 50, HIGH + 50, "a packet begins at its first event");
	test_begin(HIGH + 10, HIGH + 90, 10, HIGH + 10, "which may be where it began");
	test_begin(HIGH - 10, HIGH + 90, 50, HIGH + 50, "also where the clock's low part wrapped");
	test_begin(HIGH + 10, HIGH + 90, 91, HIGH + 10, "not at a time behind its end");
	test_begin(HIGH + 10, HIGH + 90, 9, HIGH + 10, "nor before its begin");
	test_empty(100, 200, 200, "one without an event stands where viewers are");
	test_empty(300, 200, 300, "or later");
	test_late(HIGH + 10, HIGH + 90, HIGH + 9, false, 0);
	test_late(HIGH + 10, HIGH + 90, HIGH + 10, true, HIGH + 90);
	test_late(HIGH + 10, HIGH + 90, HIGH + 200, true, HIGH + 201);
	test_file();
	return done_testing();
}
