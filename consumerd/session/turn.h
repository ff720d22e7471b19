/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * turn.h - a queue of rings and sessions with work. The event loop serves the queue between
 * descriptors, for half a millisecond and each entry once, so that none delays another. An entry
 * that expects more work soon waits for the next step: one timer queues all that wait, when the
 * first of them is due.
 */
#ifndef CONSUMERD_SESSION_TURN_H
#define CONSUMERD_SESSION_TURN_H

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-event.h>
#include <urcu/list.h>

struct turns {
	struct cds_list_head queue;
	struct cds_list_head served;  /* of the queue, while it is served */
	sd_event_source *source;      /* on while the queue is not empty */
	struct cds_list_head waiting; /* for the next step */
	sd_event_source *timer;       /* on while somebody waits: until … */
	uint64_t due_usec;            /* CLOCK_MONOTONIC */
};

/* An entry, within what it serves. Zeros: neither queued, nor waiting. */
struct turn {
	struct cds_list_head node;
	bool queued;
	bool waits;
	/* Taken off the queue before the call; it may queue or free itself. */
	void (*serve)(struct turn *turn);
};

int turns_init(struct turns *turns, sd_event *loop);
/* The queue must be empty, and nobody wait. */
void turns_fini(struct turns *turns);
bool turns_are_empty(struct turns *turns);

/* At the end of the queue, unless it is in it. */
void turn_add(struct turns *turns, struct turn *turn);
/*
 * The same at the next step, at `due_usec` (CLOCK_MONOTONIC) and 1 ms more at the latest, or by
 * turn_add() before that. False: there is no timer, and it does not wait.
 */
bool turn_add_later(struct turns *turns, struct turn *turn, uint64_t due_usec);
void turn_remove(struct turn *turn);

#endif /* CONSUMERD_SESSION_TURN_H */
