/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLOCKSOURCE_FILE "/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define NSEC_PER_SEC UINT64_C(1000000000)
/* The sample is the least disturbed of so many readings. */
#define SAMPLE_TRIES 50
/* The first measurement of a frequency: some 5 millionths exact. */
#define FIRST_INTERVAL_NS UINT64_C(10000000)
/* Less of a sleep, and of a difference after it, is no matter. */
#define SLEEP_NS 500000
/* A clock that goes wrong by more without a sleep was set: so many ns, and millionths. */
#define JUMP_NS 1000000
#define JUMP_MILLIONTHS 1000

#if defined(__x86_64__) || defined(__i386__)
static const bool have_tsc = true;

static uint64_t read_tsc(void)
{
	return __builtin_ia32_rdtsc();
}
#else
static const bool have_tsc;

static uint64_t read_tsc(void)
{
	return 0;
}
#endif

/* The kernel watches the TSC against other clocks and leaves it when they differ. */
static bool kernel_trusts_tsc(void)
{
	char source[16] = "";
	int fd = open(CLOCKSOURCE_FILE, O_RDONLY | O_CLOEXEC);
	ssize_t size;

	if (fd < 0)
		return false;
	size = read(fd, source, sizeof(source) - 1);
	close(fd);
	return size > 0 && strcmp(source, "tsc\n") == 0;
}

int clock_choose(const char *wanted, enum lttngmap_clock *clock)
{
	if (!wanted || strcmp(wanted, "auto") == 0) {
		*clock = have_tsc && kernel_trusts_tsc() ? LTTNGMAP_CLOCK_TSC
							 : LTTNGMAP_CLOCK_MONOTONIC;
		return 0;
	}
	if (strcmp(wanted, "monotonic") == 0) {
		*clock = LTTNGMAP_CLOCK_MONOTONIC;
		return 0;
	}
	if (strcmp(wanted, "tsc") != 0)
		return -EINVAL;
	if (!have_tsc)
		return -EOPNOTSUPP;
	*clock = LTTNGMAP_CLOCK_TSC;
	return 0;
}

const char *clock_name(enum lttngmap_clock clock)
{
	return clock == LTTNGMAP_CLOCK_TSC ? "tsc" : "monotonic";
}

static uint64_t read_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

uint64_t clock_read(enum lttngmap_clock clock)
{
	return clock == LTTNGMAP_CLOCK_TSC ? read_tsc() : read_ns(CLOCK_MONOTONIC);
}

/*
 * The clocks cannot be read at one instant. Each reading of the two others
 * stands between two of ours, and the closest such pair is the best.
 */
static void take_sample(enum lttngmap_clock clock, struct clock_sample *sample)
{
	uint64_t best = UINT64_MAX;

	for (unsigned tries = 0; tries < SAMPLE_TRIES; tries++) {
		uint64_t before = clock_read(clock);
		uint64_t monotonic = read_ns(CLOCK_MONOTONIC);
		uint64_t boottime = read_ns(CLOCK_BOOTTIME);
		uint64_t realtime = read_ns(CLOCK_REALTIME);
		uint64_t after = clock_read(clock);

		if (after - before >= best)
			continue;
		best = after - before;
		sample->clock = before + best / 2;
		sample->monotonic = monotonic;
		sample->boottime = boottime;
		sample->realtime = realtime;
	}
}

void clock_calibration_start(struct clock_calibration *calibration, enum lttngmap_clock clock)
{
	calibration->clock = clock;
	calibration->ticks = calibration->ns = 0;
	take_sample(clock, &calibration->first);
	calibration->awake = calibration->last = calibration->first;
	if (clock != LTTNGMAP_CLOCK_TSC)
		return;
	do {
		const struct timespec pause = { .tv_nsec = FIRST_INTERVAL_NS };

		nanosleep(&pause, NULL);
		clock_calibration_update(calibration);
	} while (calibration->last.monotonic - calibration->first.monotonic < FIRST_INTERVAL_NS);
}

static uint64_t frequency_of(const struct clock_calibration *calibration)
{
	uint64_t ticks = calibration->ticks + calibration->last.clock - calibration->awake.clock;
	uint64_t ns = calibration->ns + calibration->last.monotonic - calibration->awake.monotonic;
	unsigned __int128 frequency;

	if (calibration->clock != LTTNGMAP_CLOCK_TSC || ns == 0)
		return NSEC_PER_SEC;
	frequency = ((unsigned __int128)ticks * NSEC_PER_SEC + ns / 2) / ns;
	/* A counter that stands still or jumps must not make a division by zero. */
	return frequency == 0 || frequency > UINT64_MAX ? NSEC_PER_SEC : (uint64_t)frequency;
}

/* How far the clock has gone beyond CLOCK_BOOTTIME since the last sample, ns. */
static __int128 clock_error(const struct clock_calibration *calibration,
			    const struct clock_sample *now)
{
	const struct clock_sample *last = &calibration->last;

	return (__int128)(now->clock - last->clock) * NSEC_PER_SEC / frequency_of(calibration) -
	       (now->boottime - last->boottime);
}

static enum clock_change compare(const struct clock_calibration *calibration,
				 const struct clock_sample *now, bool *slept)
{
	const struct clock_sample *last = &calibration->last;
	uint64_t passed = now->boottime - last->boottime;
	int64_t sleep = (int64_t)(passed - (now->monotonic - last->monotonic));
	__int128 error, most;

	*slept = sleep > SLEEP_NS;
	if (now->clock < last->clock)
		return CLOCK_RESET;
	/* Nothing was measured yet. */
	if (calibration->clock == LTTNGMAP_CLOCK_TSC && calibration->ns == 0 &&
	    last->monotonic == calibration->awake.monotonic)
		return CLOCK_STEADY;
	error = clock_error(calibration, now);
	most = *slept ? SLEEP_NS : JUMP_NS + passed / 1000000 * JUMP_MILLIONTHS;
	return error > most || error < -most ? CLOCK_SLEPT : CLOCK_STEADY;
}

/* The span in which the machine was awake ended at the last sample, another begins now. */
static void begin_span(struct clock_calibration *calibration, const struct clock_sample *now)
{
	calibration->ticks += calibration->last.clock - calibration->awake.clock;
	calibration->ns += calibration->last.monotonic - calibration->awake.monotonic;
	calibration->awake = *now;
}

enum clock_change clock_calibration_add(struct clock_calibration *calibration,
					const struct clock_sample *now)
{
	bool slept;
	enum clock_change change = compare(calibration, now, &slept);

	if (change != CLOCK_STEADY)
		return change;
	if (slept)
		begin_span(calibration, now);
	calibration->last = *now;
	return CLOCK_STEADY;
}

enum clock_change clock_calibration_update(struct clock_calibration *calibration)
{
	struct clock_sample now;

	take_sample(calibration->clock, &now);
	return clock_calibration_add(calibration, &now);
}

void clock_calibration_restart_at(struct clock_calibration *calibration,
				  const struct clock_sample *now)
{
	begin_span(calibration, now);
	calibration->first = calibration->last = *now;
}

void clock_calibration_restart(struct clock_calibration *calibration)
{
	struct clock_sample now;

	take_sample(calibration->clock, &now);
	clock_calibration_restart_at(calibration, &now);
}

uint64_t clock_calibration_latest(const struct clock_calibration *calibration)
{
	uint64_t awake = read_ns(CLOCK_MONOTONIC) - calibration->last.monotonic;

	return calibration->last.clock + CLOCK_SLACK +
	       (uint64_t)((unsigned __int128)awake * frequency_of(calibration) / NSEC_PER_SEC);
}

void clock_calibration_describe(const struct clock_calibration *calibration,
				struct clock_description *description)
{
	uint64_t frequency = frequency_of(calibration);
	uint64_t realtime = calibration->first.realtime;
	/* Ticks from 1970 to the clock's zero, which may lie before it. */
	__int128 offset = (__int128)realtime * frequency / NSEC_PER_SEC - calibration->first.clock;
	__int128 seconds = offset / frequency;

	if (offset < 0 && offset % frequency != 0)
		seconds--;
	description->clock = calibration->clock;
	description->frequency = frequency;
	description->offset_s = (int64_t)seconds;
	description->offset = (uint64_t)(offset - seconds * frequency);
}
