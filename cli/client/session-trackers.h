/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* session-trackers.h - `track` and `untrack`: which processes a session traces. */
#ifndef CLI_CLIENT_SESSION_TRACKERS_H
#define CLI_CLIENT_SESSION_TRACKERS_H

#include "cli/client/session-verb.h"

/* --pid, --uid, --gid, --name, and those of session_table. */
extern const struct poptOption session_trackers_table[];

/* A verb's run(): adds trackers, or removes them. `all`: every tracker. Returns the exit status. */
int session_trackers_run(const struct verb *verb, bool untrack, bool all, int argc);

#endif /* CLI_CLIENT_SESSION_TRACKERS_H */
