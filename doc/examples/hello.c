/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * hello.c - the smallest traced program.
 *
 *   cc -o hello hello.c -llttngmap
 *   lttngmap record -- ./hello 3
 *   lttngmap view
 */
#include <stdio.h>
#include <stdlib.h>

#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(hello, greet, LTTNGMAP_LOGLEVEL_INFO,
	(integer, int, number),
	(string, whom));

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < times; i++) {
		lttngmap_tracepoint(hello, greet, i, "world");
		puts("Hello, world!");
	}
	return 0;
}
