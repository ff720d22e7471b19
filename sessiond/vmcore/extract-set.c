/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/vmcore/extract-set.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "sessiond/ring/ring-set-private.h"

static int read_undo(struct dump *dump, const struct dump_set *set, uint64_t at,
		     struct ring_undo *undo)
{
	const struct lttngmap_anchor_set *layout = &dump_anchor(dump)->set;
	uint64_t offset;

	if (dump_read(dump, set->address + layout->undo, undo, sizeof(*undo)) != 0)
		return -EIO;
	offset = (uint64_t)(uintptr_t)undo->reader - (set->address + layout->readers);
	/* ring_set_import() refuses another reader than one of the set's. */
	undo->reader = (void *)(uintptr_t)(at + offsetof(struct ring_saved, readers) + offset);
	return 0;
}

/* The packets that the module's reader had; of those behind the first it says which they are. */
static int read_held(struct dump *dump, const struct dump_set *set,
		     const struct lttngmap_set_state *state, struct ring_saved *saved)
{
	uint64_t at = set->address + dump_anchor(dump)->set.held;
	struct in_flight *in_flight = &saved->in_flight;
	struct lttngmap_held held[LTTNGMAP_PACKETS_MAX];

	*in_flight = (struct in_flight){ .delivered = state->delivered };
	if (state->from > state->to || state->to > LTTNGMAP_PACKETS_MAX)
		return -EBADMSG;
	if (state->from == state->to)
		return 0;
	if (dump_read(dump, at, held, sizeof(held)) != 0)
		return -EIO;
	in_flight->holds = true;
	in_flight->overrun = held[state->from].overrun;
	in_flight->current = held[state->from].packet;
	in_flight->lease = held[state->from].lease;
	for (uint32_t i = state->from + 1; i < state->to; i++) {
		saved->more[in_flight->to].packet = held[i].packet;
		saved->more[in_flight->to++].lease = held[i].lease;
	}
	return 0;
}

static void sum_accounts(const struct dump_set *set, struct ring_saved *saved)
{
	saved->told = (struct ring_account){ .written = 0 };
	saved->base = (struct ring_totals){ .written = 0 };
	for (uint32_t i = 0; i < set->rings; i++) {
		const struct ring_reader *reader = &saved->readers[i];

		ring_account_add(&saved->told, &reader->account);
		saved->base.written += reader->cleared.written;
		saved->base.discarded += reader->cleared.discarded;
		saved->base.overwritten += reader->cleared.overwritten;
		saved->base.cut += reader->cleared.cut;
	}
}

int extract_set_state(struct dump *dump, const struct dump_set *set, uint64_t at,
		      struct ring_saved *saved)
{
	const struct lttngmap_anchor_set *layout = &dump_anchor(dump)->set;
	struct lttngmap_set_state state;
	int error;

	if (dump_read(dump, set->address + layout->readers, saved->readers,
		      set->rings * sizeof(struct ring_reader)) != 0)
		return -EIO;
	error = read_undo(dump, set, at, &saved->undo);
	if (error)
		return error;
	/* An unfinished change goes back: that of the packets here, that of the reader in the
	 * recovery. */
	if (dump_read(dump, set->address + (saved->undo.in_force ? layout->before : layout->state),
		      &state, sizeof(state)) != 0)
		return -EIO;
	error = read_held(dump, set, &state, saved);
	if (error)
		return error;
	saved->before = saved->in_flight;
	sum_accounts(set, saved);
	saved->base.delivered = state.delivered_cleared;
	saved->claims = (struct ring_account){ .written = 0 };
	saved->closed = state.closed;
	saved->begin = set->info.begin;
	saved->chunk = state.chunk;
	saved->next_chunk = state.next_chunk;
	saved->rotating = state.rotating;
	saved->awake = false;
	return 0;
}
