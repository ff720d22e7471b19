/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */

#include "cli/base/shell-quote.h"

#include <stdlib.h>
#include <string.h>

#define PLAIN                                                                                      \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"                           \
	"/._-+:,=@%"

char *shell_quote(const char *text)
{
	/* A quote becomes four bytes. */
	char *quoted = malloc(strlen(text) * 4 + 3), *at = quoted;

	if (!quoted)
		return NULL;
	if (text[0] && text[strspn(text, PLAIN)] == '\0')
		return strcpy(quoted, text);
	*at++ = '\'';
	for (; *text; text++) {
		if (*text == '\'')
			at = stpcpy(at, "'\\''");
		else
			*at++ = *text;
	}
	strcpy(at, "'");
	return quoted;
}
