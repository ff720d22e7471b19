/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/attach/away.h"

#include <stddef.h>

#include <lttngmap/abi.h>

#include "liblttngmap/attach/attach.h"
#include "liblttngmap/attach/channel.h"
#include "liblttngmap/attach/memory-map.h"
#include "liblttngmap/attach/module.h"
#include "liblttngmap/ring/ring.h"
#include "liblttngmap/ring/ring-filter.h"

/* Which channel a slot is; 0: no restart leaves it to the next daemon. */
static uint32_t life_of(const struct lttngmap_control *control, uint32_t slot)
{
	return control ? __atomic_load_n(&control->channels[slot].life, __ATOMIC_RELAXED) : 0;
}

static const struct lttngmap_control *control_of(const struct local *local)
{
	return __atomic_load_n(&local->control, __ATOMIC_RELAXED);
}

static bool is_away(const struct lttngmap_control *control)
{
	/* Acquire: it is set before any channel is withdrawn. */
	return control && __atomic_load_n(&control->left, __ATOMIC_ACQUIRE) & LTTNGMAP_LEFT_COUNTS;
}

static void add(struct local *local, uint32_t slot, uint64_t life, uint64_t events)
{
	struct local_away *away = &local->away[slot];

	__atomic_store_n(&away->life, life, __ATOMIC_RELAXED);
	__atomic_add_fetch(&away->events, events, __ATOMIC_RELAXED);
}

void away_carry(struct local *from, struct local *to)
{
	struct ring_channel cached;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (uint32_t slot = 0; from && slot < LTTNGMAP_CHANNELS; slot++) {
		uint64_t events =
			__atomic_exchange_n(&from->away[slot].events, 0, __ATOMIC_RELAXED);

		if (!events)
			continue;
		add(to, slot, __atomic_load_n(&from->away[slot].life, __ATOMIC_RELAXED), events);
		if (channel_is_cached(to, slot, &cached))
			away_settle(to, slot, &cached);
	}
}

void away_settle(struct local *local, uint32_t slot, const struct ring_channel *cached)
{
	struct local_away *away = &local->away[slot];
	uint64_t events;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (LIKELY(!__atomic_load_n(&away->events, __ATOMIC_RELAXED)))
		return;
	events = __atomic_exchange_n(&away->events, 0, __ATOMIC_RELAXED);
	/* Another channel of that slot, whose session did not record then, lost nothing. */
	if (events &&
	    life_of(control_of(local), slot) == __atomic_load_n(&away->life, __ATOMIC_RELAXED))
		ring_discard(local, ring_at(cached, 0), events);
}

/* The process is registered again: tell all that it counted, whatever it emits next. */
static void settle_all(struct local *local)
{
	const struct lttngmap_process *process = __atomic_load_n(&local->process, __ATOMIC_ACQUIRE);
	struct ring_channel cached;

	for (uint32_t slot = 0; process && slot < LTTNGMAP_CHANNELS; slot++)
		if (__atomic_load_n(&local->away[slot].events, __ATOMIC_RELAXED) &&
		    __atomic_load_n(&process->channels, __ATOMIC_RELAXED) >> slot & 1 &&
		    channel_cached(local, slot, &cached) == CHANNEL_ON)
			away_settle(local, slot, &cached);
}

static void count(struct local *local, const struct lttngmap_control *control, uint32_t slot)
{
	const uint32_t life = life_of(control, slot);
	struct local *now;

	if (!life)
		return;
	add(local, slot, life, 1);
	/* Pairs with away_carry()'s of attach_first(). */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	now = __atomic_load_n(&local_pages, __ATOMIC_ACQUIRE);
	if (now != local)
		away_carry(local, now);
}

/* Is the next daemon there? */
static void look_for_daemon(void)
{
	if (attach_daemon_left() && module_answer_attach_request())
		settle_all(__atomic_load_n(&local_pages, __ATOMIC_ACQUIRE));
}

void away_lose(struct local *local, uint32_t slot, const struct ring_event *event)
{
	const struct lttngmap_control *control = control_of(local);

	if (LIKELY(!is_away(control)) || ring_filter(local, slot, event) == CHANNEL_OFF)
		return;
	count(local, control, slot);
	look_for_daemon();
}

bool away_lose_word(struct local *local, const uint64_t *word)
{
	const struct lttngmap_control *control = memory_map_control();
	uint64_t channels;

	if (LIKELY(!is_away(control)))
		return false;
	for (channels = memory_map_channels(word); channels; channels &= channels - 1)
		count(local, control, (uint32_t)__builtin_ctzll(channels));
	look_for_daemon();
	return true;
}
