/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/base/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/name.h"

static void (*before_line)(void);

void message_set_before(void (*before)(void))
{
	before_line = before;
}

static char first_error[1024], first_hint[1024];

static void remember(char *first, size_t size, const char *format, va_list arguments)
{
	va_list copy;

	if (first[0] != '\0')
		return;
	va_copy(copy, arguments);
	vsnprintf(first, size, format, copy);
	va_end(copy);
}

const char *message_first_error(void)
{
	return first_error;
}

const char *message_first_hint(void)
{
	return first_hint;
}

/* Writes each line by one call, so that lines of several processes do not mix. */
static void put_line(const char *prefix, const char *format, va_list arguments)
{
	char line[2048];
	int begin = snprintf(line, sizeof(line), "lttngmap: %s", prefix);
	int length = vsnprintf(line + begin, sizeof(line) - 1 - begin, format, arguments);

	if (length < 0)
		return;
	name_clean_line(line);
	strcat(line, "\n");
	if (before_line)
		before_line();
	fflush(stdout);
	fputs(line, stderr);
}

void message_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	remember(first_error, sizeof(first_error), format, arguments);
	put_line("", format, arguments);
	va_end(arguments);
}

void message_hint(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (first_error[0] != '\0')
		remember(first_hint, sizeof(first_hint), format, arguments);
	put_line("  ", format, arguments);
	va_end(arguments);
}

void message_note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	put_line("", format, arguments);
	va_end(arguments);
}

const char *message_plural(size_t count)
{
	return count == 1 ? "" : "s";
}

static FILE *output; /* NULL: stdout */

void message_set_output(FILE *stream)
{
	output = stream;
}

void message_line(const char *format, ...)
{
	va_list arguments;
	char *line;
	int length;

	va_start(arguments, format);
	length = vasprintf(&line, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	name_clean_line(line);
	fprintf(output ? output : stdout, "%s\n", line);
	free(line);
}

int message_flush_output(void)
{
	FILE *stream = output ? output : stdout;
	int error = 0;

	if (fflush(stream) != 0 || ferror(stream))
		error = errno ? errno : EIO;
	if (error == 0 || error == EPIPE)
		return 0;
	message_error("cannot write the output: %s", strerror(error));
	return -error;
}
