/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-reader.h - the reader's half of one ring, in the daemon.
 *
 *   ring-reader.c    makes a reader, tells what is unread, moves its ends
 *   ring-take.c      takes sub-buffers
 *   ring-undo.c      puts back what a killed daemon left half done
 *   ring-back.c      reads backward (ring-back.h)
 *
 * A full sub-buffer r is taken by exchanging its table entry {r, id, WRITING}
 * for {r, reader sub-buffer, FREE}: whoever wins, the reader or a writer that overwrites,
 * the other sees it by the sequence number in the entry. Where nobody overwrites,
 * a reader may leave {r, id, WRITING} there while it reads, and make it {r, id, FREE}
 * then. Below the position everything is stable, so the records in the current sub-buffer can
 * be read as a packet of its own without forcing a switch.
 *
 * The caller holds the ring set's mutex in all calls.
 *
 * A reader can be killed with its daemon at any instant and go on in the restarted daemon, where it
 * lies in memory that outlives it (doc/design/surviving.md). ring_undo_begin() copies aside what
 * take() and release() are about to change; a copy that is in force when the restarted daemon
 * begins is put back by ring_undo_restore().
 */
#ifndef SESSIOND_RING_RING_READER_H
#define SESSIOND_RING_RING_READER_H

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/abi.h>
#include <lttngmap/ring-file.h>

#include "sessiond/ring/ring-totals.h"

/* Properties that all rings of a set share. */
struct ring_geometry {
	enum lttngmap_mode mode;
	enum lttngmap_clock clock;
	uint32_t subbuf_shift;
	uint32_t subbufs_shift;
	uint64_t begin; /* clock: no record is older */
	bool past;      /* rings of another time: the clock says nothing of them now */
};

/* One look at a ring's commit; both words of one record. */
struct ring_commit {
	uint64_t position;
	uint64_t timestamp; /* 48 bits */
	uint32_t count;
	uint64_t discards;
};

struct ring_undo;

struct ring_reader {
	const struct ring_geometry *geometry;
	struct lttngmap_ring *ring;
	uint64_t seq;           /* the sub-buffer to read next */
	uint32_t offset;        /* what of it is read already */
	uint32_t reader_subbuf; /* id of the sub-buffer that is ours */
	uint64_t packets;       /* taken so far */
	uint64_t events;        /* records before (seq, offset), delivered or overwritten */
	uint64_t end;           /* clock: nothing later was given out */
	/* The clock was reset, from no later value than this; 0: what is read is from after that.
	 */
	uint64_t reset;
	uint64_t discards;       /* as last given out */
	uint64_t discards_full;  /* as the last full sub-buffer had it */
	struct ring_commit last; /* the furthest that was seen */
	uint64_t lost_before;    /* discarded and overwritten before a skip or a chunk */
	uint64_t lost_told;      /* discarded and overwritten, as the last packet has them */
	/* The content to be read before a rotation, if need be as partial packets. */
	uint64_t mark;          /* up to this position */
	uint64_t mark_discards; /* so many discards told */
	uint64_t user_mark;     /* up to this position, content is of the user before */
	bool frozen;
	struct ring_commit limit;    /* while frozen: no more than this is read */
	struct ring_account account; /* the set adds its increase to its totals */
	struct ring_account cleared; /* what of `account` the last clear threw away */
	/* Losses of the time before geometry->begin, or before the clock was reset: no more. */
	uint64_t lost_before_most;
	/* Why the ring was closed: the process corrupted it. NULL while it is good. */
	const char *is_corrupt;
	struct ring_undo *undo; /* NULL: it does not outlive its daemon */
	/* Sub-buffer `seq` was taken out of the rotation in the daemon before a restart, as
	 * `out_id`. */
	bool out;
	uint32_t out_id;
};

/* The state before an unfinished change. One for all readers of a set. */
struct ring_undo {
	bool in_force;
	bool swapping;     /* an exchange in the ring's table is about to be made, or was: */
	uint32_t swap_id;  /* … of this sub-buffer */
	uint64_t swap_seq; /* … of this sequence number */
	struct ring_reader *reader;
	struct ring_reader before;
};

/* Begins a change of `reader`. Completes the earlier change first. */
void ring_undo_begin(struct ring_undo *undo, struct ring_reader *reader);
/* The change is complete. */
void ring_undo_end(struct ring_undo *undo);
/*
 * After a restart, when the reader's ring is mapped again. True: the reader is as it was before a
 * change, which ends when the caller has put back what goes with it: ring_undo_end().
 */
bool ring_undo_restore(struct ring_undo *undo);

void ring_reader_init(struct ring_reader *reader, const struct ring_geometry *geometry,
		      struct lttngmap_ring *ring, struct ring_undo *undo);
/*
 * Latest time, in ticks, of rings from another boot: some ten years, which readers can still add to
 * a date.
 */
#define RING_PAST_LATEST (UINT64_C(1) << 60)
/*
 * Maximum of one ring's count, whatever its process writes: sums over all rings of a set do not
 * overflow.
 */
#define RING_DISCARDS_MAX LTTNGMAP_POSITION_MASK
/*
 * Events that a process loses before it has rings, and then counts in its first one: a minute
 * without a daemon (liblttngmap/attach/away.h) and a registration. All CPUs add to one word then,
 * 130 million times a second at most.
 */
#define RING_LOST_BEFORE_MAX (UINT64_C(1) << 33)
/* Least ticks of the clock for one lost event: more than 300 were measured (ring.md). */
#define RING_LOST_TICKS 8
/* No record is later: what a writer could have read by now, or before the clock was reset. */
uint64_t ring_reader_latest(const struct ring_reader *reader);
/* The clock was reset, from `latest` at most: one sub-buffer may begin earlier than the last ended.
 */
void ring_reader_reset_clock(struct ring_reader *reader, uint64_t latest);
/* Is this a begin after the reset, and the first that is read? Then it is no mistake. */
bool ring_reader_went_back(struct ring_reader *reader, uint64_t begin);
/* The same reader after a restart, where geometry and ring lie elsewhere. */
void ring_reader_move(struct ring_reader *reader, const struct ring_geometry *geometry,
		      struct lttngmap_ring *ring);

/* How the packet that ring_reader_take() gave is to be released. */
struct ring_lease {
	uint64_t seq;
	uint32_t id;
	bool swapped; /* ours until released: becomes the reader sub-buffer */
	bool stays;   /* in its place in the rotation, where no writer goes until it is freed */
};

/*
 * Begins a change, which the caller ends when it has noted what it was given.
 *
 * The next packet of this ring: 0; -EAGAIN: none now; -EBADMSG: the ring is
 * corrupt, from this call on. `partial`: also from a sub-buffer that is not
 * full; that is implied while the ring is frozen.
 */
int ring_reader_take(struct ring_reader *reader, bool partial, struct lttngmap_packet *packet,
		     struct ring_lease *lease);
/*
 * The same of a full sub-buffer that stays where it is, as there is one reader sub-buffer only: not
 * in overwrite mode. Several may be held like that.
 */
int ring_reader_take_more(struct ring_reader *reader, struct lttngmap_packet *packet,
			  struct ring_lease *lease);
void ring_reader_release(struct ring_reader *reader, const struct ring_lease *lease);
/* A sub-buffer that stayed where it was is the writers' again. Done twice, it is done once. */
void ring_reader_free(struct ring_reader *reader, const struct ring_lease *lease);
/* Is the sub-buffer of that packet still the same one? */
bool ring_reader_is_intact(const struct ring_reader *reader, const struct ring_lease *lease);
/* Would take() give something? */
bool ring_reader_has_packet(struct ring_reader *reader);
/* Full sub-buffers that wait to be read. */
uint32_t ring_reader_waiting(struct ring_reader *reader);
/* The commit up to which may be read now. 0, -EAGAIN or -EBADMSG. */
int ring_reader_look(struct ring_reader *reader, struct ring_commit *commit);
/* It is closed from now on; `why` is a constant. -EBADMSG. */
int ring_reader_mark_corrupt(struct ring_reader *reader, const char *why);
/*
 * Claims of a closed ring's process since the last clear, which nobody can check: events that it
 * did not deliver, overwritten ones among them, as `written`; discarded ones. Zeros while the ring
 * is good. They only grow until the next clear.
 */
struct ring_account ring_reader_claims(const struct ring_reader *reader);
/* The sums of all that was counted until now are thrown away. */
void ring_reader_clear(struct ring_reader *reader);
/* Frozen, and all of it was read: closes the ring if it counts other events than were there. */
void ring_reader_settle(struct ring_reader *reader);
/* Has anything happened in this ring since it was made? */
bool ring_reader_is_touched(const struct ring_reader *reader);

/*
 * Rotation: mark what stands in the ring now. It is passed when all of that
 * was given out, what stands in a sub-buffer that is not full too. Begin a
 * chunk: packets count their losses from here on.
 */
void ring_reader_mark(struct ring_reader *reader);
/* The ring's events until now are the former user's. */
void ring_reader_mark_user(struct ring_reader *reader);
bool ring_reader_has_passed(const struct ring_reader *reader);
void ring_reader_begin_chunk(struct ring_reader *reader);

/*
 * Let go of all that stands below the position of now, also of what came while
 * frozen. Packets count their losses from here on.
 */
void ring_reader_skip(struct ring_reader *reader);

void ring_reader_freeze(struct ring_reader *reader);
void ring_reader_thaw(struct ring_reader *reader);

#endif /* SESSIOND_RING_RING_READER_H */
