/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * stream-repair.h - what of a stream file can be trusted after its writer
 * died at any moment: whole packets, and nothing beyond them.
 */
#ifndef CONSUMERD_TRACE_STREAM_REPAIR_H
#define CONSUMERD_TRACE_STREAM_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "common/record/packet-check.h"

/* Where a stream file ends, and what its last packet was. */
struct stream_tail {
	uint64_t size;          /* bytes, of whatever is in it */
	uint64_t packets;       /* whole ones */
	uint64_t next_sequence; /* the last packet's + 1; 0: there is none */
	uint64_t timestamp_end; /* the last packet's */
	uint64_t discarded;     /* its count */
	uint64_t cut;           /* bytes that were cut off */
	uint64_t lost; /* packets in the middle that cannot be read, as far as they are known */
	/* Their times, by the index; lost_end 0: unknown. Set where no packet is left. */
	uint64_t lost_begin, lost_end;
	bool is_index_rewritten;
	struct stream_fault fault; /* where `format` was given: the first of them */
};

enum stream_repair_how {
	STREAM_REPAIR_END, /* the index is believed if its last entry fits its packet */
	STREAM_REPAIR_ALL, /* each packet is looked at */
	/*
	 * Room in the file may have been used again (stream-circle.h). No packet was let go of
	 * before its entry was written: so there is what the index says, up to its last entry that
	 * fits, and whatever else is in the file stays there.
	 */
	STREAM_REPAIR_REUSED,
};

/*
 * Cut the stream file after its last whole packet and make the index say
 * what is left. Both descriptors can be read and written. Where a packet's header is damaged, the
 * next packet that both the index and the stream have follows: the packet before is made longer. So
 * it is where a packet does not follow the one before, or its records are not as `format` says,
 * unless that is NULL. Where no packet is left then, `lost` says how many there were, and the file
 * stays as it is.
 *
 * 0; -EEXIST: what is there is not of this trace, and was left as it is;
 * another -errno of the file system.
 */
int stream_repair(int stream_fd, int index_fd, const uint8_t uuid[CTF_UUID_SIZE],
		  enum stream_repair_how how, const struct stream_format *format,
		  struct stream_tail *tail);

#endif /* CONSUMERD_TRACE_STREAM_REPAIR_H */
