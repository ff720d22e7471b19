/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef LTTNGMAP_CLI_USAGE_H
#define LTTNGMAP_CLI_USAGE_H

#include "verbs.h"

/* The verb's usage. `help`: the options that every verb has. */
void usage_print(const struct verb *verb, const struct poptOption *help, FILE *stream);

#endif /* LTTNGMAP_CLI_USAGE_H */
