/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "relay/flight.h"

/* How much the collector takes is looked at so often, */
#define MEASURE_US 20000
/* and not beyond what can be multiplied: a TiB. */
#define TAKEN_MAX (UINT64_C(1) << 40)
#define LEAST_MAX_US 1000000
#define PATIENCE_MIN_US 250
#define PATIENCE_MAX_US 4000
/* A question costs two wake-ups, here and at the collector. */
#define GATHER_US 4000

void flight_begin(struct flight *flight, uint64_t now)
{
	*flight = (struct flight){
		.max = FLIGHT_MIN,
		.begin = now,
		.patience = PATIENCE_MIN_US,
	};
}

/* Answers that wait for others take longer: the least time is the round trip's own. */
static void measure(struct flight *flight, uint64_t took)
{
	took = took < LEAST_MAX_US ? took : LEAST_MAX_US;
	if (!flight->least || took < flight->least)
		flight->least = took ? took : 1;
}

void flight_confirmed(struct flight *flight, uint64_t bytes, uint64_t sent, uint64_t now)
{
	uint64_t took = now - flight->begin, wanted;

	if (sent)
		measure(flight, now - sent);
	flight->bytes -= bytes < flight->bytes ? bytes : flight->bytes;
	flight->patience = PATIENCE_MIN_US;
	flight->is_pending = false;
	flight->ask = now + GATHER_US;
	flight->taken += bytes < TAKEN_MAX ? bytes : TAKEN_MAX;
	if (took < MEASURE_US)
		return;
	if (flight->taken > TAKEN_MAX)
		flight->taken = TAKEN_MAX;
	wanted = flight->taken * 4 / took * flight->least;
	flight->max = wanted < FLIGHT_MIN ? FLIGHT_MIN : wanted < FLIGHT_MAX ? wanted : FLIGHT_MAX;
	flight->begin = now;
	flight->taken = 0;
}

void flight_sent(struct flight *flight, uint64_t bytes, uint64_t now)
{
	if (!flight->bytes)
		flight->ask = now + GATHER_US;
	flight->bytes += bytes;
}

bool flight_is_sparse(const struct flight *flight)
{
	return !flight->is_pending && flight->bytes < flight->max / 4 * 3;
}

bool flight_is_due(const struct flight *flight, uint64_t now)
{
	return now >= flight->ask || (!flight->is_pending && !flight_is_sparse(flight));
}

void flight_pending(struct flight *flight, uint64_t now)
{
	uint64_t patience = flight->patience;

	flight->ask = now + patience;
	flight->is_pending = true;
	flight->patience = patience * 2 < PATIENCE_MAX_US ? patience * 2 : PATIENCE_MAX_US;
}

uint64_t flight_wait(const struct flight *flight, uint64_t now)
{
	return flight->ask > now ? flight->ask - now : 0;
}
