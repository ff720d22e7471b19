/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * brought.c - a program that includes LTTng-UST's headers only: each that is installed, and what
 * they bring along. Returns 77 if its plugins of clock and CPU are refused.
 */
#include <lttng/tracepoint.h>

static int of_every_file(void)
{
	char *text = strdup("x");
	ssize_t length = (ssize_t)strlen(text);

	assert(strcasecmp(text, "X") == 0);
	fprintf(stdout, "%d\n", (int)length);
	free(text);
	return getpid() == (pid_t)syscall(SYS_getpid) && dlsym(RTLD_DEFAULT, "strlen") &&
	       htobe32(1) != 0 && true;
}

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "taken-tp.h"

static int of_providers(void)
{
	struct timespec now;

	errno = 0;
	sched_yield();
	return clock_gettime(CLOCK_MONOTONIC, &now) == 0 &&
	       pthread_equal(pthread_self(), pthread_self()) && INT_MAX > 0 && DBL_MANT_DIG > 0 &&
	       bswap_32(1) == 0x1000000;
}

#include <lttng/ust-clock.h>
#include <lttng/ust-common.h>
#include <lttng/ust-events.h>
#include <lttng/ust-fork.h>
#include <lttng/ust-getcpu.h>
#include <lttng/ust-thread.h>
#include <lttng/ust-version.h>

#if LTTNG_UST_MAJOR_VERSION != 2 || LTTNG_UST_MINOR_VERSION != 13 || LTTNG_UST_PROVIDER_MAJOR != 3
#error "this is another interface"
#endif

static uint64_t ticks(void)
{
	return 1;
}

static int first_cpu(void)
{
	return 0;
}

static int calls(void)
{
	sigset_t signals;

	lttng_ust_init_thread();
	lttng_ust_before_fork(&signals);
	lttng_ust_after_fork_parent(&signals);
	lttng_ust_after_setns();
	lttng_ust_after_unshare();
	lttng_ust_after_setuid();
	lttng_ust_after_setgid();
	lttng_ust_after_seteuid();
	lttng_ust_after_setegid();
	lttng_ust_after_setreuid();
	lttng_ust_after_setregid();
	lttng_ust_after_setresuid();
	lttng_ust_after_setresgid();
	return lttng_ust_trace_clock_set_read64_cb(ticks) == -ENOSYS &&
	       lttng_ust_enable_trace_clock_override() == -ENOSYS &&
	       lttng_ust_getcpu_override(first_cpu) == -ENOSYS;
}

int main(void)
{
	if (!of_every_file() || !of_providers())
		return 1;
	return calls() ? 77 : 0;
}
