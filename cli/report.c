/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* report.c - messages to people. */
#include <config.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

static void (*before_line)(void);

void report_set_before(void (*before)(void))
{
	before_line = before;
}

/* One write a line, so that lines of several writers do not mix. */
static void report(const char *prefix, const char *format, va_list arguments)
{
	char line[2048];
	int begin = snprintf(line, sizeof(line), "lttngmap: %s", prefix);
	int length = vsnprintf(line + begin, sizeof(line) - 1 - begin, format, arguments);

	if (length < 0)
		return;
	for (char *c = line; *c; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	}
	strcat(line, "\n");
	if (before_line)
		before_line();
	fflush(stdout);
	fputs(line, stderr);
}

void report_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report("", format, arguments);
	va_end(arguments);
}

void report_hint(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report("  ", format, arguments);
	va_end(arguments);
}

void report_note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report("", format, arguments);
	va_end(arguments);
}

int report_flush_output(void)
{
	int error = 0;

	if (fflush(stdout) != 0 || ferror(stdout))
		error = errno ? errno : EIO;
	if (error == 0 || error == EPIPE)
		return 0;
	report_error("cannot write the output: %s", strerror(error));
	return -error;
}
