/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* A flood of one kind of message hides no other, and ends. */
#include "sessiond/base/messages.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/utils/tap.h"

#define FLOOD 10000

/* In place of libc's: a second that ended within a flood would let one more of it be said. */
static time_t seconds = 1000;

int clock_gettime(clockid_t id, struct timespec *now)
{
	(void)id;
	*now = (struct timespec){ .tv_sec = seconds };
	return 0;
}

static struct {
	unsigned all, floods, others, clean, last;
} taken;

static void take(const char *message, void *data)
{
	(void)data;
	taken.all++;
	taken.floods += strncmp(message, "flood", 5) == 0;
	taken.others += strncmp(message, "other", 5) == 0;
	taken.clean += strcmp(message, "other news?[1m???") == 0;
	taken.last = strstr(message, "further messages were dropped") != NULL;
}

/* Lines of what was said that have the text in them. */
static unsigned said(const char *text)
{
	char line[512];
	unsigned lines = 0;

	rewind(stderr);
	while (fgets(line, sizeof(line), stderr))
		lines += strstr(line, text) != NULL;
	return lines;
}

static void flood(unsigned messages)
{
	for (unsigned i = 0; i < messages; i++)
		message_say("flood %u of a process", i);
}

int main(void)
{
	char path[] = "/tmp/lttngmap-test.XXXXXX";
	int fd = mkstemp(path);
	unsigned before;

	if (fd < 0 || !freopen(path, "w+", stderr))
		bail_out("%s cannot be made", path);
	unlink(path);
	close(fd);

	flood(FLOOD);
	message_say("other %s\033[1m\xc2\x9b\n", "news");
	messages_take("s", take, NULL);
	ok(taken.floods > 0 && taken.floods < 32, "%u of a flood are kept", taken.floods);
	is(taken.others, 1, "and what else is told");
	is(taken.clean, 1, "without what steers a terminal");
	ok(taken.last, "at last how many were dropped");
	ok(said("flood") >= 100 && said("flood") < 1000, "%u lines are said of it", said("flood"));
	is(said("other news?[1m???"), 1, "and the other, without it");
	is(said("one a second at most"), 1, "that some are not shown is said once");

	before = said("flood");
	seconds += 2;
	fseek(stderr, 0, SEEK_END);
	flood(2);
	is(said("flood") - before, 2, "later, there is room again");
	is(said("more like it were not shown"), 1, "and it is said how many there were");
	taken.all = taken.floods = 0;
	messages_take("s", take, NULL);
	is(taken.floods, 2, "as there is for what is kept");

	message_of("s", "session %s: other", "s");
	message_of("t", "session %s: other", "t");
	taken.all = 0;
	messages_take("s", take, NULL);
	is(taken.all, 1, "a session's status shows its messages, not another session's");
	messages_take("t", take, NULL);
	is(taken.all, 2, "which wait for that one's");
	message_of("t", "session %s: other", "t");
	messages_forget("t");
	messages_take("t", take, NULL);
	is(taken.all, 2, "and are forgotten with it");
	return done_testing();
}
