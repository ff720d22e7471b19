/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * message.h - messages to people, on stderr: what failed, on what, and what to do. Every line
 * begins with "lttngmap: ".
 *
 * One thread. Control characters are printed as '?', because messages contain file names and texts
 * of other programs.
 */
#ifndef CLI_BASE_MESSAGE_H
#define CLI_BASE_MESSAGE_H

#include <stddef.h>
#include <stdio.h>

#define MESSAGE_FORMAT(n) __attribute__((format(printf, n, n + 1)))

void message_error(const char *format, ...) MESSAGE_FORMAT(1);
void message_hint(const char *format, ...) MESSAGE_FORMAT(1);
void message_note(const char *format, ...) MESSAGE_FORMAT(1);

/* The first error, and the first hint after it, without "lttngmap: ". "": no error yet. */
const char *message_first_error(void);
const char *message_first_hint(void);

/* The plural's "s", or "" if `count` is 1. */
const char *message_plural(size_t count);
/* Where message_line() prints; NULL, as at the start: stdout. */
void message_set_output(FILE *stream);
/* Prints a line there, control characters as '?'. */
void message_line(const char *format, ...) MESSAGE_FORMAT(1);

/*
 * Sets a function that is called before each line, to clear a status line. NULL, as at the start:
 * none.
 */
void message_set_before(void (*before)(void));

/* Flushes that. 0, or -errno after a message; 0 if the reader closed the pipe. */
int message_flush_output(void);

#endif /* CLI_BASE_MESSAGE_H */
