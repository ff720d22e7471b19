/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/state/clock-watch.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "sessiond/session/session.h"

struct clock_watch {
	struct daemon *daemon;
	sd_event_source *source;
};

void clock_watch_look(struct clock_watch *watch)
{
	struct clock_calibration *calibration;
	struct clock_description before;
	enum clock_change change;
	uint64_t latest;

	if (!watch)
		return;
	calibration = watch->daemon->calibration;
	change = clock_calibration_update(calibration);
	if (change == CLOCK_STEADY)
		return;
	message_say("the clock of events %s; traces go on in a new chunk",
		    change == CLOCK_RESET ? "was reset" : "stood still while the machine slept");
	clock_calibration_describe(calibration, &before);
	latest = clock_calibration_latest(calibration);
	clock_calibration_restart(calibration);
	sessions_break_clock(watch->daemon->sessions, &before, change == CLOCK_RESET ? latest : 0);
}

static int on_set(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	uint64_t expirations;
	/* ECANCELED: the time of day jumped. It is armed on. */
	ssize_t size = read(fd, &expirations, sizeof(expirations));

	(void)source;
	(void)revents;
	(void)size;
	clock_watch_look(data);
	return 0;
}

/* A timer that never ends. -errno, or the descriptor. */
static int open_timer(void)
{
	struct itimerspec never = { .it_value.tv_sec = (time_t)1 << 40 };
	int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
	int error;

	if (fd < 0)
		return -errno;
	if (timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) == 0)
		return fd;
	error = -errno;
	close(fd);
	return error;
}

int clock_watch_create(struct daemon *daemon, struct clock_watch **result)
{
	struct clock_watch *watch = calloc(1, sizeof(*watch));
	int fd = watch ? open_timer() : -ENOMEM;
	int error = fd;

	*result = NULL;
	if (fd >= 0)
		error = sd_event_add_io(daemon->event, &watch->source, fd, EPOLLIN, on_set, watch);
	if (error < 0) {
		if (fd >= 0)
			close(fd);
		free(watch);
		return error;
	}
	sd_event_source_set_io_fd_own(watch->source, 1);
	watch->daemon = daemon;
	*result = watch;
	return 0;
}

void clock_watch_destroy(struct clock_watch *watch)
{
	if (!watch)
		return;
	sd_event_source_disable_unref(watch->source);
	free(watch);
}
