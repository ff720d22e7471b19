/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * session-rules.h - `disable` and `remove`: choose rules of a channel and send a request for each.
 */
#ifndef CLI_CLIENT_SESSION_RULES_H
#define CLI_CLIENT_SESSION_RULES_H

#include "cli/client/session-verb.h"

/* -a, --id, and those of session_channel_table. */
extern const struct poptOption session_rules_table[];

/* A verb's run(): disables rules, or removes them. Returns the exit status. */
int session_rules_run(const struct verb *verb, bool disable, int argc, const char **argv);

#endif /* CLI_CLIENT_SESSION_RULES_H */
