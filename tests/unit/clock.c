/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* clock.c - which clock, and times of day out of its values. */
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
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
			   1700000000 * NSEC_PER_SEC + 500000000 },
		.last = { UINT64_C(102500000000), 8 * NSEC_PER_SEC, 0 },
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

	calibration.last = calibration.first;
	clock_calibration_describe(&calibration, &clock);
	is(clock.frequency, NSEC_PER_SEC, "without an interval there is some frequency");
	calibration.last.monotonic++;
	clock_calibration_describe(&calibration, &clock);
	is(clock.frequency, NSEC_PER_SEC, "and also for a clock that stands still");
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
	usleep(50000);
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
	check_real_clock(LTTNGMAP_CLOCK_MONOTONIC);
	clock_choose(NULL, &clock);
	if (clock == LTTNGMAP_CLOCK_TSC)
		check_real_clock(LTTNGMAP_CLOCK_TSC);
	else
		skip(4, "the kernel does not trust this machine's TSC");
	return done_testing();
}
