/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-back.h - reading backward over a ring, from the newest packet to the
 * oldest that is still there, and leaving it as it is: for snapshots.
 *
 *   sub-buffers   q-3     q-2     q-1     q, up to the position of now
 *   given as       4th     3rd     2nd     1st
 *
 * Writers go on meanwhile and overwrite the oldest. The reader copies each packet,
 * then checks the copy (ring_reader_is_intact). The first packet that was overwritten ends the
 * reading, as all older ones are gone, too. So the copies have no gap. A full sub-buffer's entry in
 * the table is exchanged before anything of it is written, its descriptor too: an entry that is the
 * same afterwards means that the descriptor read in between was the sub-buffer's.
 *
 * Changes nothing in the ring, and nothing in the reader but its accounts.
 */
#ifndef SESSIOND_RING_RING_BACK_H
#define SESSIOND_RING_RING_BACK_H

#include "sessiond/ring/ring-reader.h"

/* All zeros: at the newest. */
struct ring_back {
	bool begun;
	struct ring_commit commit; /* of the moment when it began */
	uint64_t next;             /* the sub-buffer given last, or q + 1 */
};

/*
 * The next packet, an older one; its sequence number is its sub-buffer's, and
 * its `discarded` the ring's own count, of all that were never written.
 * 0; -EAGAIN: there is no older one; -EBADMSG: the ring is corrupt.
 */
int ring_back_take(struct ring_back *back, struct ring_reader *reader,
		   struct lttngmap_packet *packet, struct ring_lease *lease);

#endif /* SESSIOND_RING_RING_BACK_H */
