/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * events.c - a program that traces itself and says what that cost. Built once
 * for each tracer of tracer.h; run.sh runs them in turn and compares.
 *
 *   events mean THREADS EVENTS   CPU time of an event, mean
 *   events single EVENTS         of one at a time: median, 99.9th percentile
 *   events cold EVENTS           of one at a time, each after the caches held
 *                                something else: median
 *   events text EVENTS           CPU time of an event with a string of 11 characters, mean
 *   events keys EVENTS           CPU time of an event whose int has 64 values, mean
 *   events off ITERATIONS        of a loop with an event that is off in it;
 *                                of such events, 16 in a row, less the loop
 *   events footprint             what /proc says of the process
 *   events fork TIMES            from fork() to the end of the child: median, of one that writes
 *                                no event, and of one that writes one
 *   events block MIB RATE        emit MIB mebibytes, RATE of them a second
 *   events wait                  say so, then wait for the end of the input
 *
 * Prints lines "NAME VALUE UNIT". Events of less CPU time than 20 ms all told
 * are too few.
 */
#include <dirent.h>
#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "tests/bench/tracer.h"

/* Both rings of the kind that run.sh makes are full before time is taken. */
#define WARM_UP_EVENTS 300000
#define THREADS_MAX 64
/* More than the last cache of most machines that one would build on. */
#define EVICT_SIZE (48 << 20)

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static long number(const char *text)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (value <= 0 || *end)
		errx(2, "'%s' is no number above 0", text);
	return value;
}

static void print(const char *name, double value, const char *unit)
{
	printf("%s %.3f %s\n", name, value, unit);
}

static void pin(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) != 0)
		err(1, "cannot run on CPU %d", cpu);
}

static void emit_pairs(long events)
{
	for (long i = 0; i < events; i++)
		event_pair((int)i, i);
}

static void warm_up(void)
{
	if (!pair_is_on())
		errx(1, "bench:pair is not on: is there a daemon, and a session that takes it?");
	emit_pairs(WARM_UP_EVENTS);
}

/* ---- mean ------------------------------------------------------------------ */

struct runner {
	pthread_t thread;
	pthread_barrier_t *start;
	int cpu;
	long events;
	double ns; /* of CPU time, an event */
};

static void *run(void *data)
{
	struct runner *runner = data;
	double begin = 0;

	pin(runner->cpu);
	warm_up();
	pthread_barrier_wait(runner->start);
	begin = seconds(CLOCK_THREAD_CPUTIME_ID);
	emit_pairs(runner->events);
	runner->ns = (seconds(CLOCK_THREAD_CPUTIME_ID) - begin) * 1e9 / (double)runner->events;
	return NULL;
}

static void measure_mean(long threads, long events)
{
	static struct runner runners[THREADS_MAX];
	pthread_barrier_t start;
	double sum = 0;
	int error;

	if (threads > THREADS_MAX)
		errx(2, "at most %d threads", THREADS_MAX);
	pthread_barrier_init(&start, NULL, (unsigned)threads);
	for (long i = 0; i < threads; i++) {
		runners[i] = (struct runner){
			.start = &start,
			.cpu = (int)(i % sysconf(_SC_NPROCESSORS_ONLN)),
			.events = events,
		};
		error = pthread_create(&runners[i].thread, NULL, run, &runners[i]);
		if (error)
			errx(1, "cannot make a thread: %s", strerror(error));
	}
	for (long i = 0; i < threads; i++) {
		pthread_join(runners[i].thread, NULL);
		sum += runners[i].ns;
	}
	pthread_barrier_destroy(&start);
	print("mean", sum / (double)threads, "ns");
}

/* ---- one at a time --------------------------------------------------------- */

/* Time around what is between two of these is that of it alone. */
static inline __attribute__((always_inline)) uint64_t ticks_in_order(void)
{
	uint64_t ticks;

	_mm_lfence();
	ticks = __rdtsc();
	_mm_lfence();
	return ticks;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static double tick_ns(void)
{
	double begin = seconds(CLOCK_MONOTONIC);
	uint64_t ticks = __rdtsc();

	while (seconds(CLOCK_MONOTONIC) - begin < 0.01)
		continue;
	return (seconds(CLOCK_MONOTONIC) - begin) * 1e9 / (double)(__rdtsc() - ticks);
}

static void evict(void)
{
	static unsigned char *memory;
	unsigned sum = 0;

	if (!memory) {
		memory = malloc(EVICT_SIZE);
		if (!memory)
			err(1, "no memory");
		memset(memory, 1, EVICT_SIZE);
	}
	for (size_t i = 0; i < EVICT_SIZE; i += 64)
		sum += memory[i];
	__asm__ volatile("" : : "r"(sum));
}

static void measure_text(long events)
{
	/* No compiler knows its length. */
	char text[] = "eleven char";
	double begin = 0;

	pin(0);
	if (!text_is_on())
		errx(1, "bench:text is not on");
	for (long i = -WARM_UP_EVENTS; i < events; i++) {
		if (i == 0)
			begin = seconds(CLOCK_THREAD_CPUTIME_ID);
		__asm__ volatile("" : : "r"(text) : "memory");
		event_text(i, text);
	}
	print("text", (seconds(CLOCK_THREAD_CPUTIME_ID) - begin) * 1e9 / (double)events, "ns");
}

static void measure_keys(long events)
{
	double begin = 0;

	pin(0);
	if (!pair_is_on())
		errx(1, "bench:pair is not on");
	for (long i = -WARM_UP_EVENTS; i < events; i++) {
		if (i == 0)
			begin = seconds(CLOCK_THREAD_CPUTIME_ID);
		event_pair((int)(i & 63) * 1009, i);
	}
	print("keys", (seconds(CLOCK_THREAD_CPUTIME_ID) - begin) * 1e9 / (double)events, "ns");
}

static void take_samples(uint32_t *samples, long count, bool emit, bool cold)
{
	for (long i = 0; i < count; i++) {
		uint64_t begin;

		if (cold)
			evict();
		begin = ticks_in_order();
		if (emit)
			event_pair((int)i, i);
		samples[i] = (uint32_t)(ticks_in_order() - begin);
	}
	qsort(samples, (size_t)count, sizeof(*samples), compare);
}

static void measure_single(long count, bool cold)
{
	uint32_t *samples = calloc((size_t)count, sizeof(*samples));
	double tick = tick_ns(), empty;

	if (!samples)
		err(1, "no memory");
	pin(0);
	warm_up();
	take_samples(samples, count, false, cold);
	empty = samples[count / 2];
	take_samples(samples, count, true, cold);
	print(cold ? "cold" : "median", (samples[count / 2] - empty) * tick, "ns");
	if (!cold)
		print("p99.9", (samples[count - 1 - count / 1000] - empty) * tick, "ns");
	free(samples);
}

/* ---- off ------------------------------------------------------------------- */

/*
 * One event in a loop is hidden behind the loop's own branch; 16 in a row are
 * not. These are eight events, twice: where the words of one lie decides what it
 * costs (doc/design/figures.md). All are aligned, so that they are fetched alike.
 */
#define BARRIER(i) __asm__ volatile("" : : "r"(i) : "memory")
#define EVENT_OF_ROW(which, i)                                                                     \
	do {                                                                                       \
		BARRIER(i);                                                                        \
		event_row(which, (int)(i), i);                                                     \
	} while (0)

#define EIGHT_IN_A_ROW(i)                                                                          \
	do {                                                                                       \
		EVENT_OF_ROW(0, i);                                                                \
		EVENT_OF_ROW(1, i);                                                                \
		EVENT_OF_ROW(2, i);                                                                \
		EVENT_OF_ROW(3, i);                                                                \
		EVENT_OF_ROW(4, i);                                                                \
		EVENT_OF_ROW(5, i);                                                                \
		EVENT_OF_ROW(6, i);                                                                \
		EVENT_OF_ROW(7, i);                                                                \
	} while (0)

static __attribute__((noinline, aligned(64))) void loop_with_one(long iterations)
{
	for (long i = 0; i < iterations; i++)
		EVENT_OF_ROW(0, i);
}

static __attribute__((noinline, aligned(64))) void loop_with_16(long iterations)
{
	for (long i = 0; i < iterations; i++) {
		EIGHT_IN_A_ROW(i);
		EIGHT_IN_A_ROW(i);
	}
}

static __attribute__((noinline, aligned(64))) void loop_with_none(long iterations)
{
	for (long i = 0; i < iterations; i++)
		BARRIER(i);
}

static double time_loop(void (*loop)(long), long iterations)
{
	double begin = seconds(CLOCK_THREAD_CPUTIME_ID);

	loop(iterations);
	return (seconds(CLOCK_THREAD_CPUTIME_ID) - begin) * 1e9 / (double)iterations;
}

static void measure_off(long iterations)
{
	double none;

	time_loop(loop_with_16, iterations / 16);
	none = time_loop(loop_with_none, iterations);
	print("loop", time_loop(loop_with_one, iterations), "ns");
	print("row", (time_loop(loop_with_16, iterations / 16) - none) / 16, "ns");
}

/* ---- what the process is made of ------------------------------------------- */

/* The sum of the numbers that lines of /proc/self/FILE have after `key`. */
static long sum_of(const char *file, const char *key)
{
	char path[64], line[4096];
	long sum = 0;
	FILE *stream;

	snprintf(path, sizeof(path), "/proc/self/%s", file);
	stream = fopen(path, "re");
	if (!stream)
		err(1, "cannot open %s", path);
	while (fgets(line, sizeof(line), stream)) {
		if (strncmp(line, key, strlen(key)) == 0)
			sum += strtol(line + strlen(key), NULL, 10);
	}
	fclose(stream);
	return sum;
}

static long count_fds(void)
{
	DIR *directory = opendir("/proc/self/fd");
	long count = -3; /* ".", ".." and the directory itself */

	if (!directory)
		err(1, "cannot open /proc/self/fd");
	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

static void show_footprint(void)
{
	emit_pairs(1000);
	print("threads", (double)sum_of("status", "Threads:"), "threads");
	print("fds", (double)count_fds(), "descriptors");
	print("space", (double)sum_of("status", "VmSize:") / 1024, "MiB");
	print("resident", (double)sum_of("smaps_rollup", "Rss:"), "KiB");
	print("shared", (double)sum_of("status", "RssShmem:"), "KiB");
}

/* ---- much ------------------------------------------------------------------ */

/* In bursts of a quarter mebibyte, so that a sub-buffer fills at a steady pace. */
static double time_fork(bool emit)
{
	double begin = seconds(CLOCK_MONOTONIC);
	pid_t child = fork();
	int status;

	if (child < 0)
		err(2, "cannot fork");
	if (child == 0) {
		if (emit)
			emit_pairs(1);
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status != 0)
		errx(2, "the child failed");
	return (seconds(CLOCK_MONOTONIC) - begin) * 1e6;
}

static int compare_times(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure_fork(long times)
{
	double *us = calloc((size_t)times, sizeof(*us));

	if (!us)
		err(2, "no memory");
	for (int emit = 0; emit <= 1; emit++) {
		for (long i = 0; i < times; i++)
			us[i] = time_fork(emit);
		qsort(us, (size_t)times, sizeof(*us), compare_times);
		print(emit ? "fork_event" : "fork", us[times / 2], "us");
	}
	free(us);
}

static void emit_blocks(long mib, long rate)
{
	const long burst = (256 << 10) / BLOCK_SIZE;
	static uint8_t bytes[BLOCK_SIZE];
	struct timespec next;

	if (!block_is_on())
		errx(1, "bench:block is not on: is there a daemon, and a session that takes it?");
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (long i = 0; i < mib * 4; i++) {
		for (long j = 0; j < burst; j++) {
			bytes[j % BLOCK_SIZE]++;
			event_block(bytes);
		}
		next.tv_nsec += 1000000000 / (rate * 4);
		if (next.tv_nsec >= 1000000000) {
			next.tv_nsec -= 1000000000;
			next.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
}

static void wait_for_end(long events)
{
	char byte;

	emit_pairs(events);
	event_off(0, 0);
	puts("waiting 1 process");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		continue;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "mean") == 0 && argc == 4)
		measure_mean(number(argv[2]), number(argv[3]));
	else if (strcmp(what, "single") == 0 && argc == 3)
		measure_single(number(argv[2]), false);
	else if (strcmp(what, "cold") == 0 && argc == 3)
		measure_single(number(argv[2]), true);
	else if (strcmp(what, "text") == 0 && argc == 3)
		measure_text(number(argv[2]));
	else if (strcmp(what, "keys") == 0 && argc == 3)
		measure_keys(number(argv[2]));
	else if (strcmp(what, "off") == 0 && argc == 3)
		measure_off(number(argv[2]));
	else if (strcmp(what, "footprint") == 0)
		show_footprint();
	else if (strcmp(what, "fork") == 0 && argc == 3)
		measure_fork(number(argv[2]));
	else if (strcmp(what, "block") == 0 && argc == 4)
		emit_blocks(number(argv[2]), number(argv[3]));
	else if (strcmp(what, "wait") == 0)
		wait_for_end(argc == 3 ? number(argv[2]) : 0);
	else
		errx(2, "usage: see the head of tests/bench/events.c");
	return 0;
}
