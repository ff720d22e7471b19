/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * relay-journal.h - what who sends a trace away notes of each of its streams, beside them: how
 * much of it its collector has for good. Of a spool, the file OUTPUT/ust/.relayed, likewise in
 * kernel and in each chunk: an array of records, each in a place of its own; that of a stream that
 * is gone may become another's. Only who sends writes there.
 *
 * Who writes a spool goes by it: the room of packets that the collector has is written anew, up
 * to RELAY_CIRCLE_SIZE of a stream's file (consumerd/stream/stream-circle.h). What lies behind that
 * is written once, and who sends gives it back to the file system. So neither touches what the
 * other one may be using.
 */
#ifndef COMMON_PROTOCOL_RELAY_JOURNAL_H
#define COMMON_PROTOCOL_RELAY_JOURNAL_H

#include <limits.h>
#include <stdint.h>

#define RELAY_JOURNAL_NAME ".relayed"

/* Bytes; on a machine nearby 1 to 3 MiB are on the way. */
#define RELAY_CIRCLE_SIZE (UINT64_C(8) << 20)

struct relay_journal_record {
	char name[NAME_MAX + 1]; /* the stream's file; "": there is none */
	uint64_t confirmed;      /* packets that the collector has, from the first on */
	uint64_t bytes;          /* of these */
	uint64_t inode;          /* of the index that they are of */
};

_Static_assert(sizeof(struct relay_journal_record) == 280, "it is on disk");

#endif /* COMMON_PROTOCOL_RELAY_JOURNAL_H */
