/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-bench-set.h - the writer's and the reader's half of a ring set in one
 * program, without daemons: memfds, a global control, an attached `local`.
 */
#ifndef RING_BENCH_SET_H
#define RING_BENCH_SET_H

#include <stdint.h>

#include <lttngmap/abi.h>

#include "liblttngmap/base/local.h"
#include "liblttngmap/event/ring-write.h"
#include "sessiond/ring/ring-set.h"

struct bench_set_config {
	enum lttngmap_mode mode;
	enum lttngmap_clock clock;
	uint32_t subbuf_shift;
	uint32_t subbufs_shift;
	bool use_rseq;
	bool shared;              /* the rings are those of several processes */
	struct ring_saved *saved; /* as of a set; NULL: none */
};

struct bench_set {
	struct lttngmap_control *control;
	struct lttngmap_process *process;
	struct local *local;
	char *rings;
	char *data; /* the reader's view: read-only, meta page included */
	uint64_t data_size;
	struct ring_set *set;
	struct ring_totals totals;
	struct ring_set_config config; /* of `set`, but for the descriptor */
	int data_fd;                   /* another one */
	int daemon_socket;             /* the daemon's end: closed, the daemon is gone */
};

/* Events that all rings of the channel count as lost. */
uint64_t bench_set_discards(const struct bench_set *bench);

/* An event into the channel, as a program's tracepoint writes it. */
void bench_set_write(const struct bench_set *bench, const struct ring_event *event);

/* Exits the program where memory cannot be had. */
void bench_set_create(struct bench_set *bench, const struct bench_set_config *config);
/*
 * Another channel, as slot 0 has one, which nobody reads: its rings and their data, with no meta
 * page, are where bench->local->rings[slot] says.
 */
void bench_set_add_channel(struct bench_set *bench, uint32_t slot);
/* The daemon was killed, and this is its next life: another set, from `saved`. */
void bench_set_restore(struct bench_set *bench);
/* How many rings are locked in the name of a process that shares them. */
unsigned bench_set_locked(const struct bench_set *bench);
/* Somebody holds that ring, or nobody does: it is written by trylock, or by others. */
void bench_set_hold(struct bench_set *bench, struct lttngmap_ring *ring, bool held);
/* The ring's commit was changed behind the writers' backs: they are to believe it. */
void bench_set_believe(struct bench_set *bench, struct lttngmap_ring *ring);
/* What stop does: no event after it. */
void bench_set_stop(struct bench_set *bench);
void bench_set_destroy(struct bench_set *bench);

#endif /* RING_BENCH_SET_H */
