/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * local.h - what the library knows of the process that it lives in.
 *
 * All of it stands in pages marked MADV_WIPEONFORK: a forked child finds
 * zeros, so `process` is NULL, takes the slow path at its next enabled event
 * and registers as itself. No atfork handler is needed.
 *
 * Synchronization (threads of the process, and their signal handlers):
 *
 *   field        written by                     read by
 *   process      whoever holds `attaching`;     every event (acquire)
 *                published last (release)
 *   epoch        the same, once an attach       trylock writers, before the lock
 *                                               and before each store to the ring
 *   channels[i]  whoever claimed `filling[i]`;  every event; see install_copy() on
 *                `generation` last (release)    who checks it against the control's
 *   rings[i]     whoever holds `attaching` or   channel fills, ring_of_slot()
 *                `exchange`; `known` first
 *                (cleared) and last (release)
 *   acquired     any (atomic add)               trylock writers
 *   locks[i]     who takes or holds it          trylock writers
 *   lost         any (atomic add)               channel fills, channel_lose() (xchg)
 *   away[i]      any (atomic)                   see away.h
 *   unanswered   whoever holds `exchange`       the same
 *   statedump_*  any (atomic); `done` who is    statedump.c
 *                `by`
 *   daemon_gone, any; set once a life           whoever would wait
 *   impatient
 *   stale        whoever holds `attaching`      attach_child()
 *   all others   as process, before it          every event
 *
 * A thread whose signal handler forks finds all of it zero in the child, from
 * one instruction to the next: what was made of it is checked for having been
 * made before (tests/unit/ring-fork.c).
 *
 * A thread that does not get `attaching`, `filling` or `exchange` goes on without, because
 * the holder may be the code that a signal handler interrupted. Only for
 * `attaching`, `exchange` and `statedump_by`, and only where events may block, does
 * another thread wait, for as long as a registration may take.
 */
#ifndef LIBLTTNGMAP_BASE_LOCAL_H
#define LIBLTTNGMAP_BASE_LOCAL_H

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/abi.h>

/* The generation of a channel that is being cached: no daemon starts one as often. */
#define RING_CHANNEL_FILLING UINT32_MAX

/*
 * The writer's cached data of a started channel, complete while `generation` is what
 * the global control says. Offsets are known to ring-rseq.h and event-fast.c.
 */
struct ring_channel {
	uint32_t generation; /* 0: never filled, and fast_cpus is 0 */
	/* CPUs that event-fast.c writes on, or event-trylock.c; 0: on none. */
	uint32_t fast_cpus;
	const uint32_t *control_generation; /* of this channel in the global control */
	union {
		uint64_t offset_mask;  /* sub-buffer size - 1 */
		uint64_t table_stride; /* of a map: bytes from a table to the next one */
	};
	union {
		uint64_t fast_limit;       /* of event-fast.c's records: see RING_FAST_TAIL */
		const uint64_t *key_words; /* of a map: the filters of event 0 and on, or NULL */
	};
	uint32_t subbuf_shift;
	uint32_t ring_shift;         /* log2 of the bytes of ring control of one ring */
	char *rings;                 /* ring control of ring 0 */
	char *data_end;              /* of the last CPU's ring; extra rings follow */
	uint64_t least_start;        /* the least `start` of a CPU's ring, as an unsigned number */
	const uint64_t *event_words; /* as in struct local; NULL in wiped pages */
	/* This channel's in an event's word, of a map the negative number; 0: it has filters. */
	uint64_t bit;
	union {
		uint64_t offset_limit;  /* largest offset at which a record may end */
		uint64_t table_entries; /* of a map: in a table; a power of two */
	};
	uint64_t contexts;   /* bit set of enum lttngmap_context, and RING_CHANNEL_FILTERED */
	uint32_t index_mask; /* sub-buffers in rotation - 1 */
	uint32_t cpu_rings;
	uint32_t ip_cpus; /* as fast_cpus, with the contexts vtid, ip, or both */
	uint32_t blocking_timeout_ms;
	uint8_t mode;        /* enum lttngmap_mode */
	uint8_t clock;       /* enum lttngmap_clock */
	bool use_rseq;       /* the process's threads do; on CPU rings nobody else writes then */
	bool quiet;          /* full sub-buffers ring no bell, nor does a map's event */
	bool shared;         /* other processes write into these rings, too */
	uint8_t is_map;      /* each ring's data is a map's table: ring-map.h */
	uint16_t first_lock; /* of ring 0, among local->locks */
	/* The process's epoch, in these very pages: a forked child finds another one. */
	const uint64_t *epoch;
	/* The CPU fetches lines in pairs of 128 bytes. */
} __attribute__((aligned(128)));
_Static_assert(sizeof(struct ring_channel) == 128, "event-fast.c shifts an index by 7");

/* In `is_map`, beside 1: some filters of the map may be words, and key_words says where. */
#define RING_MAP_OF_WORDS 2

/*
 * Reads a field of a cached channel, which another thread may be making anew: its generation, read
 * before and compared after, tells whether the fields are of one channel.
 */
#define RING_CHANNEL_FIELD(cached, field) __atomic_load_n(&(cached)->field, __ATOMIC_RELAXED)

/* Ring data of ring 0, id 0: never loaded from. */
static inline char *ring_channel_data(const struct ring_channel *channel)
{
	return RING_CHANNEL_FIELD(channel, data_end) + RING_CHANNEL_FIELD(channel, least_start);
}

/* Bytes of ring data of one ring. */
static inline uint64_t ring_channel_size(const struct ring_channel *channel)
{
	return ((uint64_t)RING_CHANNEL_FIELD(channel, index_mask) + 2)
	       << RING_CHANNEL_FIELD(channel, subbuf_shift);
}

static inline void ring_channel_copy(struct ring_channel *to, const struct ring_channel *cached)
{
#ifdef __SANITIZE_THREAD__
	/* Word by word: as a whole it would be called a race. */
	const uint64_t __attribute__((may_alias)) *from = (const void *)cached;
	uint64_t __attribute__((may_alias)) *words = (void *)to;

	for (unsigned i = 0; i < sizeof(*to) / sizeof(*words); i++)
		words[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
#else
	*to = *cached;
#endif
}

/* Beside the contexts, for what asks whether there are any asks for filters, too. */
#define RING_CHANNEL_FILTERED (UINT64_C(1) << 63)

/*
 * Holder of a ring by trylock. It is in the process's own pages, not beside the ring: a forked
 * child that continues its parent's write finds it free, and cannot free its parent's.
 */
struct local_lock {
	uint64_t holder; /* token of the thread; 0: nobody */
	/* The holder's: what was committed last, to which ring, in which life of it. */
	const struct lttngmap_ring *ring;
	uint64_t life;
	uint64_t commit[2];
	/* For event-trylock.c, the sub-buffer where it stands: */
	char *to;        /* its address, less its position */
	uint64_t limit;  /* the position at which a record may end; 0: nothing is known */
	uint64_t opened; /* the clock */
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct local_lock) == 64, "a line of the cache");

/* The rings of a slot: the process's own, or those that its user's processes share. */
struct local_rings {
	uint64_t known;     /* 0: nothing; else life << 32 | 1, the life of shared rings */
	char *rings;        /* ring control of ring 0 */
	char *data;         /* ring data of ring 0 */
	uint64_t data_size; /* bytes of each */
	uint64_t control_size;
};

/* Rings that share one are taken one at a time. */
#define LOCAL_LOCKS 1024u

/* State of a slot while the daemon is away: see away.h. */
struct local_away {
	uint64_t events;
	uint64_t life; /* of the channel that lost them */
};

struct local {
	const struct lttngmap_process *process; /* NULL: not attached */
	const struct lttngmap_control *control; /* its struct */
	const uint64_t *event_words;            /* of event 0, in there */
	uint64_t control_size;                  /* bytes, with the filters */
	const char *filters;                    /* all of it, once a filter is to be run */
	const uint64_t *filter_words;           /* of slot 0, in there; NULL: not yet */
	uint64_t epoch;          /* never 0 while attached, differs in every process */
	uint64_t lost;           /* events that found no ring to be counted in */
	uint64_t attaching;      /* token of the thread that is at it; 0: nobody */
	uint64_t exchange;       /* the same, of who talks on the socket */
	uint64_t statedump_by;   /* token of the thread that tells the state; 0: nobody */
	uint32_t statedump_due;  /* how often it was wished for beside that */
	uint32_t statedump_done; /* of these, told */
	uint32_t unanswered;     /* requests whose answers were not waited for any longer */
	bool impatient;          /* waited for one of these in vain */
	bool stale;              /* a child whose parent is gone: see attach.h */
	bool daemon_gone;        /* so nobody waits for it to make room */
	int socket;
	int doorbell;  /* eventfd; -1: none */
	uint32_t user; /* effective, as the daemon knows it */
	/* These four are stored before `process`, and read only by who has found that. */
	bool use_rseq;
	bool store16_atomic;
	bool has_rdpid;
	bool allow_blocking;
	struct local_rings rings[LTTNGMAP_CHANNELS];
	uint64_t index;    /* of our struct in process control */
	uint64_t acquired; /* how often shared rings were to be taken by trylock */
	struct ring_channel channels[LTTNGMAP_CHANNELS];
	uint32_t filling[LTTNGMAP_CHANNELS]; /* 1: somebody is */
	struct local_away away[LTTNGMAP_CHANNELS];
	struct local_lock locks[LOCAL_LOCKS];
};

/* The pages; NULL until the first attach. Its value survives a fork. */
extern struct local *local_pages;

/*
 * The words that an event loads first, in one cache line. It is not in the pages: a child that is
 * forked meanwhile must not find zeros. Any thread stores; only `guard`, `cached` and `process`
 * ever change.
 */
struct local_first {
	/*
	 * A thread that has this number as the C library's pointer guard (arch.h) may write the
	 * fast way, so each thread with storage of the C library's. Else LOCAL_CLOSED and the
	 * number of vfork children: nobody may. Set by an event that went the general way.
	 */
	uint64_t guard;
	/* The channel that was cached last, or one of pages that were left: a guess, never NULL. */
	const struct ring_channel *cached;
	uintptr_t rseq, vtid; /* from a thread's pointer to its own struct rseq and context_vtid */
	/* That of the latest pages, or of the parent's: never NULL once the fast way is open. */
	const struct lttngmap_process *process;
	uint64_t one_record; /* one event, and its header, in commit word 0 */
} __attribute__((aligned(64)));
extern struct local_first local_first __attribute__((visibility("hidden")));

/* No thread's pointer guard: none that is as near to it is taken (event_fast_allow()). */
#define LOCAL_CLOSED (UINT64_C(1) << 63)
static inline bool local_is_closed(uint64_t guard)
{
	return guard - LOCAL_CLOSED <= UINT32_MAX;
}

/*
 * From local_close_fast() until as many of local_open_fast() all events of the process are written
 * the general way; after that until one of them was. A child that is forked meanwhile stays closed.
 * Signal-safe.
 */
__attribute__((visibility("hidden"))) void local_close_fast(void);
__attribute__((visibility("hidden"))) void local_open_fast(void);

/* Since it was at `epoch`: is this thread a child that a signal handler forked? */
static inline bool local_is_forked(const struct local *local, uint64_t epoch)
{
	/* A compiler barrier is all that a thread needs against its own signals. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return !epoch || __atomic_load_n(&local->epoch, __ATOMIC_RELAXED) != epoch;
}

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#endif /* LIBLTTNGMAP_BASE_LOCAL_H */
