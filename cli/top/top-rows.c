/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* top-rows.c - sorts the table of rings, and prints values for people. */
#include <config.h>

#include "cli/top/top.h"

#include <inttypes.h>
#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lttngmap/abi.h>

#include "common/base/amount.h"

/* ---- rows ----------------------------------------------------------------------- */

static enum top_order sorted_by; /* qsort() has no argument for us */

const char *top_order_name(enum top_order order)
{
	static const char *const names[TOP_ORDERS] = {
		[TOP_BY_RATE] = "rate", [TOP_BY_EVENTS] = "events", [TOP_BY_LOST] = "lost",
		[TOP_BY_FILL] = "fill", [TOP_BY_NAME] = "name",
	};

	return names[order];
}

/* Unknown values come last. */
static double key_of(const struct top_rings *rings)
{
	double key = 0;

	if (sorted_by == TOP_BY_RATE)
		key = rings->rates.events;
	else if (sorted_by == TOP_BY_EVENTS)
		key = (double)rings->events;
	else if (sorted_by == TOP_BY_LOST)
		key = (double)rings->lost;
	else if (sorted_by == TOP_BY_FILL)
		key = rings->fullest;
	return isnan(key) ? -1 : key;
}

/* The largest first; equal ones by name and number, so that rows keep their places. */
static int compare(const void *a, const void *b)
{
	const struct top_rings *x = ((const struct top_row *)a)->rings;
	const struct top_rings *y = ((const struct top_row *)b)->rings;
	double one = key_of(x), other = key_of(y);
	int order;

	if (one != other)
		return one < other ? 1 : -1;
	order = strcmp(x->name, y->name);
	if (order == 0)
		order = (x->pid > y->pid) - (x->pid < y->pid);
	if (order == 0)
		order = strcmp(x->session, y->session);
	return order ? order : strcmp(x->channel, y->channel);
}

size_t top_rows(const struct top *top, enum top_order order, struct top_row **rows)
{
	const struct top_daemon *daemon;
	size_t count = 0, n = 0;

	for (daemon = top->daemons; daemon; daemon = daemon->next)
		count += daemon->sample.nr_rings;
	*rows = calloc(count + 1, sizeof(**rows));
	if (!*rows)
		return 0;
	for (daemon = top->daemons; daemon; daemon = daemon->next)
		for (size_t i = 0; i < daemon->sample.nr_rings; i++)
			(*rows)[n++] = (struct top_row){ daemon, &daemon->sample.rings[i] };
	sorted_by = order;
	qsort(*rows, count, sizeof(**rows), compare);
	return count;
}

size_t top_fill(const struct top *top, double **fill)
{
	const struct top_daemon *daemon;
	size_t count = 0;

	*fill = NULL;
	for (daemon = top->daemons; daemon; daemon = daemon->next)
		for (size_t i = 0; i < daemon->sample.nr_rings; i++)
			if (daemon->sample.rings[i].nr_rings > count)
				count = daemon->sample.rings[i].nr_rings;
	if (count <= LTTNGMAP_EXTRA_RINGS)
		return 0;
	*fill = calloc(count, sizeof(**fill));
	if (!*fill)
		return 0;
	for (daemon = top->daemons; daemon; daemon = daemon->next)
		for (size_t i = 0; i < daemon->sample.nr_rings; i++)
			for (size_t cpu = 0; cpu < daemon->sample.rings[i].nr_rings; cpu++)
				(*fill)[cpu] =
					fmax((*fill)[cpu], daemon->sample.rings[i].fill[cpu]);
	return count - LTTNGMAP_EXTRA_RINGS;
}

/* ---- values --------------------------------------------------------------------- */

const char *top_format_rate(double rate, char text[TOP_TEXT_SIZE])
{
	if (isnan(rate))
		return "-";
	return amount_format_count(rate < 1e18 ? (uint64_t)llround(rate) : 0, text);
}

const char *top_format_bytes(double bytes, char text[TOP_TEXT_SIZE])
{
	if (isnan(bytes))
		return "-";
	return amount_format_size(bytes < 1e18 ? (uint64_t)llround(bytes) : 0, text);
}

const char *top_format_share(double share, char text[TOP_TEXT_SIZE])
{
	if (isnan(share))
		return "-";
	snprintf(text, TOP_TEXT_SIZE, "%.1f %%", share * 100);
	return text;
}

const char *top_format_time(double seconds, char text[TOP_TEXT_SIZE])
{
	if (seconds < 120)
		snprintf(text, TOP_TEXT_SIZE, "%.0f s", seconds);
	else if (seconds < 7200)
		snprintf(text, TOP_TEXT_SIZE, "%.0f min", seconds / 60);
	else if (seconds < 48 * 3600)
		snprintf(text, TOP_TEXT_SIZE, "%.1f h", seconds / 3600);
	else
		snprintf(text, TOP_TEXT_SIZE, "%.0f days", seconds / 86400);
	return text;
}

static char fill_letter(double fill)
{
	if (fill < 0.1)
		return '.';
	return fill >= 0.95 ? '#' : (char)('0' + (int)(fill * 10));
}

void top_format_fill(const double *fill, size_t count, char *text, size_t width)
{
	size_t shown = count < width ? count : width;

	for (size_t i = 0; i < shown; i++) {
		double fullest = 0;

		for (size_t cpu = i * count / shown; cpu < (i + 1) * count / shown; cpu++)
			fullest = fmax(fullest, fill[cpu]);
		text[i] = fill_letter(fullest);
	}
	text[shown] = '\0';
}

/* The users' database may be remote: look up each user once. */
#define USERS_KNOWN 64

const char *top_format_user(uint64_t uid, char text[TOP_TEXT_SIZE])
{
	static struct {
		bool known;
		uint64_t uid;
		char name[TOP_TEXT_SIZE];
	} users[USERS_KNOWN], *user;
	const struct passwd *entry;

	user = &users[uid % USERS_KNOWN];
	if (!user->known || user->uid != uid) {
		entry = uid <= UINT32_MAX ? getpwuid((uid_t)uid) : NULL;
		user->known = true;
		user->uid = uid;
		if (entry)
			snprintf(user->name, sizeof(user->name), "%s", entry->pw_name);
		else
			snprintf(user->name, sizeof(user->name), "%" PRIu64, uid);
	}
	snprintf(text, TOP_TEXT_SIZE, "%s", user->name);
	return text;
}
