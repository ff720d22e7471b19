/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* shell-quote.h - a word of a command that a person is to type, whatever is in it. Any thread. */
#ifndef LTTNGMAP_CLI_BASE_SHELL_QUOTE_H
#define LTTNGMAP_CLI_BASE_SHELL_QUOTE_H

/*
 * The text as one word of a shell's: as it is, or in quotes where it needs them. The caller's to
 * free; NULL: no memory.
 */
char *shell_quote(const char *text);

#endif /* LTTNGMAP_CLI_BASE_SHELL_QUOTE_H */
