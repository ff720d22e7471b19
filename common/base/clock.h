/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * clock.h - the clock that stamps events: which one, what it says now, and
 * how its values become times of day.
 *
 * A calibration pairs the clock with CLOCK_MONOTONIC (for its frequency) and
 * with CLOCK_REALTIME (for its offset), once at the start and again at each command,
 * for a longer time gives a better frequency.
 *
 * CLOCK_BOOTTIME counts while the machine sleeps, and CLOCK_MONOTONIC does not: their
 * difference tells of each sleep. The frequency is measured over the spans in which the
 * machine was awake. During a sleep the TSC goes on, stops, or is reset, as the machine
 * has it; CLOCK_MONOTONIC stops. Where the clock did not go on, one description cannot
 * be right before the sleep and after it: the clock is *broken*, and the values after
 * the sleep need another description.
 *
 * clock_read() is for any thread and for signal handlers; a calibration is
 * its owner's alone.
 */
#ifndef COMMON_BASE_CLOCK_H
#define COMMON_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/abi.h>

/* A timestamp this far ahead of now may be another CPU's; further is wrong. */
#define CLOCK_SLACK (UINT64_C(1) << 32)

/*
 * Which clock: `wanted` is "tsc", "monotonic", or NULL or "auto" for the TSC
 * where the kernel itself trusts it, else CLOCK_MONOTONIC. 0 or -errno:
 * -EINVAL no such name, -EOPNOTSUPP this machine has no TSC.
 */
int clock_choose(const char *wanted, enum lttngmap_clock *clock);
/* "tsc" or "monotonic". */
const char *clock_name(enum lttngmap_clock clock);

/* The same 64-bit value that writers cut to 48 bits. */
uint64_t clock_read(enum lttngmap_clock clock);

/* The clocks at one instant. */
struct clock_sample {
	uint64_t clock;
	uint64_t monotonic; /* ns */
	uint64_t realtime;  /* ns since 1970 */
	uint64_t boottime;  /* ns */
};

struct clock_calibration {
	enum lttngmap_clock clock;
	struct clock_sample first; /* whose time of day the offset keeps */
	struct clock_sample awake; /* the machine has not slept from here … */
	struct clock_sample last;  /* … to here */
	uint64_t ticks;            /* of the clock, in all awake spans before … */
	uint64_t ns;               /* … which had so many of CLOCK_MONOTONIC */
};

enum clock_change {
	CLOCK_STEADY,
	CLOCK_SLEPT, /* broken: it did not go on while the machine slept, or jumped */
	CLOCK_RESET, /* broken: it went back */
};

/* A clock as CTF describes it: time = offset_s + (offset + value) / frequency. */
struct clock_description {
	enum lttngmap_clock clock;
	uint64_t frequency; /* Hz, never 0 */
	int64_t offset_s;
	uint64_t offset; /* ticks, less than frequency */
};

/* Takes the first samples; some 10 ms for the TSC, no time otherwise. */
void clock_calibration_start(struct clock_calibration *calibration, enum lttngmap_clock clock);
/*
 * Measure up to now: the later, the more exact. Unless it is CLOCK_STEADY the calibration
 * stays what it was, and describes the values from before, until it is restarted.
 */
enum clock_change clock_calibration_update(struct clock_calibration *calibration);
/* The same by a sample that was taken; for tests. */
enum clock_change clock_calibration_add(struct clock_calibration *calibration,
					const struct clock_sample *now);
/* The clock is broken: describe the values from now on. The frequency is kept. */
void clock_calibration_restart(struct clock_calibration *calibration);
void clock_calibration_restart_at(struct clock_calibration *calibration,
				  const struct clock_sample *now);
/* The latest possible value of the clock before it was broken. */
uint64_t clock_calibration_latest(const struct clock_calibration *calibration);
/*
 * The frequency over all awake spans so far. The offset is such that the first
 * sample keeps its time of day: a later description moves no earlier event
 * by more than the error of the frequency.
 */
void clock_calibration_describe(const struct clock_calibration *calibration,
				struct clock_description *description);

#endif /* COMMON_BASE_CLOCK_H */
