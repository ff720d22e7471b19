/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * channel_wait_writers() asks the kernel for a barrier on each CPU; if the kernel refuses, it runs
 * on each CPU itself, and returns to where it was allowed before.
 */
#include "sessiond/session/channel.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/utils/tap.h"

static bool refuses;
static unsigned int asked;
static cpu_set_t visited;
static unsigned int affinities;

/* In place of the C library's: membarrier is only counted. */
long syscall(long number, ...)
{
	static long (*next)(long, ...);
	long argument[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		argument[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_membarrier && (int)argument[0] == MEMBARRIER_CMD_GLOBAL) {
		asked++;
		if (!refuses)
			return 0;
		errno = EINVAL;
		return -1;
	}
	if (!next)
		next = (long (*)(long, ...))(uintptr_t)dlsym(RTLD_NEXT, "syscall");
	return next(number, argument[0], argument[1], argument[2], argument[3], argument[4],
		    argument[5]);
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	static int (*next)(pid_t, size_t, const cpu_set_t *);
	int result;

	if (!next)
		next = (int (*)(pid_t, size_t, const cpu_set_t *))(
			uintptr_t)dlsym(RTLD_NEXT, "sched_setaffinity");
	result = next(pid, size, set);
	affinities++;
	if (result == 0)
		CPU_SET(sched_getcpu(), &visited);
	return result;
}

int main(void)
{
	cpu_set_t before, after;

	plan(6);
	sched_getaffinity(0, sizeof(before), &before);
	channel_wait_writers();
	is(asked, 1, "the kernel is asked for a barrier");
	is(affinities, 0, "which is all");
	refuses = true;
	channel_wait_writers();
	is(asked, 2, "the kernel is asked again, and refuses");
	ok(affinities > 1, "the caller moves");
	CPU_AND(&after, &visited, &before);
	ok(CPU_EQUAL(&after, &before), "it has run on each CPU");
	sched_getaffinity(0, sizeof(after), &after);
	ok(CPU_EQUAL(&after, &before), "it may run where it might before");
	return done_testing();
}
