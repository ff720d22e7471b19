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
};

/* A connection is new: nothing is on the way. */
void flight_begin(struct flight *flight, uint64_t now);
/* `bytes` of those on the way are confirmed, the last of which went there at `sent`. */
void flight_confirmed(struct flight *flight, uint64_t bytes, uint64_t sent, uint64_t now);
/* Nothing was. How long to wait until it is asked again: longer each time. */
uint64_t flight_wait(struct flight *flight);

#endif /* RELAY_FLIGHT_H */
