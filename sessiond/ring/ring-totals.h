/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ring-totals.h - sums over rings, as a session shows them.
 *
 * Any thread adds and reads. Each count only grows. A ring that is closed because its process
 * damaged it has its counts in there already; what of them the process alone says is counted
 * once more, as `claims`, and ring_totals_read() takes that off. So nothing is ever subtracted
 * from a sum that other rings add to.
 */
#ifndef SESSIOND_RING_RING_TOTALS_H
#define SESSIOND_RING_RING_TOTALS_H

#include <stdint.h>

/* Counters of a ring, or of several. */
struct ring_account {
	uint64_t written;
	uint64_t discarded;
	uint64_t overwritten;
	uint64_t cut; /* of those written, not whole, as the process says */
};

/* So many processes that damaged their rings are named. */
#define RING_DAMAGERS 4

struct ring_damager {
	uint32_t state; /* enum ring_damager_state */
	uint32_t pid;
	char name[16];
};

enum ring_damager_state {
	RING_DAMAGER_NONE,
	RING_DAMAGER_WRITTEN, /* now, by one thread */
	RING_DAMAGER_THERE,
};

struct ring_totals {
	uint64_t written;
	uint64_t delivered;
	uint64_t discarded;
	uint64_t overwritten;
	uint64_t cut;
	uint64_t closed_rings;
	struct ring_account claims; /* of closed rings: ring_reader_claims() */
	struct ring_damager damagers[RING_DAMAGERS];
	uint32_t more_damagers; /* others were not named */
	/* The session's metadata, as packets name it. Set by the session before an
	   event that needs it is turned on. */
	uint64_t metadata_generation;
};

/* A total never goes down: it stays at INT64_MAX once it is there. */
void ring_total_add(uint64_t *total, uint64_t more);
void ring_account_add(struct ring_account *account, const struct ring_account *more);
/* All counts and names; nobody writes `more` meanwhile. */
void ring_totals_add(struct ring_totals *totals, const struct ring_totals *more);
/* The process damaged its rings: named once, or as one of others. */
void ring_totals_name(struct ring_totals *totals, uint32_t pid, const char *name);
/*
 * Counts and names of now. What closed rings' processes claim is in `claims` alone: of a closed
 * ring the other counts have what a reader was given, and no loss. `metadata_generation` is not
 * read.
 */
void ring_totals_read(const struct ring_totals *totals, struct ring_totals *read);
/* Events that closed rings' processes claim to have lost: unread, overwritten and discarded. */
uint64_t ring_totals_claimed(const struct ring_totals *totals);

#endif /* SESSIOND_RING_RING_TOTALS_H */
