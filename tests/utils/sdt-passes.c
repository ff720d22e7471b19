/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sdt-passes - for each line on standard input passes its probes as often as that says, and
 * answers with a line: whether its code is what it was, and its semaphore. A thread comes by all
 * the time, and ends the program if it reckoned wrongly.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

unsigned short passes_line_semaphore __attribute__((section(".probes")));
unsigned short passes_step_semaphore __attribute__((section(".probes")));
extern const char __executable_start[], etext[];

static void *step(void *unused)
{
	for (uint64_t i = 0;; i++) {
		uint64_t sum = i * 3;
		double half = (double)(i & 1023) / 2;

		STAP_PROBE2(passes, step, sum, i);
		if (sum != i * 3 || half * 2 != (double)(i & 1023))
			_exit(1);
		if (i % 64 == 0)
			usleep(1000);
	}
	return unused;
}

static __attribute__((noinline)) void pass(long number)
{
	STAP_PROBE2(passes, line, number, (short)-number);
	__asm__ volatile("" ::: "memory");
}

int main(void)
{
	size_t size = (size_t)(etext - __executable_start);
	char *before = malloc(size), line[32];
	pthread_t thread;

	memcpy(before, __executable_start, size);
	pthread_create(&thread, NULL, step, NULL);
	while (fgets(line, sizeof(line), stdin)) {
		for (long i = 0; i < atol(line); i++)
			pass(i);
		printf("%s %d\n", memcmp(before, __executable_start, size) ? "changed" : "same",
		       passes_line_semaphore);
		fflush(stdout);
	}
	return 0;
}
