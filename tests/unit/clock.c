/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* clock.c - which clock, and times of day out of its values. */
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/utils/tap.h"

#define NSEC_PER_SEC UINT64_C(1000000000)

static void check_choice(void)
{
	enum lttngmap_clock clock = LTTNGMAP_CLOCK_TSC;
	char source[16] = "";
	FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
	bool trusted = file && fgets(source, sizeof(source), file) && !strcmp(source, "tsc\n");

	if (file)
		fclose(file);
	is(clock_choose("monotonic", &clock), 0, "the monotonic clock is always there");
	is(clock, LTTNGMAP_CLOCK_MONOTONIC, "and can be forced");
	is(clock_choose("sundial", &clock), -EINVAL, "no other name is known");
	is(clock_choose(NULL, &clock), 0, "without a wish");
	is(clock == LTTNGMAP_CLOCK_TSC, trusted, "it is the TSC where the kernel trusts it");
	is_string(clock_name(clock), trusted ? "tsc" : "monotonic", "and says so");
	is(clock_choose("auto", &clock), 0, "auto is the same");
	is(clock == LTTNGMAP_CLOCK_TSC, trusted, "as no wish");
#if defined(__x86_64__)
	is(clock_choose("tsc", &clock), 0, "the TSC can be forced");
	is(clock, LTTNGMAP_CLOCK_TSC, "on x86");
#else
	is(clock_choose("tsc", &clock), -EOPNOTSUPP, "there is no TSC");
	skip(1, "no TSC");
#endif
}

/* As a reader does it. */
static double time_of(const struct clock_description *clock, uint64_t value)
{
	return (double)clock->offset_s + (double)(clock->offset + value) / (double)clock->frequency;
}

static void check_arithmetic(void)
{
	/* 1 s of 2.5 GHz; the clock began 40 s before. */
	struct clock_calibration calibration = {
		.clock = LTTNGMAP_CLOCK_TSC,
		.first = { UINT64_C(100000000000), 7 * NSEC_PER_SEC,
			   1700000000 * NSEC_PER_SEC + 500000000, 0 },
		.awake = { UINT64_C(100000000000), 7 * NSEC_PER_SEC, 0, 0 },
		.last = { UINT64_C(102500000000), 8 * NSEC_PER_SEC, 0, 0 },
	};
	struct clock_description clock;

	clock_calibration_describe(&calibration, &clock);
	is(clock.frequency, 2500000000, "the frequency is ticks by time");
	is(clock.offset_s, 1699999960, "the offset is when the clock was 0");
	is(clock.offset, 1250000000, "to the tick");

	/* 1970, and a machine that has run for 40 s. */
	calibration.first.realtime = 500000000;
	clock_calibration_describe(&calibration, &clock);
	is(clock.offset_s, -40, "which may be before 1970");
	is(clock.offset, 1250000000, "and the ticks go forward all the same");

	/* 40 days later: the sums need more than 64 bits. */
	calibration.first.realtime = 1700000000 * NSEC_PER_SEC;
	calibration.last.clock += UINT64_C(2500000000) * 86400 * 40;
	calibration.last.monotonic += NSEC_PER_SEC * 86400 * 40;
	clock_calibration_describe(&calibration, &clock);
	is(clock.frequency, 2500000000, "the same after a long time");
	is(clock.offset_s, 1699999960, "and so is the offset");
	is(clock.offset, 0, "to the tick");

	calibration.last = calibration.awake;
	clock_calibration_describe(&calibration, &clock);
	is(clock.frequency, NSEC_PER_SEC, "without an interval there is some frequency");
	calibration.last.monotonic++;
	clock_calibration_describe(&calibration, &clock);
	is(clock.frequency, NSEC_PER_SEC, "and also for a clock that stands still");
}

/* ---- a machine that sleeps ------------------------------------------------------- */

#define GHZ_3 UINT64_C(3000000000)
#define HOUR (3600 * NSEC_PER_SEC)

/* Time passes; what the clock does of it, in ns, is apart. */
static void pass(struct clock_sample *now, uint64_t awake, uint64_t asleep, int64_t clock_ns)
{
	now->monotonic += awake;
	now->boottime += awake + asleep;
	now->realtime += awake + asleep;
	now->clock += (uint64_t)(clock_ns * 3);
}

static struct clock_sample begin_at(enum lttngmap_clock clock,
				    struct clock_calibration *calibration)
{
	/* The TSC began 10 h before. */
	struct clock_sample now = { 10 * HOUR * 3, 10 * HOUR, 1700000000 * NSEC_PER_SEC,
				    10 * HOUR };

	*calibration = (struct clock_calibration){
		.clock = clock,
		.first = now,
		.awake = now,
		.last = now,
	};
	pass(&now, HOUR, 0, (int64_t)HOUR);
	is(clock_calibration_add(calibration, &now), CLOCK_STEADY, "an hour passes");
	return now;
}

static bool is_right(const struct clock_calibration *calibration, const struct clock_sample *now)
{
	struct clock_description clock;
	double error;

	clock_calibration_describe(calibration, &clock);
	error = time_of(&clock, now->clock) - (double)now->realtime / 1e9;
	diag("%llu Hz, %+.6f s wrong", (unsigned long long)clock.frequency, error);
	return error < 1e-3 && error > -1e-3 && clock.frequency == GHZ_3;
}

static void check_sleep(void)
{
	struct clock_calibration calibration;
	struct clock_sample now = begin_at(LTTNGMAP_CLOCK_TSC, &calibration), before = now;

	pass(&now, NSEC_PER_SEC, 8 * HOUR, (int64_t)(8 * HOUR + NSEC_PER_SEC));
	is(clock_calibration_add(&calibration, &now), CLOCK_STEADY,
	   "a TSC goes on for 8 h of sleep");
	ok(is_right(&calibration, &now), "its frequency is that of before, its times are right");
	pass(&now, HOUR, 0, (int64_t)HOUR);
	is(clock_calibration_add(&calibration, &now), CLOCK_STEADY, "an hour after that");
	ok(is_right(&calibration, &now), "they are right");

	before = now;
	pass(&now, NSEC_PER_SEC, 8 * HOUR, (int64_t)NSEC_PER_SEC);
	is(clock_calibration_add(&calibration, &now), CLOCK_SLEPT, "a TSC that stops meanwhile");
	ok(is_right(&calibration, &before), "is described as it was before");
	clock_calibration_restart_at(&calibration, &now);
	pass(&now, NSEC_PER_SEC, 0, (int64_t)NSEC_PER_SEC);
	is(clock_calibration_add(&calibration, &now), CLOCK_STEADY, "and, started again,");
	ok(is_right(&calibration, &now), "as it is after");

	pass(&now, NSEC_PER_SEC, HOUR, -(int64_t)(10 * HOUR));
	is(clock_calibration_add(&calibration, &now), CLOCK_RESET, "a TSC that is reset");
	clock_calibration_restart_at(&calibration, &now);
	pass(&now, 1000, 0, 1000);
	is(clock_calibration_add(&calibration, &now), CLOCK_STEADY, "counts again");
	ok(is_right(&calibration, &now), "and is right at once");

	pass(&now, NSEC_PER_SEC, 0, (int64_t)HOUR);
	is(clock_calibration_add(&calibration, &now), CLOCK_SLEPT,
	   "a TSC that jumps without a sleep, as in a guest that moves");
}

static void check_sleep_monotonic(void)
{
	struct clock_calibration calibration;
	struct clock_sample now;
	struct clock_description clock;

	begin_at(LTTNGMAP_CLOCK_TSC, &calibration);
	now = calibration.first;
	now.clock = now.monotonic;
	calibration = (struct clock_calibration){
		.clock = LTTNGMAP_CLOCK_MONOTONIC,
		.first = now,
		.awake = now,
		.last = now,
	};
	pass(&now, NSEC_PER_SEC, 8 * HOUR, 0);
	now.clock = now.monotonic;
	is(clock_calibration_add(&calibration, &now), CLOCK_SLEPT, "CLOCK_MONOTONIC stops");
	clock_calibration_restart_at(&calibration, &now);
	clock_calibration_describe(&calibration, &clock);
	ok(clock.frequency == NSEC_PER_SEC &&
		   (uint64_t)(time_of(&clock, now.clock) * 1e3 + 0.5) == now.realtime / 1000000,
	   "and is right after 8 h, too");
}

/* The two measures of one interval, and today's time, with room for a busy machine. */
static void check_real_clock(enum lttngmap_clock id)
{
	struct clock_calibration calibration;
	struct clock_description first, second;
	struct timespec before, after;
	uint64_t value;
	double time, error;

	clock_calibration_start(&calibration, id);
	clock_calibration_describe(&calibration, &first);
	usleep(50000); /* between two measures */
	clock_calibration_update(&calibration);
	clock_calibration_describe(&calibration, &second);
	error = (double)second.frequency / (double)first.frequency - 1;
	ok(error < 1e-3 && error > -1e-3, "%s: two measures of the frequency agree",
	   clock_name(id));
	diag("%s: %llu Hz, then %+.2g of it", clock_name(id), (unsigned long long)first.frequency,
	     error);

	clock_gettime(CLOCK_REALTIME, &before);
	value = clock_read(id);
	clock_gettime(CLOCK_REALTIME, &after);
	time = time_of(&second, value);
	ok(time > (double)before.tv_sec + (double)before.tv_nsec / 1e9 - 1e-3 &&
		   time < (double)after.tv_sec + (double)after.tv_nsec / 1e9 + 1e-3,
	   "%s: a value of now is the time of now", clock_name(id));
	ok(first.offset < first.frequency && second.offset < second.frequency,
	   "%s: the offset's ticks are less than a second", clock_name(id));
	ok(clock_read(id) > value, "%s: it goes on", clock_name(id));
}

int main(void)
{
	enum lttngmap_clock clock;

	check_choice();
	check_arithmetic();
	check_sleep();
	check_sleep_monotonic();
	check_real_clock(LTTNGMAP_CLOCK_MONOTONIC);
	clock_choose(NULL, &clock);
	if (clock == LTTNGMAP_CLOCK_TSC)
		check_real_clock(LTTNGMAP_CLOCK_TSC);
	else
		skip(4, "the kernel does not trust this machine's TSC");
	return done_testing();
}
