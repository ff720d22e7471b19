/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * slept-clock, to be preloaded into a daemon: the machine has slept for as many seconds as
 * $SLEPT_FILE says, and the clocks of events stood still meanwhile. CLOCK_BOOTTIME and
 * CLOCK_REALTIME are ahead by that. With $SLEPT_TSC set it is CLOCK_MONOTONIC that stood still, and
 * is behind, while the TSC went on.
 *
 * A consumer, which inherits it, has CLOCK_MONOTONIC as it is: it only sets timers by it. The
 * kernel's timers know of no sleep, so they would fire before their time, and sd-event forgets a
 * timer that did.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long slept(void)
{
	const char *path = getenv("SLEPT_FILE");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	char text[16] = "";

	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	return atol(text);
}

#define NSEC_PER_SEC INT64_C(1000000000)

/* It stands still until so much time went by, and never goes back. */
static void stand_still(struct timespec *now)
{
	static int64_t last;
	int64_t ns = (now->tv_sec - slept()) * NSEC_PER_SEC + now->tv_nsec;
	int64_t before = __atomic_load_n(&last, __ATOMIC_RELAXED);

	while (ns > before && !__atomic_compare_exchange_n(&last, &before, ns, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		continue;
	if (ns < before)
		ns = before;
	now->tv_sec = ns / NSEC_PER_SEC;
	now->tv_nsec = ns % NSEC_PER_SEC;
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *now)
{
	int result = (int)syscall(SYS_clock_gettime, id, now);

	if (result == 0 && getenv("SLEPT_TSC")) {
		if (id == CLOCK_MONOTONIC &&
		    strcmp(program_invocation_short_name, "lttngmap-consumerd") != 0)
			stand_still(now);
	} else if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_BOOTTIME)) {
		now->tv_sec += slept();
	}
	return result;
}
