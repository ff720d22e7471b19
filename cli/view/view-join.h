/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view-join.h - copies a trace with more streams than can be open at once into fewer streams.
 *
 * Babeltrace keeps all streams open and mapped from beginning to end. A session with many short
 * programs has some hundred thousand streams, of which few overlap in time. So streams that follow
 * one another are joined into one stream with another instance id. Each packet names its process.
 * Packet numbers and counts of discarded events continue where the stream before ended, so readers
 * find the same losses. The files that remain are as many as streams overlap at any time.
 */
#ifndef CLI_VIEW_VIEW_JOIN_H
#define CLI_VIEW_VIEW_JOIN_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/view/stream-check.h"

/*
 * True if there are more streams than can be open, or enough to make reading slow, and few of them
 * overlap. `files` is sorted by stream, instance and time.
 */
bool view_join_is_needed(const struct stream_file *files, size_t count);
/* Copies the sound packets of these files from folder `from` to folder `to`. 0 or -errno. */
int view_join(const char *from, const char *to, const struct stream_file *files, size_t count);

#endif /* CLI_VIEW_VIEW_JOIN_H */
