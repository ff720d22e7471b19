/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view-join.h - a trace of more streams than can be open at once, copied into fewer.
 *
 * Babeltrace has all streams open, and mapped, from the beginning to the end. A session of many
 * short programs leaves some hundred thousand, of which few overlap in time. So streams that follow
 * one another become one, of another instance id: its packets say by themselves which process they
 * are of. Packet numbers and counts of discarded events go on where the stream before ended, so
 * that a reader finds the same losses. There are as many files then as streams that overlap at any
 * time.
 */
#ifndef LTTNGMAP_CLI_VIEW_VIEW_JOIN_H
#define LTTNGMAP_CLI_VIEW_VIEW_JOIN_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/view/stream-check.h"

/*
 * Are there more streams than can be open, or so many that reading is slow, few of which overlap?
 * Files are in order of stream, instance and time.
 */
bool view_join_is_needed(const struct stream_file *files, size_t count);
/* Copy the sound packets of these files, which are in folder `from`, into the folder `to`. 0 or
 * -errno. */
int view_join(const char *from, const char *to, const struct stream_file *files, size_t count);

#endif /* LTTNGMAP_CLI_VIEW_VIEW_JOIN_H */
