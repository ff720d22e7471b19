/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * relay-journal.h - the sender's journal of a trace: for each stream, how many packets and
 * bytes the collector has confirmed. A spool's journal is OUTPUT/ust/.relayed, and likewise in
 * kernel/ and in each chunk. It is an array of records; the record of a stream that is gone may
 * be reused. Only the sender writes it.
 *
 * The consumer of a spool reads it: it overwrites confirmed packets within the first
 * RELAY_CIRCLE_SIZE bytes of a stream's file (consumerd/stream/stream-circle.h). The sender gives
 * the confirmed rest back to the file system. So neither touches bytes that the other may be
 * using.
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
