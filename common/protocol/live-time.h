/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * live-time.h - up to which time all of a trace is on disk, while it is recorded: the file
 * OUTPUT/ust/.live, which is there where somebody watches the trace from elsewhere.
 *
 * A reader that reads this file, and the indexes after it, finds all packets with events up
 * to `time`: events that come later are later, also those of streams that appear later.
 */
#ifndef COMMON_PROTOCOL_LIVE_TIME_H
#define COMMON_PROTOCOL_LIVE_TIME_H

#include <stdint.h>

#define LIVE_TIME_NAME ".live"
#define LIVE_TIME_MAGIC UINT64_C(0x6c6d2d6c69766574)

/* Written whole, in one write. */
struct live_time {
	uint64_t magic; /* LIVE_TIME_MAGIC; anything else: nothing is known */
	uint64_t time;  /* of the trace's clock, as packets have it */
	/*
	 * Not 0: nothing more is written before some of what waits has gone, whatever its time:
	 * the spool is full.
	 */
	uint64_t is_full;
};

#endif /* COMMON_PROTOCOL_LIVE_TIME_H */
