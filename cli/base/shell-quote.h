/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* shell-quote.h - quotes a word for a shell's command line. Any thread. */
#ifndef CLI_BASE_SHELL_QUOTE_H
#define CLI_BASE_SHELL_QUOTE_H

/* The text as one word of a shell, quoted if necessary. The caller frees it. NULL: no memory. */
char *shell_quote(const char *text);

#endif /* CLI_BASE_SHELL_QUOTE_H */
