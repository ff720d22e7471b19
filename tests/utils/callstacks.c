/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Events at places in a program without frame pointers, and what backtrace(3), which is libgcc's
 * unwinder, has there: "PLACE ADDRESS...", from the caller of here() on. Of a library that is
 * loaded meanwhile, too: PROGRAM LIBRARY, which has call(function).
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lttngmap/tracepoint.h>

#define DEPTH 256
#define ALTERNATE_SIZE 65536

LTTNGMAP_TRACEPOINT(callstacks, here, LTTNGMAP_LOGLEVEL_INFO, (integer, int, place));

static volatile int depth_of_here; /* keeps calls from being the last thing that a function does */

static __attribute__((noinline)) void here(int place)
{
	void *addresses[DEPTH];
	int count;

	lttngmap_tracepoint(callstacks, here, place);
	count = backtrace(addresses, DEPTH);
	printf("%d", place);
	for (int i = 1; i < count; i++)
		printf(" %lu", (unsigned long)addresses[i]);
	printf("\n");
	fflush(stdout);
	depth_of_here++;
}

static __attribute__((noinline)) void recurse(int place, unsigned more)
{
	volatile char frame[16 + more % 5 * 24];

	frame[0] = (char)more;
	if (more)
		recurse(place, more - 1);
	else
		here(place);
	frame[0]++;
}

static void in_library(void)
{
	here(7);
	depth_of_here++;
}

static int compare(const void *a, const void *b)
{
	static int times;

	if (times++ == 0)
		here(3);
	return *(const int *)a - *(const int *)b;
}

static void on_signal(int number)
{
	here(number == SIGUSR1 ? 4 : 5);
	depth_of_here++;
}

static void *in_thread(void *unused)
{
	recurse(6, 10);
	return unused;
}

static __attribute__((noinline)) void handle_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	const stack_t alternate = { .ss_sp = malloc(ALTERNATE_SIZE), .ss_size = ALTERNATE_SIZE };

	sigaction(SIGUSR1, &action, NULL);
	sigaltstack(&alternate, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR1);
	raise(SIGUSR2);
}

int main(int argc, char **argv)
{
	int numbers[] = { 3, 1, 2 };
	void (*call)(void (*)(void));
	pthread_t thread;
	void *library, *first[2];

	backtrace(first, 2); /* loads libgcc_s */
	recurse(1, 5);
	recurse(2, 100);
	qsort(numbers, 3, sizeof(numbers[0]), compare);
	handle_signals();
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	call = library ? (void (*)(void (*)(void)))dlsym(library, "call") : NULL;
	if (call)
		call(in_library);
	if (fork() == 0) {
		recurse(8, 2);
		return 0;
	}
	wait(NULL);
	return call ? 0 : 1;
}
