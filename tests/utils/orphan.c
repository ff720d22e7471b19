/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A program that registers its event, forks and ends. Its child, which nobody
 * knows yet, writes three events when a line comes on standard input.
 */
#include <stdio.h>
#include <unistd.h>

#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(orphan, event, LTTNGMAP_LOGLEVEL_INFO, (integer, int, number));

int main(void)
{
	char line[16];

	if (fork() != 0)
		return 0;
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	for (int i = 0; i < 3; i++)
		lttngmap_tracepoint(orphan, event, i);
	puts("done");
	return 0;
}
