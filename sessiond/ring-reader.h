/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-reader.h - the reader's half of one ring, in the daemon.
 *
 * A full sub-buffer r is taken by exchanging its table entry {r, id, WRITING}
 * for {r, spare, FREE}: whoever wins, the reader or a writer that overwrites,
 * the other sees it by the sequence number in the entry. Below the position
 * everything is stable, so what stands in the current sub-buffer can be read
 * as a packet of its own without forcing a switch.
 *
 * The caller holds the ring set's mutex in all calls.
 */
#ifndef LTTNGMAP_RING_READER_H
#define LTTNGMAP_RING_READER_H

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/abi.h>
#include <lttngmap/ring-file.h>

/* What a ring set's rings have in common. */
struct ring_geometry {
	enum lttngmap_mode mode;
	enum lttngmap_clock clock;
	uint32_t subbuf_shift;
	uint32_t subbufs_shift;
	uint64_t begin; /* clock: no record is older */
};

/* One look at a ring's commit; both words of one record. */
struct ring_commit {
	uint64_t position;
	uint64_t timestamp; /* 48 bits */
	uint32_t count;
	uint64_t discards;
};

/* What the ring's counters came to; the set adds the differences to its totals. */
struct ring_account {
	uint64_t written;
	uint64_t discarded;
	uint64_t overwritten;
};

struct ring_reader {
	const struct ring_geometry *geometry;
	struct lttngmap_ring *ring;
	uint64_t seq;           /* the sub-buffer to read next */
	uint32_t offset;        /* what of it is read already */
	uint32_t spare;         /* id of the sub-buffer that is ours */
	uint64_t packets;       /* taken so far */
	uint64_t events;        /* records before (seq, offset), delivered or overwritten */
	uint64_t end;           /* clock: nothing later was given out */
	uint64_t discards;      /* as last given out */
	uint64_t discards_full; /* as the last full sub-buffer had it */
	uint64_t position;      /* as last seen */
	uint64_t lost_before;   /* discarded and overwritten before a skip */
	bool frozen;
	struct ring_commit limit; /* while frozen: no more than this is read */
	struct ring_account account;
	/* Why the ring was closed: the process spoiled it. NULL while it is good. */
	const char *spoiled;
};

void ring_reader_init(struct ring_reader *reader, const struct ring_geometry *geometry,
		      struct lttngmap_ring *ring);

/* How the packet that ring_reader_take() gave is to be released. */
struct ring_held {
	uint64_t seq;
	uint32_t id;
	bool swapped; /* ours until released: becomes the spare */
};

/*
 * The next packet of this ring: 0; -EAGAIN: none now; -EBADMSG: the ring is
 * spoiled, from this call on. `partial`: also from a sub-buffer that is not
 * full; that is implied while the ring is frozen.
 */
int ring_reader_take(struct ring_reader *reader, bool partial, struct lttngmap_packet *packet,
		     struct ring_held *held);
void ring_reader_release(struct ring_reader *reader, const struct ring_held *held);
/* Is the sub-buffer of that packet still the same one? */
bool ring_reader_is_intact(const struct ring_reader *reader, const struct ring_held *held);
/* Would take() give something? */
bool ring_reader_has_packet(struct ring_reader *reader);
/* Full sub-buffers that wait to be read. */
uint32_t ring_reader_waiting(struct ring_reader *reader);
/* Has anything happened in this ring since it was made? */
bool ring_reader_is_touched(const struct ring_reader *reader);

/*
 * Let go of all that stands below the position of now. Packets count their
 * losses from here on.
 */
void ring_reader_skip(struct ring_reader *reader);

void ring_reader_freeze(struct ring_reader *reader);
void ring_reader_thaw(struct ring_reader *reader);

#endif /* LTTNGMAP_RING_READER_H */
