/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A program in a steady state: EVENTS events between the lines "begin" and
 * "end" on standard output, and no system call of its own in between. With
 * "wait" it then stays until its standard input ends.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lttngmap/tracepoint.h>

LTTNGMAP_TRACEPOINT(steady, event, LTTNGMAP_LOGLEVEL_INFO, (integer, int, number),
		    (string, text));

static int say(const char *line)
{
	return write(STDOUT_FILENO, line, strlen(line)) > 0;
}

int main(int argc, char **argv)
{
	int events = argc > 1 ? atoi(argv[1]) : 1000;
	char byte;

	lttngmap_tracepoint(steady, event, -1, "the first one reads the channel");
	say("begin\n");
	for (int i = 0; i < events; i++)
		lttngmap_tracepoint(steady, event, i, "one of many");
	say("end\n");
	while (argc > 2 && strcmp(argv[2], "wait") == 0 && read(STDIN_FILENO, &byte, 1) > 0)
		continue;
	return 0;
}
