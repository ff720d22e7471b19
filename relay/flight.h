/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * flight.h - how many bytes may be on the way to the collector that it has not confirmed: that is
 * what is sent twice if the connection is lost then, so they are as few as keep the way full.
 *
 * Half of them are sent while the collector is asked about the other half. If the collector took
 * bytes at an even pace, those that it takes until one packet is confirmed would be enough. The
 * limit is four times that, between FLIGHT_MIN and FLIGHT_MAX.
 *
 * One thread. Times are in microseconds of a clock that does not go back.
 */
#ifndef RELAY_FLIGHT_H
#define RELAY_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#define FLIGHT_MIN (UINT64_C(1) << 20)
#define FLIGHT_MAX (UINT64_C(16) << 20)

struct flight {
	uint64_t bytes;    /* sent and not confirmed */
	uint64_t max;      /* and how many there may be */
	uint64_t least;    /* the least time until something was confirmed; 0: not known yet */
	uint64_t begin;    /* since then is counted how much it takes */
	uint64_t taken;    /* bytes */
	uint64_t patience; /* how long it is waited before it is asked again */
	uint64_t ask;      /* when the collector is asked */
	bool is_pending;   /* it was asked, and has not written all of it */
};

/* A connection is new: nothing is on the way. */
void flight_begin(struct flight *flight, uint64_t now);
/* `bytes` more go there. */
void flight_sent(struct flight *flight, uint64_t bytes, uint64_t now);
/*
 * True if the collector is to be asked now. While less than three quarters of what may be are on
 * the way, packets gather for some milliseconds and one question is about all of them.
 */
bool flight_is_due(const struct flight *flight, uint64_t now);
/* True if the next question is about all that was sent, as nothing has to go meanwhile. */
bool flight_is_sparse(const struct flight *flight);
/*
 * `bytes` of those on the way are confirmed, the last of which went there at `sent`; 0: the
 * question was put off, and the time says nothing about the collector.
 */
void flight_confirmed(struct flight *flight, uint64_t bytes, uint64_t sent, uint64_t now);
/* The answer is that some are not written. The next question comes later each time. */
void flight_pending(struct flight *flight, uint64_t now);
/* How long to wait until the collector is asked. */
uint64_t flight_wait(const struct flight *flight, uint64_t now);

#endif /* RELAY_FLIGHT_H */
