/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * instrumented.c - a program whose functions are instrumented, that knows how
 * often it calls each of them: in four threads, by recursion, and from each
 * other. Prints a line "FUNCTION CALLS" for each, sorted.
 *
 *   instrumented [N]    N rounds in each thread; 20 if not given
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4

static unsigned long rounds_calls, fibonacci_calls, leaf_calls;

#define CALLED(function) __atomic_fetch_add(&function##_calls, 1, __ATOMIC_RELAXED)

__attribute__((noinline)) int leaf(int value);
__attribute__((noinline)) int fibonacci(int n);
__attribute__((noinline)) void *rounds(void *argument);

int leaf(int value)
{
	CALLED(leaf);
	return value;
}

int fibonacci(int n)
{
	CALLED(fibonacci);
	return n < 2 ? leaf(n) : fibonacci(n - 1) + fibonacci(n - 2);
}

void *rounds(void *argument)
{
	intptr_t sum = 0;

	CALLED(rounds);
	for (intptr_t left = (intptr_t)argument; left > 0; left--)
		sum += fibonacci(10);
	return (void *)sum;
}

int main(int argc, char **argv)
{
	intptr_t count = argc > 1 ? atoi(argv[1]) : 20;
	pthread_t threads[THREADS];

	for (int t = 0; t < THREADS; t++) {
		if (pthread_create(&threads[t], NULL, rounds, (void *)count))
			return 1;
	}
	for (int t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	printf("fibonacci %lu\nleaf %lu\nmain 1\nrounds %lu\n", fibonacci_calls, leaf_calls,
	       rounds_calls);
	return 0;
}
