/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-set-private.h - what a ring set consists of, for ring-set.c, which serves
 * its reader, ring-set-end.c, which stops it, and ring-set-make.c, where it comes
 * from and goes to.
 */
#ifndef SESSIOND_RING_RING_SET_PRIVATE_H
#define SESSIOND_RING_RING_SET_PRIVATE_H

#include <pthread.h>

#include <urcu.h>
#include <urcu/rculfhash.h>
#include <urcu/ref.h>

#include "sessiond/ring/ring-back.h"
#include "sessiond/ring/ring-reader.h"
#include "sessiond/ring/ring-set.h"

/* A reader that reads backward. It leaves no trace, and ends with the daemon. */
struct backward_reader {
	bool used;
	bool holds; /* the packet that was given last is one of these */
	uint32_t cpu;
	struct ring_back at;
	struct ring_lease lease;
};

struct lttngmap_set_counts;

struct ring_set {
	struct urcu_ref references;
	struct rcu_head rcu;
	struct cds_lfht_node node; /* in the table, by id */

	/* Constant. */
	uint64_t id;
	int device; /* of the kernel module, which reads the rings; -1: we do */
	char *session;
	char *channel;
	char *file_name;
	struct ring_set_config config; /* its strings are not used */
	char procname[16];
	struct ring_geometry geometry;
	uint32_t rings;
	uint64_t data_size;

	void *mediator_data; /* the mediator's */
	bool has_rung;       /* a trigger's; atomic */

	pthread_mutex_t mutex;      /* over all that follows */
	struct lttngmap_meta *meta; /* NULL before the first reader */
	bool has_reader;
	bool finished;
	bool shrunk; /* its memory was cut short */
	bool said_unsound;
	uint32_t turn;      /* the ring that is asked first */
	uint32_t given;     /* packets in flight that this reader has; those of one that
			       went: 0 */
	bool is_taken_away; /* what it has is in flight no more, since a clear */
	struct backward_reader back;
	uint32_t backward_passes; /* by readers that are gone */
	/* State of ring_set_flushed(): all marks are passed, except by a packet in flight. */
	bool passed;
	uint32_t passed_cpu;
	uint64_t passed_sequence;
	struct ring_saved *saved;
	struct ring_saved *own;      /* where it outlives nobody */
	struct in_flight *in_flight; /* in `saved`, as are the next two */
	struct ring_account *told;
	struct ring_reader *readers;
};

/*
 * The reader's packets, all of one ring, in their order; and what became of those before
 * them. `current` is the first, the others are ring_saved.more[from] to [to - 1].
 */
struct in_flight {
	bool holds;     /* there is one */
	bool overrun;   /* `current` was overwritten meanwhile */
	bool forgotten; /* they count nowhere: the set is being cleared */
	bool frees;     /* `freed` was let go of, and may still be in its place in the rotation */
	uint32_t from, to;
	uint32_t freed_cpu;
	struct ring_lease freed;
	struct lttngmap_packet current;
	struct ring_lease lease;
	uint64_t delivered;
};

#define IN_FLIGHT_MORE_MAX (LTTNGMAP_PACKETS_MAX - 1)

struct in_flight_more {
	struct lttngmap_packet packet;
	struct ring_lease lease; /* it stays in its place */
};

static inline uint32_t in_flight_count(const struct in_flight *in_flight)
{
	return in_flight->holds ? 1 + in_flight->to - in_flight->from : 0;
}

/*
 * The state that a restarted daemon needs. `before` goes with `undo`: while that is in force,
 * `before` holds the packets in flight to go back to. Each count of `told` only grows, up to the
 * readers' accounts.
 */
struct ring_saved {
	uint64_t id;   /* of the set; 0: there is none. Written last, cleared first. */
	uint64_t life; /* of the channel */
	uint64_t begin;
	struct ring_account told; /* what of the rings' accounts the totals have */
	struct ring_account
		claims; /* what of closed rings' claims they have, since the last clear */
	uint64_t closed;
	struct ring_totals base; /* what of these counts former totals have */
	uint32_t chunk;          /* of the packets that are given now */
	uint32_t next_chunk;     /* … after what was marked */
	bool rotating;           /* not all of which was given */
	bool awake;              /* ring control may say that a reader looks by itself */
	uint32_t user_before;    /* of packets below the readers' user marks */
	struct in_flight in_flight;
	struct in_flight before;
	/* The second and later packets of `in_flight` and of `before`; nobody's beyond `to`. */
	struct in_flight_more more[IN_FLIGHT_MORE_MAX];
	struct ring_undo undo;
	/* A trigger's: the events of its tables that were noted are `events` + `offset`. */
	uint64_t events;
	uint64_t offset;
	struct ring_reader readers[];
};

/* ---- of ring-set.c; the mutex is held --------------------------------------------- */

/* Bring the session's totals up to what the rings' accounts say. */
void ring_set_tell_totals(struct ring_set *set);
/* One is corrupt: say so. */
void ring_set_close_ring(struct ring_set *set, uint32_t ring);
bool ring_set_has_packet(struct ring_set *set);
/* Is its memory as large as it was? Call before a read of it. */
void ring_set_check_memory(struct ring_set *set);
void ring_set_set_awake(struct ring_set *set, bool awake);
/* The packets marked for a rotation are read or given up: begins the next chunk. */
void ring_set_begin_chunk(struct ring_set *set);
/* … where that is so. */
void ring_set_pass_rotation(struct ring_set *set);

/* ---- of ring-set-lease.c; likewise ------------------------------------------------- */

/* The hand's first packet is counted where it belongs, and let go of; the next takes its place. */
void ring_set_release_current(struct ring_set *set);
/* The user of that packet of the ring, if sub-buffer `seq` has it. */
uint32_t ring_set_user_of(const struct ring_set *set, uint32_t ring, uint64_t seq,
			  const struct lttngmap_packet *packet);
/* All that this reader was given. */
void ring_set_release(struct ring_set *set);
/* Says where the packet is from: ring, CPU if that is known, sub-buffer of the file. */
void ring_set_place_packet(const struct ring_set *set, uint32_t ring,
			   struct lttngmap_packet *packet);
/* From one ring, into the packets in flight, which is empty: 0 or -EAGAIN. */
int ring_set_take_from(struct ring_set *set, uint32_t ring, bool partial);
/*
 * Fills `packets` with the packets in flight and further ones of that ring, up to `most`. Returns
 * their number.
 */
uint32_t ring_set_give(struct ring_set *set, struct lttngmap_packet *packets, uint32_t most);
/* After a restart: what the one before was letting go of. */
void ring_set_account_freed(struct ring_set *set);

/*
 * ---- of ring-set-module.c: the set is the kernel module's ---------------------------
 *
 * What of `saved` there is then: id, life, begin, what the totals were told, closed. The readers
 * are good for ring_set_touched() alone.
 */

static inline bool ring_set_is_module(const struct ring_set *set)
{
	return set->device >= 0;
}

/* Makes it there; its id. 0 or -errno. */
int ring_set_module_make(const struct ring_set_config *config, uint64_t *id);
/* One request of module-abi.h. 0 or -errno. */
int ring_set_module_ask(const struct ring_set *set, unsigned long request);
int ring_set_module_tell(const struct ring_set *set, unsigned long request, uint64_t value);
/* Asks for the counts, and tells them the totals. The mutex is held. 0 or -errno. */
int ring_set_module_count(struct ring_set *set, struct lttngmap_set_counts *counts);
/* Likewise; true if it has all of these flags, or is gone. The mutex is not held, as in all below.
 */
bool ring_set_module_is(struct ring_set *set, uint32_t flags);
/* ring_set_poll(), as far as the module tells: POLLHUP or 0. */
unsigned ring_set_module_poll(struct ring_set *set);
void ring_set_module_clear(struct ring_set *set, struct ring_totals *totals);
uint32_t ring_set_module_backward_passes(struct ring_set *set);
void ring_set_module_measure(struct ring_set *set, struct ring_usage *usage);

#endif /* SESSIOND_RING_RING_SET_PRIVATE_H */
