/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sdt-toggle CYCLES - probes turned on and off again while threads, and a signal
 * handler, come by them without a pause. Ends with 1 if one of these reckoned
 * wrongly, if a byte of code is not what it was when all is off, or a semaphore.
 * In the end, 1000 times each with the probes on and off: toggle:last.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

#define THREADS 3
#define LAST 1000

unsigned short toggle_counted_semaphore __attribute__((section(".probes")));
unsigned short toggle_step_semaphore __attribute__((section(".probes")));
unsigned short toggle_tick_semaphore __attribute__((section(".probes")));
unsigned short toggle_last_semaphore __attribute__((section(".probes")));

static volatile bool is_over;
static volatile unsigned long ticks;

/* Everything is in registers and flags that the probe must leave alone. */
static __attribute__((noinline)) uint64_t step(uint64_t a, uint64_t b, double c)
{
	uint64_t sum = a * 3 + b;

	STAP_PROBE3(toggle, step, sum, a, (int)b);
	if (toggle_counted_semaphore)
		STAP_PROBE1(toggle, counted, b);
	return sum + (uint64_t)(c * 2.0);
}

static void *run(void *failed)
{
	for (uint64_t i = 0; !is_over; i++) {
		if (step(i, i ^ 7, (double)(i & 1023)) != i * 3 + (i ^ 7) + (i & 1023) * 2)
			__atomic_store_n((int *)failed, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void tick(int number)
{
	ticks++;
	STAP_PROBE2(toggle, tick, number, ticks);
}

static void last(long number)
{
	STAP_PROBE1(toggle, last, number);
	__asm__ volatile("" ::: "memory");
}

/* The program's code, as it was: all of its pages are compared. */
extern const char __executable_start[], etext[];
static char *before;

static void keep_code(void)
{
	before = malloc((size_t)(etext - __executable_start));
	memcpy(before, __executable_start, (size_t)(etext - __executable_start));
}

static bool is_code_the_same(void)
{
	return memcmp(before, __executable_start, (size_t)(etext - __executable_start)) == 0;
}

/* As a uprobe of the kernel's does when it ends: the file's byte, under an armed probe. */
static int put_nops(void)
{
	size_t size = (size_t)(etext - __executable_start);
	char *code = (char *)__executable_start;
	int count = 0;

	if (mprotect(code, (size + 4095) & ~4095ul, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return -1;
	for (size_t i = 0; i < size; i++) {
		if (code[i] == before[i])
			continue;
		code[i] = before[i];
		count++;
	}
	mprotect(code, (size + 4095) & ~4095ul, PROT_READ | PROT_EXEC);
	return count;
}

int main(int argc, char **argv)
{
	int (*choose)(const char *) =
		(int (*)(const char *))dlsym(RTLD_DEFAULT, "lttngmap_sdt_select");
	const struct itimerval interval = { { 0, 500 }, { 0, 500 } };
	long cycles = argc > 1 ? atol(argv[1]) : 100;
	pthread_t threads[THREADS];
	int failed = 0, armed = 0;

	if (!choose || choose("") != 0)
		return 2;
	keep_code();
	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &interval, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, &failed);
	for (long i = 0; i < cycles; i++) {
		armed = choose(i % 2 ? "toggle:*" : "toggle:step,toggle:c*");
		if (armed < 2 || choose("") != 0 || !is_code_the_same())
			failed |= 2;
	}
	is_over = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	setitimer(ITIMER_REAL, &(const struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL);
	for (long i = 0; i < 2 * LAST; i++) {
		if (i % 2 && choose("toggle:last") != 1)
			failed |= 4;
		last(i);
		if (i % 2 && choose("") != 0)
			failed |= 4;
	}
	armed = choose("toggle:*");
	if (armed != 4 || put_nops() != 4 || choose("toggle:*") != 4 || is_code_the_same() ||
	    toggle_step_semaphore != 1 || step(1, 2, 3) != 11 || choose("") != 0)
		failed |= 16;
	if (toggle_counted_semaphore || toggle_step_semaphore || toggle_tick_semaphore ||
	    toggle_last_semaphore)
		failed |= 8;
	printf("%d after %ld cycles, %lu ticks\n", failed, cycles, ticks);
	return failed != 0;
}
