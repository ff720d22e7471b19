/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/ring/ring-totals.h"

#include <stdbool.h>
#include <string.h>

/* Release: who reads a claim reads the count that it is part of; pairs with ring_totals_read(). */
void ring_total_add(uint64_t *total, uint64_t more)
{
	uint64_t sum, before = __atomic_load_n(total, __ATOMIC_RELAXED);

	do
		sum = before < INT64_MAX && more < INT64_MAX - before ? before + more : INT64_MAX;
	while (!__atomic_compare_exchange_n(total, &before, sum, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED));
}

void ring_account_add(struct ring_account *account, const struct ring_account *more)
{
	ring_total_add(&account->written, more->written);
	ring_total_add(&account->discarded, more->discarded);
	ring_total_add(&account->overwritten, more->overwritten);
	ring_total_add(&account->cut, more->cut);
}

void ring_totals_add(struct ring_totals *totals, const struct ring_totals *more)
{
	ring_total_add(&totals->written, more->written);
	ring_total_add(&totals->delivered, more->delivered);
	ring_total_add(&totals->discarded, more->discarded);
	ring_total_add(&totals->overwritten, more->overwritten);
	ring_total_add(&totals->cut, more->cut);
	ring_total_add(&totals->closed_rings, more->closed_rings);
	ring_account_add(&totals->claims, &more->claims);
	for (unsigned i = 0; i < RING_DAMAGERS; i++)
		if (more->damagers[i].state == RING_DAMAGER_THERE)
			ring_totals_name(totals, more->damagers[i].pid, more->damagers[i].name);
	if (more->more_damagers)
		__atomic_store_n(&totals->more_damagers, 1, __ATOMIC_RELAXED);
}

static bool is_there(const struct ring_damager *damager)
{
	/* Acquire: pairs with the release behind the name. */
	return __atomic_load_n(&damager->state, __ATOMIC_ACQUIRE) == RING_DAMAGER_THERE;
}

void ring_totals_name(struct ring_totals *totals, uint32_t pid, const char *name)
{
	for (unsigned i = 0; i < RING_DAMAGERS; i++) {
		struct ring_damager *damager = &totals->damagers[i];
		uint32_t none = RING_DAMAGER_NONE;

		if (is_there(damager) && damager->pid == pid &&
		    strncmp(damager->name, name, sizeof(damager->name)) == 0)
			return;
		if (!__atomic_compare_exchange_n(&damager->state, &none, RING_DAMAGER_WRITTEN,
						 false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		damager->pid = pid;
		strncpy(damager->name, name, sizeof(damager->name) - 1);
		__atomic_store_n(&damager->state, RING_DAMAGER_THERE, __ATOMIC_RELEASE);
		return;
	}
	__atomic_store_n(&totals->more_damagers, 1, __ATOMIC_RELAXED);
}

static uint64_t load(const uint64_t *total)
{
	return __atomic_load_n(total, __ATOMIC_ACQUIRE);
}

/* A total that is full stays so. */
static uint64_t take_off(const uint64_t *total, uint64_t claim)
{
	uint64_t count = load(total);

	if (count == INT64_MAX)
		return count;
	return count > claim ? count - claim : 0;
}

void ring_totals_read(const struct ring_totals *totals, struct ring_totals *read)
{
	/* Claims first: the counts that they are taken off have them. */
	struct ring_account claims = {
		.written = load(&totals->claims.written),
		.discarded = load(&totals->claims.discarded),
		.overwritten = load(&totals->claims.overwritten),
	};

	*read = (struct ring_totals){
		.delivered = load(&totals->delivered),
		.cut = load(&totals->cut),
		.closed_rings = load(&totals->closed_rings),
		.claims = claims,
		.more_damagers = __atomic_load_n(&totals->more_damagers, __ATOMIC_RELAXED),
	};
	read->written = take_off(&totals->written, claims.written);
	read->discarded = take_off(&totals->discarded, claims.discarded);
	read->overwritten = take_off(&totals->overwritten, claims.overwritten);
	for (unsigned i = 0; i < RING_DAMAGERS; i++)
		if (is_there(&totals->damagers[i]))
			read->damagers[i] = totals->damagers[i];
}

uint64_t ring_totals_claimed(const struct ring_totals *totals)
{
	uint64_t claimed = totals->claims.written;

	ring_total_add(&claimed, totals->claims.discarded);
	return claimed;
}
