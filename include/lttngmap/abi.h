/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * abi.h - the memory that a traced process shares with lttngmap-sessiond.
 *
 * Overview
 * --------
 * A traced process maps four kinds of memory, made by the session daemon and
 * received over the registration socket. They are sealed memfds, but for rings
 * with --ring-dir, which are files that can be cut short:
 *
 *   memory            process      daemon   what it holds
 *   global control    r--p         rw       one for all processes: the event
 *                                           words and the channel table
 *   process control   r--s         rw       one for all processes: for each,
 *                                           the channels that it takes part in
 *   ring data         -w-s         meta     of each channel: meta page, then
 *                                  page     sub-buffers by id
 *   ring control      rw-s         rw       of each channel: positions, sub-buffer
 *                                           tables and descriptors of its rings
 *
 * The process has the first two from its registration on, and a channel's rings
 * from its registration, or its first event, once the channel is started. Ring
 * data and ring control of one ring set are one memfd, which begins with the
 * meta page; ring control begins at the next page behind ring data.
 *
 * A ring set is what one process and one channel have in common: one ring per
 * possible CPU, then LTTNGMAP_EXTRA_RINGS rings for threads that have no
 * restartable sequence. A channel's index is its slot in all processes. In a
 * shared channel (LTTNGMAP_CHANNEL_SHARED) all processes of one user have one
 * ring set.
 *
 *   ring data of one ring set (ids run over all rings of the set):
 *
 *   0            meta_page_size
 *   +------------+-----------+-----------+- - -+-----------+-----------+- - -
 *   | meta page  | ring 0    | ring 0    |     | ring 0    | ring 1    |
 *   | ring-file.h| sub-buf 0 | sub-buf 1 |     | sub-buf n | sub-buf 0 |
 *   +------------+-----------+-----------+- - -+-----------+-----------+- - -
 *                  n sub-buffers in rotation, one held by the reader
 *
 *   ring control of one ring set: ring k begins at k * lttngmap_ring_stride(n):
 *
 *   +--------------------+------------------+---------------------------+
 *   | struct             | u64 slots[n]     | struct                    |
 *   | lttngmap_ring      | (rotation table) | lttngmap_subbuf [n + 1]   |
 *   +--------------------+------------------+---------------------------+
 *
 * All memory starts as zeros, and zeros are a valid, empty ring: nothing has
 * to be written to reserve one.
 *
 * Everything that the process can write, the daemon treats as hostile: it
 * checks and clamps each value before it uses it.
 *
 * Byte order and alignment are the machine's own; process and daemon run on
 * one machine, and the word size is checked at registration.
 */
#ifndef LTTNGMAP_ABI_H
#define LTTNGMAP_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define LTTNGMAP_ABI_ASSERT(condition) static_assert(condition, #condition)
#else
/* __extension__: the installed headers are silent under -std=c99 -Wpedantic. */
#define LTTNGMAP_ABI_ASSERT(condition) __extension__ _Static_assert(condition, #condition)
#endif

/*
 * A change of major is refused at registration; a higher minor adds only. A library of minor 0
 * takes a map's tables for rings, and its records have no call stack: the daemon gives it no such
 * channel.
 */
#define LTTNGMAP_ABI_MAJOR 1
#define LTTNGMAP_ABI_MINOR 1

#define LTTNGMAP_CONTROL_MAGIC 0x4c544d43u /* "CMTL" in memory */
#define LTTNGMAP_PROCESS_MAGIC 0x4c544d50u /* "PMTL" in memory */

/* Event ids are 16 bits in the record header and global to one daemon. */
#define LTTNGMAP_EVENT_IDS 65536u
/* One bit a channel in a 64-bit word. */
#define LTTNGMAP_CHANNELS 64u
/* Rings beyond the CPUs', for writers without a restartable sequence. */
#define LTTNGMAP_EXTRA_RINGS 2u

/* Sub-buffer sizes are powers of two of bytes, counts powers of two. */
#define LTTNGMAP_SUBBUF_SHIFT_MIN 12u
#define LTTNGMAP_SUBBUF_SHIFT_MAX 30u
#define LTTNGMAP_SUBBUFS_SHIFT_MIN 1u
#define LTTNGMAP_SUBBUFS_SHIFT_MAX 12u
/*
 * The last bytes of a sub-buffer stay unused: writers store whole words, and a
 * sub-buffer that is never filled to its very end keeps position >> shift
 * unambiguous. Bytes beyond the position mean nothing.
 */
#define LTTNGMAP_SUBBUF_TAIL 8u

/*
 * The first bytes of each sub-buffer stay unused, too, but for those of a
 * ring's very first, for that one begins as zeros at position 0. A reader that
 * writes packets to a file may have a header of that size in front of them:
 * then the file's pages are the sub-buffer's, and all but the first need no copy.
 */
#define LTTNGMAP_SUBBUF_HEAD 128u

/*
 * Maximum size of a record, header included, of a class whose fields all have a fixed size (one
 * minimal sub-buffer). Other records may take all of a sub-buffer.
 */
#define LTTNGMAP_RECORD_MAX 3960u
LTTNGMAP_ABI_ASSERT(LTTNGMAP_RECORD_MAX + LTTNGMAP_SUBBUF_HEAD + LTTNGMAP_SUBBUF_TAIL <=
		    1u << LTTNGMAP_SUBBUF_SHIFT_MIN);
#define LTTNGMAP_RECORD_HEADER_SIZE 8u

/* ---- global control ---------------------------------------------------- */

enum lttngmap_mode {
	LTTNGMAP_MODE_DISCARD = 0,
	LTTNGMAP_MODE_OVERWRITE = 1,
	LTTNGMAP_MODE_BLOCKING = 2,
};

enum lttngmap_clock {
	LTTNGMAP_CLOCK_TSC = 0,       /* ticks of the CPU's time stamp counter */
	LTTNGMAP_CLOCK_MONOTONIC = 1, /* nanoseconds of CLOCK_MONOTONIC */
};

/*
 * One channel, as the processes read it: under the seqlock of the global
 * control, into a private cache that is valid while `generation` stands.
 * `generation` is 0 while the channel is not started; each start or change
 * gives it a value that was never used before in this slot.
 */
struct lttngmap_channel {
	uint32_t generation;
	uint8_t mode;                 /* enum lttngmap_mode */
	uint8_t subbuf_shift;         /* log2 of a sub-buffer's bytes */
	uint8_t subbufs_shift;        /* log2 of the sub-buffers in rotation */
	uint8_t flags;                /* enum lttngmap_channel_flag */
	uint32_t blocking_timeout_ms; /* LTTNGMAP_MODE_BLOCKING: 0 = no limit */
	uint32_t life;                /* which channel of the slot; its rings, where shared */
	uint64_t contexts;            /* bit set of 1 << enum lttngmap_context, and a depth */
	uint64_t reserved2[5];
};
LTTNGMAP_ABI_ASSERT(sizeof(struct lttngmap_channel) == 64);

enum lttngmap_channel_flag {
	/* Some of its events have a filter. */
	LTTNGMAP_CHANNEL_FILTERED = 1u << 0,
	/*
	 * Nobody waits for full sub-buffers: they ring no bell. In a map without this flag, a
	 * trigger's, each event rings one (`rung` below).
	 */
	LTTNGMAP_CHANNEL_QUIET = 1u << 1,
	/*
	 * One user's processes write into one ring set, which each asks for at its
	 * first event. Another `life` of the slot is another ring set.
	 */
	LTTNGMAP_CHANNEL_SHARED = 1u << 2,
	/*
	 * A map: each ring's data is a table of struct lttngmap_map_entry, and no record is
	 * written. Always SHARED, and each of its events has a filter.
	 */
	LTTNGMAP_CHANNEL_MAP = 1u << 3,
};

/*
 * One CPU's count of a key in a map. The filter's result is the key and the number to add
 * (lttngmap/filter-code.h). A table has 1 << (subbuf_shift - 4) entries in the ring's first two
 * sub-buffers, by open addressing from lttngmap_map_place(); the next entry, in the third one,
 * counts events whose key found no place within LTTNGMAP_MAP_PROBES.
 *
 * A key may be the hash of a text, where the ring has LTTNGMAP_MAP_TEXT_SUBBUFS sub-buffers in
 * rotation: `text` is lttngmap_map_text_mark(key) then, and entry i's text begins at
 * lttngmap_map_text_offset().
 *
 * An entry with a count of 0 is free, whatever stands in it. Its key never changes once it is
 * counted. On a CPU's ring, count and sum are stored by one 16-byte store in a restartable
 * sequence, after the key. On other rings writers take a free entry by exchanging its count 0 for
 * LTTNGMAP_MAP_CLAIMED, store the key, then the count; all else is atomic additions. One that was
 * killed in between leaves the claim, which nobody waits for: the key may then have a second entry.
 */
struct lttngmap_map_entry {
	uint64_t count;
	uint64_t sum;
	uint64_t key;
	uint64_t text; /* the key's mark: it is a text's hash; else whatever */
};
LTTNGMAP_ABI_ASSERT(sizeof(struct lttngmap_map_entry) == 32);
#define LTTNGMAP_MAP_TEXT_SUBBUFS 8u
#define LTTNGMAP_MAP_TEXT_SIZE 96u /* bytes of a text; its parts are in lttngmap/filter-code.h */
#define LTTNGMAP_MAP_CLAIMED (UINT64_C(1) << 63)
#define LTTNGMAP_MAP_PROBES 32u

#define LTTNGMAP_MAP_HASH UINT64_C(0x9e3779b97f4a7c15)
/* Where the table's search for a key begins: an index, of 1 << shift. */
static inline uint64_t lttngmap_map_place(uint64_t key, unsigned shift)
{
	return key * LTTNGMAP_MAP_HASH >> ((64 - shift) & 63);
}

/* Never 0, so that a page that was not written marks no key. */
static inline uint64_t lttngmap_map_text_mark(uint64_t key)
{
	return ~key | 1;
}

/* The text of the entry at `offset` of a table, from the table's begin on. */
static inline uint64_t lttngmap_map_text_offset(uint64_t offset, unsigned subbuf_shift)
{
	return (UINT64_C(3) << subbuf_shift) +
	       offset / sizeof(struct lttngmap_map_entry) * LTTNGMAP_MAP_TEXT_SIZE;
}

/*
 * In a map of latencies the last extra ring counts nothing. Its first two sub-buffers have the
 * pairs whose second event has not come yet, in sets of LTTNGMAP_MAP_PAIR_SET; each key has two
 * sets where it may stand. A pair is exchanged as a whole, by cmpxchg16b. The tables' keys are
 * buckets of nanoseconds, and those two of events whose other one did not come.
 */
struct lttngmap_map_pair {
	uint64_t key;
	uint64_t time; /* of the first event, by the channel's clock; 0: free */
};
LTTNGMAP_ABI_ASSERT(sizeof(struct lttngmap_map_pair) == 16);
#define LTTNGMAP_MAP_PAIR_SET 4u
#define LTTNGMAP_MAP_NO_SECOND (UINT64_C(1) << 32)
#define LTTNGMAP_MAP_NO_FIRST (LTTNGMAP_MAP_NO_SECOND + 1)

/* log2 of the number of sets, each of which is 64 bytes. */
static inline unsigned lttngmap_map_pair_sets_shift(unsigned subbuf_shift)
{
	return subbuf_shift + 1 - 6;
}

/* The first (0) or the second (1) set of a key. */
static inline uint64_t lttngmap_map_pair_set(uint64_t key, unsigned which, unsigned sets_shift)
{
	return lttngmap_map_place(which ? ~(key << 32 | key >> 32) : key, sets_shift);
}

struct lttngmap_control {
	uint32_t magic; /* LTTNGMAP_CONTROL_MAGIC */
	uint16_t major;
	uint16_t minor;
	uint64_t features;  /* none defined yet */
	uint64_t instance;  /* random, one value per daemon, whose restarts keep it */
	uint32_t size;      /* of this memory, bytes */
	uint32_t clock;     /* enum lttngmap_clock, constant */
	uint32_t cpu_rings; /* possible CPUs; a set has EXTRA_RINGS more */
	/*
	 * Seqlock over `channels`: odd while the daemon writes. Readers give up
	 * after LTTNGMAP_SEQLOCK_TRIES tries and count the event as lost.
	 */
	uint32_t sequence;
	uint64_t filters;    /* offset of the filter words in this memory; 0: there are none */
	uint64_t filter_end; /* the daemon's: where filters were put so far */
	uint64_t left;       /* LTTNGMAP_LEFT_...; 0: the daemon serves */
	struct lttngmap_channel channels[LTTNGMAP_CHANNELS];
	/* The channels in which an event id is on. One store, no lock. */
	uint64_t event_words[LTTNGMAP_EVENT_IDS];
};
LTTNGMAP_ABI_ASSERT(sizeof(struct lttngmap_control) == 64 + 64 * 64 + 8 * 65536);

/* The daemon has ended. Event words that were 0 are ones: whoever finds that looks for another. */
#define LTTNGMAP_LEFT_GONE UINT64_C(1)
/*
 * The next daemon goes on with the sessions. Words of events that were recorded are as they
 * were, and their channels have generation 0: such events count as lost.
 */
#define LTTNGMAP_LEFT_COUNTS UINT64_C(2)

#define LTTNGMAP_SEQLOCK_TRIES 1000u

/*
 * Filters (lttngmap/filter-code.h). A filtered channel has a word for each
 * event id; those of slot 0 stand first. 0: every event is recorded, else
 * which filter decides:
 *
 *   63            40 39                                    0
 *   +---------------+---------------------------------------+
 *   | size / 8      | offset in this memory / 8             |
 *   +---------------+---------------------------------------+
 *
 * No filter is changed where it lies; another one takes its place by one store
 * of the word. Its memory is used again after a second at the earliest; so who
 * finds the same word before and after ran the filter that it names.
 *
 * A map's filter that is one KEY lies nowhere: the word has all of it.
 *
 *   63           32 31  30       24 23  16 15                 0
 *   +--------------+---+-----------+------+--------------------+
 *   | 0            | 1 | registers | code | end of the field   |
 *   +--------------+---+-----------+------+--------------------+
 */
#define LTTNGMAP_FILTER_WORDS_SIZE (UINT64_C(8) * LTTNGMAP_CHANNELS * LTTNGMAP_EVENT_IDS)
#define LTTNGMAP_FILTER_SIZE_SHIFT 40

static inline uint64_t lttngmap_filter_word(uint64_t offset, uint64_t size)
{
	return size / 8 << LTTNGMAP_FILTER_SIZE_SHIFT | offset / 8;
}

static inline uint64_t lttngmap_filter_offset(uint64_t word)
{
	return (word & ((UINT64_C(1) << LTTNGMAP_FILTER_SIZE_SHIFT) - 1)) * 8;
}

static inline uint64_t lttngmap_filter_size(uint64_t word)
{
	return (word >> LTTNGMAP_FILTER_SIZE_SHIFT) * 8;
}

/* No offset is as large: the size of the memory has 32 bits. */
#define LTTNGMAP_FILTER_KEY_WORD (UINT64_C(1) << 31)

/* A KEY's code, registers and offset. */
static inline uint64_t lttngmap_filter_key_word(uint8_t code, uint8_t registers, uint16_t offset)
{
	const uint64_t word = LTTNGMAP_FILTER_KEY_WORD | (uint64_t)code << 16;

	/* One of no field. */
	if (!(code & 0xf8u))
		return word;
	return word | (uint64_t)(registers & 0x7fu) << 24 |
	       (offset + (UINT64_C(1) << (registers & 3)));
}

/* ---- process control: one struct a process -------------------------------- */

/*
 * All processes' stand in one memory, since each map of a memory that somebody
 * may write costs the daemon; so nothing in it says whose it is.
 */

struct lttngmap_process {
	uint32_t magic;    /* LTTNGMAP_PROCESS_MAGIC */
	uint32_t flags;    /* enum lttngmap_process_flag, may change at any time */
	uint64_t channels; /* the channels that this process takes part in */
	uint64_t reserved[6];
};
LTTNGMAP_ABI_ASSERT(sizeof(struct lttngmap_process) == 64);

enum lttngmap_process_flag {
	/* The process closed its descriptors: it must not write the eventfd. */
	LTTNGMAP_PROCESS_NO_DOORBELL = 1u << 0,
};

/* ---- ring control -------------------------------------------------------- */

/*
 * One ring. Line 0 is written for each event, line 1 rarely.
 *
 * `commit` is published last of each record, by one 16-byte store. The library's fast way alone
 * uses two of 8 bytes, word 1 first, where the count does not carry into word 1.
 *
 *   word 0:  63        48 47                                    0
 *            +-----------+--------------------------------------+
 *            | count low | position: absolute bytes             |
 *            +-----------+--------------------------------------+
 *   word 1:  | count high| timestamp of the last record         |
 *            +-----------+--------------------------------------+
 *
 * Everything below the position is complete. `position >> subbuf_shift` is
 * the current sub-buffer's sequence number q. The position grows with every
 * commit. A reader loads word 0, word 1 and word 0 again. If word 0 is unchanged, both words are
 * of one commit, or the timestamp lies between that commit's and the next one's.
 *
 * A sub-buffer takes records for 2^47 ticks after it was opened, so that their
 * 48-bit timestamps are unambiguous beside its 64-bit begin, however long the
 * ring was idle. The first sub-buffer is opened by the ring's first event.
 *
 * Writers of a CPU's ring: threads of the process on that CPU, inside a
 * restartable sequence. Writer of an extra ring, or of any ring of a process
 * without rseq: the thread that holds the process's own lock of that ring,
 * which is in its private memory. Readers: the daemon.
 *
 * `lock` in a ring that several processes share is a second lock: lttngmap_lock_token(),
 * stored and taken back by compare-and-exchange. The daemon takes back those of a
 * process that ended. In other rings it is a mark for the daemon alone.
 */
struct lttngmap_ring {
	uint64_t commit[2];
	uint64_t lock;     /* 0, or the holder's token; trylock only */
	uint64_t discards; /* events not written; atomic add by any writer */
	/*
	 * The writers' own, of the current sub-buffer q, at [lttngmap_ring_side(q)]; the other
	 * side may be of a move to q + 1 that was aborted. `opened`: the clock when q was opened,
	 * 64 bits; 0: no event yet. `start`: where q begins in the ring data, counted from the end
	 * of the last CPU's, and so below 0 on all CPUs' rings.
	 */
	uint64_t opened[2];
	uint64_t start[2];
	/*
	 * Shared rings, by trylock: the next commit, stored before it is published, by
	 * one 16-byte store, too. The further one of the two is what holds.
	 */
	uint64_t known[2];
	/* Events before the current sub-buffer, 64 bits; see ring-switch.c. */
	uint64_t events_base;
	/*
	 * Blocking mode: futex. The daemon counts up when it frees space;
	 * LTTNGMAP_SPACE_CLOSED: it reads this ring no more.
	 */
	uint32_t space;
	uint32_t waiters; /* set by a waiting writer, cleared by the daemon */
	/*
	 * In the first ring of a set, for all its rings: not 0 while the reader looks by itself.
	 * Writers then ring no bell, until half of a ring's sub-buffers is unread.
	 *
	 *   writer                                  daemon
	 *   publishes the position of q + 1         stores awake = 0
	 *   full barrier                            full barrier
	 *   loads awake; 0: rings the bell          looks at the positions
	 *
	 * If both do so at once, at least one sees the other's store: either the writer rings the
	 * bell, or the daemon finds the full sub-buffer. tests/model/bell.pml is the model, for
	 * spin.
	 */
	uint32_t awake;
	/*
	 * In the first ring of a trigger's set, for all its rings. The daemon counts `heard` up
	 * before it reads the tables; `rung` is heard + 1 where a bell is on its way.
	 *
	 *   writer                                  daemon
	 *   counts the event                        heard++
	 *   full barrier                            full barrier
	 *   loads heard, loads rung                 reads the tables
	 *   other than heard + 1: rings the bell,
	 *   then stores rung = heard + 1
	 *
	 * `rung` is stored after the bell was rung. So a writer that finds it may go on without a
	 * bell: the daemon has yet to hear that one, and reads the tables after that. A writer that
	 * is stopped in between keeps no other one from ringing.
	 */
	uint32_t heard;
	uint64_t cut; /* events written whose fields are not whole; atomic add by any writer */
	uint32_t rung;
	uint32_t reserved1;
	uint64_t reserved2;
};
LTTNGMAP_ABI_ASSERT(sizeof(struct lttngmap_ring) == 128);

#define LTTNGMAP_SPACE_CLOSED UINT32_MAX

/* The even sub-buffers' side is the second one: a mask of the odd bit is an index from there. */
static inline unsigned lttngmap_ring_side(uint64_t seq)
{
	return ~seq & 1;
}

/*
 * Holder of a shared ring, and the number of its acquisition:
 *
 *   63                      40 39                    0
 *   +-------------------------+-----------------------+
 *   | index of the process +1 | count, never 0 before |
 *   +-------------------------+-----------------------+
 *
 * The index is that of its struct in process control.
 */
#define LTTNGMAP_LOCK_INDEX_SHIFT 40

static inline uint64_t lttngmap_lock_token(uint64_t index, uint64_t count)
{
	return (index + 1) << LTTNGMAP_LOCK_INDEX_SHIFT |
	       (count & ((UINT64_C(1) << LTTNGMAP_LOCK_INDEX_SHIFT) - 1));
}

/*
 * An entry of the rotation table: which sub-buffer serves sequence number
 * `seq` of position `index = seq mod n`, and in what state.
 *
 *   63                    24 23   20 19       0
 *   +-----------------------+-------+----------+
 *   | sequence number       | state | id^index |
 *   +-----------------------+-------+----------+
 *
 * INITIAL (all zeros): of index 0, sequence 0 being written; else free.
 * WRITING: being written while seq == q, full and unread while seq < q.
 * FREE:    the reader took `seq` away and left its reader sub-buffer here.
 *
 *   FREE|INITIAL --writer--> WRITING(q+1) --reader, once full--> FREE
 *   WRITING(q+1-n) --writer, overwrite mode only--> WRITING(q+1)
 *
 * All changes are compare-and-exchange of the whole word.
 */
enum lttngmap_slot_state {
	LTTNGMAP_SLOT_INITIAL = 0,
	LTTNGMAP_SLOT_WRITING = 1,
	LTTNGMAP_SLOT_FREE = 2,
};
#define LTTNGMAP_SLOT_ID_MASK 0xfffffu
#define LTTNGMAP_SLOT_STATE_SHIFT 20
#define LTTNGMAP_SLOT_STATE_MASK 0xfu
#define LTTNGMAP_SLOT_SEQ_SHIFT 24

/*
 * A sub-buffer's descriptor, by its id within the ring (0 .. n). The first
 * three fields are written when it becomes the current one, the others when
 * it is full, always before the commit that makes the change visible.
 */
struct lttngmap_subbuf {
	uint64_t seq;
	uint64_t begin;        /* clock when it was opened, 64 bits; 0: no event yet */
	uint64_t events_begin; /* events before it, in this ring */
	uint64_t end;          /* clock of its last record, 64 bits */
	uint64_t content_size; /* where its records end, bytes from its beginning */
	uint64_t events_end;   /* events up to its end */
	uint64_t discards;     /* of the ring, up to its end */
	uint64_t reserved;
};
LTTNGMAP_ABI_ASSERT(sizeof(struct lttngmap_subbuf) == 64);

#define LTTNGMAP_POSITION_BITS 48
#define LTTNGMAP_POSITION_MASK ((UINT64_C(1) << LTTNGMAP_POSITION_BITS) - 1)
#define LTTNGMAP_TIMESTAMP_MASK LTTNGMAP_POSITION_MASK
#define LTTNGMAP_COUNT_SHIFT LTTNGMAP_POSITION_BITS

/* Log2 of the bytes of ring control of one ring; `subbufs` is the count in rotation. */
static inline uint32_t lttngmap_ring_shift(uint64_t subbufs)
{
	uint64_t table = (subbufs * 8 + 63) & ~UINT64_C(63);
	uint64_t size = sizeof(struct lttngmap_ring) + table +
			(subbufs + 1) * sizeof(struct lttngmap_subbuf);

	return 64 - (uint32_t)__builtin_clzll(size - 1);
}

/* Bytes of ring control of one ring: a power of two. */
static inline uint64_t lttngmap_ring_stride(uint64_t subbufs)
{
	return UINT64_C(1) << lttngmap_ring_shift(subbufs);
}

static inline uint64_t *lttngmap_ring_slots(struct lttngmap_ring *ring)
{
	return (uint64_t *)(ring + 1);
}

static inline struct lttngmap_subbuf *lttngmap_ring_subbufs(struct lttngmap_ring *ring,
							    uint64_t subbufs)
{
	uint64_t table = (subbufs * 8 + 63) & ~UINT64_C(63);

	return (struct lttngmap_subbuf *)((char *)(ring + 1) + table);
}

static inline uint64_t lttngmap_slot_make(uint64_t seq, enum lttngmap_slot_state state, uint32_t id,
					  uint32_t index)
{
	return seq << LTTNGMAP_SLOT_SEQ_SHIFT | (uint64_t)state << LTTNGMAP_SLOT_STATE_SHIFT |
	       (id ^ index);
}

/* Where the records of a sub-buffer begin. */
static inline uint32_t lttngmap_subbuf_head(uint64_t seq)
{
	return seq ? LTTNGMAP_SUBBUF_HEAD : 0;
}

static inline uint64_t lttngmap_slot_seq(uint64_t slot)
{
	return slot >> LTTNGMAP_SLOT_SEQ_SHIFT;
}

static inline uint32_t lttngmap_slot_id(uint64_t slot, uint32_t index)
{
	return (uint32_t)(slot & LTTNGMAP_SLOT_ID_MASK) ^ index;
}

/* The state, with INITIAL resolved to what it means at that index. */
static inline enum lttngmap_slot_state lttngmap_slot_state(uint64_t slot, uint32_t index)
{
	uint32_t state = slot >> LTTNGMAP_SLOT_STATE_SHIFT & LTTNGMAP_SLOT_STATE_MASK;

	if (state == LTTNGMAP_SLOT_INITIAL)
		return index == 0 ? LTTNGMAP_SLOT_WRITING : LTTNGMAP_SLOT_FREE;
	return (enum lttngmap_slot_state)state;
}

/* ---- records -------------------------------------------------------------- */

/*
 * A record is one 64-bit word, then the fields, packed to bytes:
 *
 *   bits 0-15: event id; bits 16-63: timestamp (48 low bits of the clock).
 *
 * Integers and floats are in machine order unless the class says otherwise;
 * strings end in one NUL; a sequence is a 32-bit count of elements, then the
 * elements.
 *
 * In a channel with contexts their values stand between the header and the
 * fields, in the order of this enum, packed likewise. Numbers are those that
 * the process sees itself, in its own namespaces.
 */
enum lttngmap_context {
	LTTNGMAP_CONTEXT_VPID = 0,       /* i32 */
	LTTNGMAP_CONTEXT_VTID = 1,       /* i32 */
	LTTNGMAP_CONTEXT_PROCNAME = 2,   /* LTTNGMAP_PROCNAME_SIZE bytes of text: the thread's */
	LTTNGMAP_CONTEXT_PTHREAD_ID = 3, /* u64, pthread_self() */
	LTTNGMAP_CONTEXT_IP = 4,         /* u64, of the tracepoint, or its caller's */
	/* u64 each: inode numbers of namespaces. */
	LTTNGMAP_CONTEXT_CGROUP_NS = 5,
	LTTNGMAP_CONTEXT_IPC_NS = 6,
	LTTNGMAP_CONTEXT_MNT_NS = 7,
	LTTNGMAP_CONTEXT_NET_NS = 8,
	LTTNGMAP_CONTEXT_PID_NS = 9,
	LTTNGMAP_CONTEXT_TIME_NS = 10,
	LTTNGMAP_CONTEXT_USER_NS = 11,
	LTTNGMAP_CONTEXT_UTS_NS = 12,
	/* u32 each. */
	LTTNGMAP_CONTEXT_VUID = 13,
	LTTNGMAP_CONTEXT_VEUID = 14,
	LTTNGMAP_CONTEXT_VSUID = 15,
	LTTNGMAP_CONTEXT_VGID = 16,
	LTTNGMAP_CONTEXT_VEGID = 17,
	LTTNGMAP_CONTEXT_VSGID = 18,
	/* A 32-bit count, and as many u64: where the event is, then its callers' addresses. */
	LTTNGMAP_CONTEXT_CALLSTACK = 19,
};
#define LTTNGMAP_CONTEXTS 20u
/* A bit set with CALLSTACK has the most addresses of one stack from this bit on; others have 0. */
#define LTTNGMAP_CALLSTACK_SHIFT 32
#define LTTNGMAP_CALLSTACK_MAX 128u
#define LTTNGMAP_CALLSTACK_DEFAULT 32u
#define LTTNGMAP_PROCNAME_SIZE 16u

static inline uint32_t lttngmap_callstack_depth(uint64_t contexts)
{
	return (uint32_t)(contexts >> LTTNGMAP_CALLSTACK_SHIFT & 0xff);
}

#ifdef __cplusplus
}
#endif

#endif /* LTTNGMAP_ABI_H */
