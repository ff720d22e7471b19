/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * calls.c - a program of which entry and exit of each function are traced, or
 * not: it is built with -finstrument-functions and does not know.
 *
 *   calls N    call at least N functions, up to 32 deep
 *
 * Prints what a call cost, "call VALUE ns", CPU time; and a line "function NAME
 * ADDRESS CALLS" for each function.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOT_TRACED __attribute__((no_instrument_function))
#define DEPTH 16 /* of the tree, and again of what is below its leaves */

static uint64_t node_calls, chain_calls;

__attribute__((noinline)) int node(int depth);
__attribute__((noinline)) int chain(int depth);

int chain(int depth)
{
	chain_calls++;
	return depth > 1 ? chain(depth - 1) + 1 : 1;
}

int node(int depth)
{
	node_calls++;
	if (depth > 1)
		return node(depth - 1) + node(depth - 1);
	return node_calls % 1024 ? 1 : chain(DEPTH);
}

static NOT_TRACED double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

NOT_TRACED int main(int argc, char **argv)
{
	uint64_t least = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t warm;
	double begin;

	if (!least)
		errx(2, "usage: calls N");
	node(DEPTH); /* caches, rings and pages are warm */
	warm = node_calls + chain_calls;
	begin = seconds();
	while (node_calls + chain_calls < least)
		node(DEPTH);
	printf("call %.3f ns\n",
	       (seconds() - begin) * 1e9 / (double)(node_calls + chain_calls - warm));
	printf("function node %p %lu\nfunction chain %p %lu\n", (void *)node, node_calls,
	       (void *)chain, chain_calls);
	return 0;
}
