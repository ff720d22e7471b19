/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * message.h - what the command says to people, on stderr: what failed, on
 * what, and what to do about it. Every line begins with "lttngmap: ".
 *
 * One thread. Control characters in what is printed are shown as '?', for
 * file names and messages of others go through here.
 */
#ifndef LTTNGMAP_CLI_BASE_MESSAGE_H
#define LTTNGMAP_CLI_BASE_MESSAGE_H

#include <stddef.h>

#define MESSAGE_FORMAT(n) __attribute__((format(printf, n, n + 1)))

void message_error(const char *format, ...) MESSAGE_FORMAT(1);
void message_hint(const char *format, ...) MESSAGE_FORMAT(1);
void message_note(const char *format, ...) MESSAGE_FORMAT(1);

/*
 * The first error and the first hint after it, without "lttngmap: "; "": none
 * yet. For those who want one as data.
 */
const char *message_first_error(void);
const char *message_first_hint(void);

/* "s", or "" for 1. */
const char *message_plural(size_t count);
/* A line on stdout, likewise without control characters. */
void message_line(const char *format, ...) MESSAGE_FORMAT(1);

/*
 * Called before each line is written, to take a status line off the terminal;
 * NULL: none (as at the start).
 */
void message_set_before(void (*before)(void));

/* Flush stdout: 0, or -errno and said so; a reader that went away is 0. */
int message_flush_output(void);

#endif /* LTTNGMAP_CLI_BASE_MESSAGE_H */
