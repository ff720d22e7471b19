/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The line of cli/view/view-progress.c is on a terminal alone, comes after a second, and goes
 * before a message does.
 */
#include "cli/view/view.h"

#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "common/base/time.h"
#include "tests/utils/tap.h"

const char *view_verb = "report";

static int master, real_stderr;

static void to_terminal(bool yes)
{
	static int slave;

	if (!slave && openpty(&master, &slave, NULL, NULL, NULL) != 0)
		bail_out("no terminal");
	if (!real_stderr)
		real_stderr = dup(STDERR_FILENO);
	dup2(yes ? slave : real_stderr, STDERR_FILENO);
}

/* The text that the terminal got since the last call. */
static const char *said(void)
{
	static char text[4096];
	struct pollfd fd = { .fd = master, .events = POLLIN };
	size_t used = 0;

	while (used < sizeof(text) - 1 && poll(&fd, 1, 100) == 1) {
		ssize_t got = read(master, text + used, sizeof(text) - 1 - used);

		if (got <= 0)
			break;
		used += (size_t)got;
	}
	text[used] = '\0';
	return text;
}

static void read_events(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		view_progress_event();
}

int main(void)
{
	const char *text;
	int64_t took_ms;

	plan(7);
	to_terminal(true);
	view_progress_begin();
	read_events(100000);
	is_string(said(), "", "in the first second nothing is said");
	usleep(1100000); /* more than that second */
	took_ms = time_now_ms();
	read_events(20000);
	took_ms = time_now_ms() - took_ms;
	text = said();
	ok(strstr(text, "\r\033[Kreport: 106,496 events read"), "then how many events were read");
	ok(!strstr(text, "114,688") || took_ms >= 200, "not at every look");
	message_note("a message");
	text = said();
	ok(strncmp(text, "\r\033[Klttngmap: a message", 23) == 0, "a message comes in its place");
	view_progress_clear();
	is_string(said(), "", "which was cleared with that");
	usleep(300000); /* more than the 200 ms between two lines */
	read_events(10000);
	ok(said()[0], "it comes again");
	view_progress_clear();
	is_string(said(), "\r\033[K", "and is cleared in the end");
	to_terminal(false);
	return done_testing();
}
