/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view-progress.c - a line on a terminal that tells how many events were read, for verbs that
 * print nothing until the end. It appears after a second.
 */
#include <config.h>

#include "cli/view/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "common/base/amount.h"
#include "common/base/time.h"

#define FIRST_MS 1000
#define NEXT_MS 200
#define EVENTS 8192 /* between two looks at the clock */

static bool is_on, is_shown;
static uint64_t events;
static int64_t due_ms;

void view_progress_begin(void)
{
	is_on = isatty(STDERR_FILENO);
	due_ms = time_now_ms() + FIRST_MS;
	message_set_before(view_progress_clear);
}

void view_progress_event(void)
{
	char count[32];
	int64_t now_ms;

	if (!is_on || ++events % EVENTS)
		return;
	now_ms = time_now_ms();
	if (now_ms < due_ms)
		return;
	due_ms = now_ms + NEXT_MS;
	is_shown = true;
	fprintf(stderr, "\r\033[K%s: %s events read", view_verb,
		amount_format_count(events, count));
	fflush(stderr);
}

void view_progress_clear(void)
{
	if (!is_shown)
		return;
	is_shown = false;
	fputs("\r\033[K", stderr);
	fflush(stderr);
}
