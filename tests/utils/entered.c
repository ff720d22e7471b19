/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * entered.c - a program for entries of functions, that knows how often it calls each of
 * them, and would notice were one of its registers not as it was at an entry.
 *
 *   entered [N]    N rounds; 20 if not given
 *
 * Prints a line "FUNCTION CALLS" for each, sorted; status 1: what a function got is not what
 * it was given.
 */
#include <immintrin.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define KEPT __attribute__((noinline))
#define CALLED(function) function##_calls++

static unsigned long checks_calls, fibonacci_calls, jumps_calls, leaf_calls, many_calls,
	rounds_calls, sum_calls, wide_calls;
static jmp_buf back;

KEPT int fibonacci(int n);
KEPT void jumps(int value);
KEPT int leaf(int value);
KEPT double many(int a, int b, int c, int d, int e, int f, int g, double h, double i, double j,
		 double k, double l, double m, double n, double o);
KEPT int rounds(int count);
KEPT double sum(int count, ...);
KEPT __attribute__((target("avx"))) __m256d wide(__m256d a, __m256d b);

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

double many(int a, int b, int c, int d, int e, int f, int g, double h, double i, double j, double k,
	    double l, double m, double n, double o)
{
	CALLED(many);
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k +
	       12 * l + 13 * m + 14 * n + 15 * o;
}

/* Whose caller says in %al how many vector registers there are. */
double sum(int count, ...)
{
	va_list arguments;
	double all = 0;

	CALLED(sum);
	va_start(arguments, count);
	while (count-- > 0)
		all += va_arg(arguments, double);
	va_end(arguments);
	return all;
}

void jumps(int value)
{
	CALLED(jumps);
	longjmp(back, value);
}

__m256d wide(__m256d a, __m256d b)
{
	CALLED(wide);
	return a - b;
}

/* Its upper halves are arguments, too; the compiler would leave them to nobody else. */
static __attribute__((target("avx"), noinline)) int checks(void)
{
	__m256d result;
	double values[4];

	CALLED(checks);
	result = wide(_mm256_set_pd(40, 30, 20, 10), _mm256_set_pd(4, 3, 2, 1));
	_mm256_storeu_pd(values, result);
	return values[0] == 9 && values[1] == 18 && values[2] == 27 && values[3] == 36;
}

int rounds(int count)
{
	volatile int all = 1;

	CALLED(rounds);
	for (; count > 0; count--) {
		volatile int left = count;

		all = all && fibonacci(10) == 55;
		all = all && many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) == 1240;
		all = all && sum(9, 1., 2., 3., 4., 5., 6., 7., 8., 9.) == 45;
		if (__builtin_cpu_supports("avx"))
			all = all && checks();
		if (setjmp(back) == 0)
			jumps(1);
		count = left;
	}
	return all;
}

int main(int argc, char **argv)
{
	int all = rounds(argc > 1 ? atoi(argv[1]) : 20);

	printf("checks %lu\nfibonacci %lu\njumps %lu\nleaf %lu\nmany %lu\nrounds %lu\nsum "
	       "%lu\nwide %lu\n",
	       checks_calls, fibonacci_calls, jumps_calls, leaf_calls, many_calls, rounds_calls,
	       sum_calls, wide_calls);
	return all ? 0 : 1;
}
