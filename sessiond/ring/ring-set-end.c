/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* ring-set-end.c - rings that stop, go on, end, are cleared, and are in another chunk. */
#include "sessiond/ring/ring-set-private.h"

#include "common/base/clock.h"
#include "sessiond/ring/module-abi.h"

static void freeze_rings(struct ring_set *set)
{
	ring_set_check_memory(set);
	for (uint32_t i = 0; i < set->rings; i++) {
		bool was_good = !set->readers[i].is_corrupt;

		ring_reader_freeze(&set->readers[i]);
		if (was_good && set->readers[i].is_corrupt)
			ring_set_close_ring(set, i);
	}
	ring_set_tell_totals(set);
}

void ring_set_freeze(struct ring_set *set)
{
	if (ring_set_is_module(set)) {
		ring_set_module_ask(set, LTTNGMAP_SET_FREEZE);
		return;
	}
	pthread_mutex_lock(&set->mutex);
	freeze_rings(set);
	pthread_mutex_unlock(&set->mutex);
}

void ring_set_thaw(struct ring_set *set)
{
	if (ring_set_is_module(set)) {
		ring_set_module_ask(set, LTTNGMAP_SET_THAW);
		return;
	}
	pthread_mutex_lock(&set->mutex);
	for (uint32_t i = 0; !set->finished && i < set->rings; i++)
		ring_reader_thaw(&set->readers[i]);
	pthread_mutex_unlock(&set->mutex);
}

void ring_set_finish(struct ring_set *set)
{
	if (ring_set_is_module(set)) {
		ring_set_module_ask(set, LTTNGMAP_SET_FINISH);
		return;
	}
	pthread_mutex_lock(&set->mutex);
	freeze_rings(set);
	set->finished = true;
	pthread_mutex_unlock(&set->mutex);
}

void ring_set_reset_clock(struct ring_set *set, uint64_t latest)
{
	uint64_t now = clock_read(set->geometry.clock);
	uint64_t begin = now > CLOCK_SLACK ? now - CLOCK_SLACK : 0;

	if (ring_set_is_module(set)) {
		ring_set_module_tell(set, LTTNGMAP_SET_RESET_CLOCK, latest);
		return;
	}
	pthread_mutex_lock(&set->mutex);
	for (uint32_t i = 0; i < set->rings; i++)
		ring_reader_reset_clock(&set->readers[i], latest);
	/* No record is older, of this time or of that before. */
	if (begin < set->geometry.begin)
		set->geometry.begin = set->saved->begin = begin;
	pthread_mutex_unlock(&set->mutex);
}

/*
 * Releases the reader's packets first: an exchange needs the reader's sub-buffer, and while a
 * packet is taken, the packet's sub-buffer stands in its place.
 */
void ring_set_clear(struct ring_set *set, struct ring_totals *totals)
{
	if (ring_set_is_module(set)) {
		ring_set_module_clear(set, totals);
		return;
	}
	pthread_mutex_lock(&set->mutex);
	set->is_taken_away = set->given > 0;
	set->given = 0;
	set->in_flight->forgotten = true;
	while (set->in_flight->holds)
		ring_set_release_current(set);
	/* A change of a reader that is not finished goes back to this. */
	set->saved->before = *set->in_flight;
	for (uint32_t i = 0; i < set->rings; i++) {
		bool was_good = !set->readers[i].is_corrupt;

		ring_reader_skip(&set->readers[i]);
		ring_undo_end(&set->saved->undo);
		if (was_good && set->readers[i].is_corrupt)
			ring_set_close_ring(set, i);
	}
	ring_set_tell_totals(set);
	set->saved->claims = (struct ring_account){ .written = 0 };
	set->told->written = 0;
	for (uint32_t i = 0; i < set->rings; i++) {
		ring_reader_clear(&set->readers[i]);
		set->told->written += set->readers[i].cleared.written;
	}
	set->saved->base = (struct ring_totals){
		.written = set->told->written,
		.delivered = set->in_flight->delivered,
		.discarded = set->told->discarded,
		.overwritten = set->told->overwritten,
		.cut = set->told->cut,
		.closed_rings = set->saved->closed,
	};
	set->config.totals = totals;
	pthread_mutex_unlock(&set->mutex);
}

void ring_set_add_counts(struct ring_set *set, struct ring_totals *totals)
{
	const struct ring_saved *saved = set->saved;

	pthread_mutex_lock(&set->mutex);
	ring_total_add(&totals->written, saved->told.written - saved->base.written);
	ring_total_add(&totals->delivered, saved->in_flight.delivered - saved->base.delivered);
	ring_total_add(&totals->discarded, saved->told.discarded - saved->base.discarded);
	ring_total_add(&totals->overwritten, saved->told.overwritten - saved->base.overwritten);
	ring_total_add(&totals->cut, saved->told.cut - saved->base.cut);
	ring_total_add(&totals->closed_rings, saved->closed - saved->base.closed_rings);
	ring_account_add(&totals->claims, &saved->claims);
	if (saved->closed > saved->base.closed_rings)
		ring_totals_name(totals, set->config.pid, set->procname);
	pthread_mutex_unlock(&set->mutex);
}

/* Nothing of them stays in the buffers. */
static void settle_rings(struct ring_set *set)
{
	for (uint32_t i = 0; i < set->rings; i++) {
		bool was_good = !set->readers[i].is_corrupt;

		ring_reader_settle(&set->readers[i]);
		if (was_good && set->readers[i].is_corrupt)
			ring_set_close_ring(set, i);
	}
}

bool ring_set_drained(struct ring_set *set)
{
	bool drained = true;

	if (ring_set_is_module(set))
		return ring_set_module_is(set, LTTNGMAP_SET_DRAINED);
	pthread_mutex_lock(&set->mutex);
	ring_set_check_memory(set);
	for (uint32_t i = 0; i < set->rings; i++)
		if (!set->readers[i].is_corrupt && !set->readers[i].frozen)
			drained = false;
	drained = drained && !set->in_flight->holds && !ring_set_has_packet(set);
	if (drained)
		settle_rings(set);
	ring_set_tell_totals(set);
	pthread_mutex_unlock(&set->mutex);
	return drained;
}

/* Up to where its rings have come now. */
static void mark_rings(struct ring_set *set)
{
	for (uint32_t i = 0; i < set->rings; i++) {
		bool was_good = !set->readers[i].is_corrupt;

		ring_reader_mark(&set->readers[i]);
		if (was_good && set->readers[i].is_corrupt)
			ring_set_close_ring(set, i);
	}
	ring_set_tell_totals(set);
}

bool ring_set_flush(struct ring_set *set)
{
	bool waiting = false;

	if (ring_set_is_module(set))
		return ring_set_module_ask(set, LTTNGMAP_SET_FLUSH) == 0 &&
		       !ring_set_module_is(set, LTTNGMAP_SET_FLUSHED);
	pthread_mutex_lock(&set->mutex);
	set->passed = false;
	if (!set->saved->rotating) {
		mark_rings(set);
		for (uint32_t i = 0; !waiting && i < set->rings; i++)
			waiting = !ring_reader_has_passed(&set->readers[i]);
	}
	pthread_mutex_unlock(&set->mutex);
	return waiting;
}

/* Was everything below the marks given out, the last of it being in flight? */
static bool has_passed_all(const struct ring_set *set)
{
	for (uint32_t i = 0; i < set->rings; i++)
		if (!ring_reader_has_passed(&set->readers[i]))
			return false;
	return true;
}

bool ring_set_flushed(struct ring_set *set)
{
	const struct in_flight *in_flight = set->in_flight;
	bool flushed;

	if (ring_set_is_module(set))
		return ring_set_module_is(set, LTTNGMAP_SET_FLUSHED);
	pthread_mutex_lock(&set->mutex);
	if (!set->passed && has_passed_all(set)) {
		set->passed = true;
		set->passed_cpu = in_flight->holds ? in_flight->current.cpu : LTTNGMAP_CPU_ANY;
		set->passed_sequence = in_flight->current.sequence + in_flight_count(in_flight) - 1;
	}
	flushed = set->passed && (!in_flight->holds || in_flight->current.cpu != set->passed_cpu ||
				  in_flight->current.sequence > set->passed_sequence);
	pthread_mutex_unlock(&set->mutex);
	return flushed;
}

void ring_set_change_user(struct ring_set *set, uint32_t user)
{
	if (ring_set_is_module(set))
		return;
	pthread_mutex_lock(&set->mutex);
	if (set->config.uid != user) {
		set->saved->user_before = set->config.uid;
		for (uint32_t i = 0; i < set->rings; i++)
			ring_reader_mark_user(&set->readers[i]);
		set->config.uid = user;
	}
	if (set->meta)
		set->meta->uid = user;
	pthread_mutex_unlock(&set->mutex);
}

void ring_set_rotate(struct ring_set *set, uint32_t chunk)
{
	struct ring_saved *saved = set->saved;

	if (ring_set_is_module(set)) {
		ring_set_module_tell(set, LTTNGMAP_SET_ROTATE, chunk);
		return;
	}
	pthread_mutex_lock(&set->mutex);
	if (saved->next_chunk != chunk)
		mark_rings(set);
	if (saved->next_chunk != chunk)
		__atomic_store_n(&saved->rotating, true, __ATOMIC_RELEASE);
	__atomic_store_n(&saved->next_chunk, chunk, __ATOMIC_RELEASE);
	ring_set_pass_rotation(set);
	pthread_mutex_unlock(&set->mutex);
}

bool ring_set_rotated(struct ring_set *set)
{
	bool rotated;

	if (ring_set_is_module(set))
		return ring_set_module_is(set, LTTNGMAP_SET_ROTATED);
	pthread_mutex_lock(&set->mutex);
	ring_set_pass_rotation(set);
	rotated = !set->saved->rotating;
	pthread_mutex_unlock(&set->mutex);
	return rotated;
}

void ring_set_end_rotation(struct ring_set *set)
{
	if (ring_set_is_module(set)) {
		ring_set_module_ask(set, LTTNGMAP_SET_END_ROTATION);
		return;
	}
	pthread_mutex_lock(&set->mutex);
	if (set->saved->rotating)
		ring_set_begin_chunk(set);
	pthread_mutex_unlock(&set->mutex);
}
