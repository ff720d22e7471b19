/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A program under the control of a script: a round of events, one of each
 * class, for each line of standard input, after which it says "round".
 */
#include <stdio.h>

#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(levels, error, LTTNGMAP_LOGLEVEL_ERR, (integer, int, round));
LTTNGMAP_TRACEPOINT(levels, info, LTTNGMAP_LOGLEVEL_INFO, (integer, int, round));
LTTNGMAP_TRACEPOINT(levels, debug, LTTNGMAP_LOGLEVEL_DEBUG, (integer, int, round));
LTTNGMAP_TRACEPOINT(other, event, LTTNGMAP_LOGLEVEL_DEBUG_LINE, (string, text));

int main(void)
{
	char line[80];

	for (int round = 0; fgets(line, sizeof(line), stdin); round++) {
		lttngmap_tracepoint(levels, error, round);
		lttngmap_tracepoint(levels, info, round);
		lttngmap_tracepoint(levels, debug, round);
		lttngmap_tracepoint(other, event, line);
		puts("round");
		fflush(stdout);
	}
	return 0;
}
