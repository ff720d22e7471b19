/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring.h - the writer's half of the ring (the reader's is
 * sessiond/ring/ring-set.c; what both share is lttngmap/abi.h).
 *
 * A record is built on the writer's stack; here it is put into the ring in
 * one critical section: check that it fits, read the clock, write the header,
 * copy, publish position, timestamp and count by one 16-byte store. There are
 * two ways to be alone on a ring:
 *
 *   rseq     ring-rseq.h: the ring of the CPU that the thread runs on.
 *   trylock  ring-trylock.c: any ring whose lock word one cmpxchg takes; a
 *            taken ring means try the next, so nobody waits for a holder, unless all
 *            rings are taken and events may block (wait_for_holders()).
 *
 * Most records take neither of these files: event-fast.c writes them, by rseq, and leaves to the
 * general way what is not usual.
 *
 * Both use ring-switch.c to move on to the next sub-buffer. ring-write.c says
 * which of them serves a record, and what happens when neither can. Here is
 * what they have in common.
 *
 * All of them store into ring data, and never load from it: the map is for writing
 * (tests/unit/ring-no-load). The data of a map's rings are tables, which ring-map.h searches.
 */
#ifndef LIBLTTNGMAP_RING_RING_H
#define LIBLTTNGMAP_RING_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lttngmap/abi.h>

#include "liblttngmap/base/local.h"

/* An event as the program gives it. */
struct ring_event {
	const void *fields; /* packed, readable up to the next multiple of 8 */
	size_t size;
	const void *ip;
	uint32_t id;
	uint32_t flags; /* enum ring_event_flag */
};

enum ring_event_flag {
	RING_EVENT_PLACED = 1u << 0, /* room for contexts before the fields is the library's */
	RING_EVENT_CUT = 1u << 1,    /* some fields are not whole: to be counted */
};

/* The answer to whether a channel takes an event. */
enum channel_result {
	CHANNEL_ON,   /* the copy is complete */
	CHANNEL_OFF,  /* not started, or this process is not traced: no loss */
	CHANNEL_LOST, /* it is on, but cannot be had now: the event is lost */
	CHANNEL_GONE, /* this thread has waited, or is a forked child since: once more */
};

enum ring_result {
	RING_WRITTEN,   /* or moved on */
	RING_AGAIN,     /* somebody else was here: start again */
	RING_SWITCH,    /* the sub-buffer is full, or the clock jumped */
	RING_STALE,     /* the channel changed: read it anew */
	RING_FULL,      /* no free sub-buffer */
	RING_TAKEN,     /* trylock: every ring is held by somebody */
	RING_GONE,      /* trylock: this thread is a forked child now */
	RING_TOO_LARGE, /* with its contexts */
	RING_ENDED,     /* it takes no more events: 2^48 bytes were written, or it is damaged */
};

/*
 * event-fast.c stores 24 bytes of a record with up to 16 bytes of fields, of a larger one up to 7
 * beyond it. So the former begins, and the latter ends, so many bytes before the sub-buffer's end.
 */
#define RING_FAST_TAIL (24 + LTTNGMAP_SUBBUF_TAIL)
/* The contexts that it knows: either, or both. */
#define CONTEXTS_OF_VTID (UINT64_C(1) << LTTNGMAP_CONTEXT_VTID)
#define CONTEXTS_OF_IP (CONTEXTS_OF_VTID | UINT64_C(1) << LTTNGMAP_CONTEXT_IP)
#define CONTEXTS_OF_IP_SIZE 12u /* bytes of both */

/* Where an attempt goes; checked inside its section (ring-rseq.h). */
struct ring_place {
	uint32_t cpu;
	uint32_t generation; /* read from the channel before the rest of it */
	uint64_t epoch;      /* read before what is not wiped in a forked child was made */
};

struct ring_record {
	struct ring_place place;
	const void *fields; /* readable up to a multiple of 8 */
	uint64_t total;     /* bytes, header included; no more than a sub-buffer takes */
	uint64_t step;      /* what to add to commit word 0: total, and one event */
	uint64_t id;
	uint64_t now; /* the clock, where it cannot be read in the section */
};

/* An event's addition to a map, and its place; see ring-map.h. */
struct ring_map_update {
	struct ring_place place;
	uint64_t key;
	uint64_t add;
	uint64_t begin; /* offset in the table, where the search begins */
};

struct ring_store {
	uint64_t *to;
	uint64_t value;
};

/* A move to the next sub-buffer, prepared; see ring-switch.c. */
struct ring_move {
	struct ring_place place;
	uint64_t expected; /* commit word 0 for which it was prepared */
	uint64_t commit[2];
	struct ring_store stores[10];
};

/*
 * A clock that seems to be behind the ring's last timestamp by up to this is
 * another CPU's skew, and the last timestamp stands in for it.
 */
#define RING_CLOCK_SKEW_MAX (UINT64_C(1) << 32)
/*
 * So long after it was opened a sub-buffer takes records: then the next one,
 * whose begin has 64 bits, says where in time 48 bits are.
 */
#define RING_OPEN_MAX ((LTTNGMAP_TIMESTAMP_MASK >> 1) + 1)

/* The clock when sub-buffer q was opened; 0: it was not. */
static inline uint64_t ring_opened(const struct lttngmap_ring *ring, uint64_t q)
{
	return __atomic_load_n(&ring->opened[lttngmap_ring_side(q)], __ATOMIC_RELAXED);
}

/*
 * The clock for a record in sub-buffer q after one at commit word 1; false:
 * not in this sub-buffer (which may not be opened yet).
 */
static inline bool ring_clock_fits(const struct lttngmap_ring *ring, uint64_t q, uint64_t word1,
				   uint64_t *now)
{
	uint64_t ahead = (*now - word1) & LTTNGMAP_TIMESTAMP_MASK;

	if (ahead > LTTNGMAP_TIMESTAMP_MASK - RING_CLOCK_SKEW_MAX) {
		/* Another CPU's clock is a little ahead, or somebody was faster. */
		*now += LTTNGMAP_TIMESTAMP_MASK + 1 - ahead;
		ahead = 0;
	}
	return ahead < RING_OPEN_MAX && ring_opened(ring, q) &&
	       *now - ring_opened(ring, q) < RING_OPEN_MAX;
}

/* The clock that the channel's records carry, 64 bits. */
uint64_t ring_clock(enum lttngmap_clock clock);

/*
 * The daemon's bell: a sub-buffer of this process is full, or an event of a trigger's was counted.
 * False: the process has no bell.
 */
bool ring_doorbell(const struct local *local);

/* Count events that no ring took. */
void ring_discard(struct local *local, struct lttngmap_ring *ring, uint64_t events);

static inline struct lttngmap_ring *ring_at(const struct ring_channel *channel, uint32_t index)
{
	return (struct lttngmap_ring *)(RING_CHANNEL_FIELD(channel, rings) +
					((uint64_t)index
					 << RING_CHANNEL_FIELD(channel, ring_shift)));
}

/* Is there such a sub-buffer? Another process may have said so, which shares the ring. */
static inline bool ring_has_subbuf(const struct ring_channel *channel, uint32_t id)
{
	return id <= channel->index_mask + 1;
}

static inline char *ring_data_at(const struct ring_channel *channel, uint32_t index)
{
	return ring_channel_data(channel) + index * ring_channel_size(channel);
}

#endif /* LIBLTTNGMAP_RING_RING_H */
