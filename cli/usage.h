/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* usage.h - what `lttngmap help VERB` and `lttngmap VERB --help` print. */
#ifndef CLI_USAGE_H
#define CLI_USAGE_H

#include <stdio.h>

#include "cli/base/verb.h"

#define USAGE_OPTION_HELP                                                                          \
	0x10000 /* popt's number of --help, larger than those in verbs' tables                     \
		 */

/* --help, which every verb has. */
extern const struct poptOption usage_help_table[];

void usage_print(const struct verb *verb, FILE *stream);

#endif /* CLI_USAGE_H */
