/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/attach/sandbox.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "liblttngmap/base/arch.h"
#include "liblttngmap/attach/channel.h"

uint32_t sandbox_requests;

static bool asks_for_filter(long number, const long arguments[6])
{
	if (number == SYS_prctl)
		return (int)arguments[0] == PR_SET_SECCOMP;
	return number == SYS_seccomp && ((unsigned int)arguments[0] == SECCOMP_SET_MODE_STRICT ||
					 (unsigned int)arguments[0] == SECCOMP_SET_MODE_FILTER);
}

/* Noted before, for another thread may fork meanwhile; one that was refused changes nothing. */
static long call(long number, const long arguments[6])
{
	bool asks = asks_for_filter(number, arguments);
	long result;

	if (asks && !sandbox_is_on())
		channel_prepare_all();
	if (asks)
		__atomic_add_fetch(&sandbox_requests, 1, __ATOMIC_SEQ_CST);
	result = arch_syscall6(number, arguments[0], arguments[1], arguments[2], arguments[3],
			       arguments[4], arguments[5]);
	if (asks && result < 0)
		__atomic_sub_fetch(&sandbox_requests, 1, __ATOMIC_RELAXED);
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

/* Like the C library's: the kernel does not look at arguments that were not given either. */
__attribute__((visibility("default"))) int lttngmap_prctl(int option, ...)
{
	long arguments[6] = { option };
	va_list given;

	va_start(given, option);
	for (int i = 1; i < 5; i++)
		arguments[i] = va_arg(given, long);
	va_end(given);
	return (int)call(SYS_prctl, arguments);
}

__attribute__((visibility("default"))) long lttngmap_syscall(long number, ...)
{
	long arguments[6];
	va_list given;

	va_start(given, number);
	for (int i = 0; i < 6; i++)
		arguments[i] = va_arg(given, long);
	va_end(given);
	return call(number, arguments);
}

/* By names that are ours alone, for preload/sandbox.c. */
__typeof__(lttngmap_prctl) prctl __attribute__((alias("lttngmap_prctl"), visibility("default")));
__typeof__(lttngmap_syscall) syscall
	__attribute__((alias("lttngmap_syscall"), visibility("default")));
