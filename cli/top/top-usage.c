/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* top-usage.c - CPU time and memory of a process: see proc_pid_stat(5). */
#include <config.h>

#include "cli/top/top.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_us(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* False: no such process, or not visible to this user. */
static bool read_stat(struct top_usage *usage, uint64_t pid)
{
	uint64_t user, system, pages;
	char path[64], text[1024];
	const char *rest;
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = '\0';
	/* The name in parentheses may contain anything. Behind it: state, 10 more, times. */
	rest = strrchr(text, ')');
	if (!rest || sscanf(rest,
			    ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
			    " %*d %*d %*d %*d %*d %*d %" SCNu64 " %*u %" SCNu64,
			    &user, &system, &usage->begun, &pages) != 4)
		return false;
	usage->pid = pid;
	usage->ticks = user + system;
	usage->memory = pages * (uint64_t)sysconf(_SC_PAGESIZE);
	return true;
}

void top_usage_look(struct top_usage *usage, uint64_t pid)
{
	struct top_usage now = { .now_us = now_us(CLOCK_MONOTONIC), .cpu = NAN };
	double rate = (double)sysconf(_SC_CLK_TCK);

	if (pid && read_stat(&now, pid)) {
		now.up = (double)now_us(CLOCK_BOOTTIME) / 1e6 - (double)now.begun / rate;
		if (now.pid == usage->pid && now.begun == usage->begun &&
		    now.now_us > usage->now_us && now.ticks >= usage->ticks)
			now.cpu = (double)(now.ticks - usage->ticks) / rate * 1e6 /
				  (double)(now.now_us - usage->now_us);
	}
	*usage = now;
}

double top_usage_cpu_seconds(const struct top_usage *usage)
{
	return (double)usage->ticks / (double)sysconf(_SC_CLK_TCK);
}
