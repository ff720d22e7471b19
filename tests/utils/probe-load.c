/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * probe-load N: N calls of functions that a test probes, load_work(0, "even"),
 * load_work(1, "odd"), ...; prints its process id first, and what they returned at
 * its end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

long load_work(long number, const char *text);
long load_twin(long number);
void load_steps(void);
long load_data = 3;

/* Places behind a function's begin that are known: each step has 4 bytes at most. */
#if defined(__x86_64__)
__asm__(".text\n"
	".globl load_steps\n"
	".type load_steps, @function\n"
	"load_steps: nop; nop; nop; nop; ret\n"
	".size load_steps, . - load_steps\n");
#else
__asm__(".text\n"
	".globl load_steps\n"
	".type load_steps, %function\n"
	"load_steps: nop; ret\n"
	".size load_steps, . - load_steps\n");
#endif

__attribute__((noinline)) long load_work(long number, const char *text)
{
	__asm__ volatile("" ::: "memory");
	return number * 3 - text[0];
}

/* There is another one of that name. */
__attribute__((noinline)) static long twin(long number)
{
	__asm__ volatile("" ::: "memory");
	return number + load_data;
}

int main(int argc, char **argv)
{
	/* Nothing is known of it where it is called: it is called as it stands. */
	long (*volatile work)(long, const char *) = load_work;
	long count = argc > 1 ? atol(argv[1]) : 0, sum = 0;

	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (long i = 0; i < count; i++) {
		sum += work(i, i % 2 ? "odd" : "even") + twin(i) + load_twin(i);
		load_steps();
	}
	printf("%ld\n", sum);
	return 0;
}
