/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filtered EVENTS: what filters are tried on. EVENTS events of each of two
 * classes, then the line "emitted"; a line later as many more, and so on until
 * its input ends.
 */
#include <stdio.h>
#include <stdlib.h>

#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(filtered, numbers, LTTNGMAP_LOGLEVEL_INFO, (integer, int, number),
		    (integer, uint64_t, wide), (string, text), (sequence, int16_t, list));
LTTNGMAP_TRACEPOINT(filtered, plain, LTTNGMAP_LOGLEVEL_INFO, (integer, int, number),
		    (integer, uint64_t, wide), (string, text));

int main(int argc, char **argv)
{
	int events = argc > 1 ? atoi(argv[1]) : 1000;
	int number = 0;

	do {
		for (int end = number + events; number < end; number++) {
			int16_t list[] = { (int16_t)(number % 7), (int16_t)(number % 13) };
			uint64_t wide = 2 * (uint64_t)number;
			char text[16];

			snprintf(text, sizeof(text), "%c%d", number % 2 ? 'n' : 'm', number);
			lttngmap_tracepoint(filtered, numbers, number, wide, text, list, 2);
			lttngmap_tracepoint(filtered, plain, number, wide, text);
		}
		puts("emitted");
		fflush(stdout);
	} while (getchar() != EOF);
	return 0;
}
