/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* left-recordings.h - the runtime directories that this user's daemons left when they were killed.
 */
#ifndef CLI_CLIENT_LEFT_RECORDINGS_H
#define CLI_CLIENT_LEFT_RECORDINGS_H

#include <stdbool.h>
#include <stddef.h>

#define LEFT_STATE "ledger"
#define LEFT_STATE_OLD "ledger.old"

/* Calls `each` for each directory in /tmp of a recording that goes on, or was killed. */
void left_recordings_each(void (*each)(const char *directory, void *data), void *data);
/*
 * Finds the runtime or ring directory of the daemon that was killed while it recorded into the
 * trace's directory `trace`, or a directory above. False: there is none.
 */
bool left_recordings_find(const char *trace, char *directory, size_t size);
/* Reports that the recording of `trace` was killed, if it was, and how to recover it. */
bool left_recordings_tell(const char *verb, const char *trace);

#endif /* CLI_CLIENT_LEFT_RECORDINGS_H */
