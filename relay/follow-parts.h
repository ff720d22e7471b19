/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * follow-parts.h - what the files of a followed trace share:
 *
 *   follow.c          its folder, and the streams in it
 *   follow-files.c    what stands in a stream's files, and in the metadata
 *   follow-journal.c  how far they were sent, on disk
 *   follow-ended.c    streams that have ended
 */
#ifndef RELAY_FOLLOW_PARTS_H
#define RELAY_FOLLOW_PARTS_H

#include "relay/follow.h"

/* A stream that is not there yet; NULL: no memory. */
struct follow_stream *follow_add(struct follow *follow, const char *name);

/*
 * Two senders of the same trace to the same collector are one too many, and while one sends a
 * spool, which it removes, so is any other: -EBUSY. Adds the streams that the journals name.
 */
int follow_open_journals(struct follow *follow, const char *collector);
void follow_close_journals(struct follow *follow);
/* The stream is no more, and its record free for another one. */
void follow_empty_record(struct follow *follow, const struct follow_stream *stream);

#endif /* RELAY_FOLLOW_PARTS_H */
