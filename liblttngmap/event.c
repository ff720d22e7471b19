/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * event.c - an event that is on goes into every channel in which it is on.
 */
#include <lttngmap/abi.h>
#include <lttngmap/event-class.h>

#include "attach.h"
#include "channel.h"
#include "local.h"
#include "ring.h"
#include "ring-write.h"

void lttngmap_event_write(const struct lttngmap_tracepoint *tracepoint, const void *fields,
			  size_t size, const void *ip)
{
	struct local *local = local_pages;
	/* Acquire: pairs with attach(); what it points at is mapped. */
	const struct lttngmap_process *process = __atomic_load_n(&local->process, __ATOMIC_ACQUIRE);
	struct ring_event event = { .fields = fields, .size = size, .ip = ip };
	uint64_t channels;

	if (UNLIKELY(!process)) {
		enum attach_result result = attach_child(local);

		if (result == ATTACH_BUSY)
			channel_lose(local);
		if (result != ATTACH_READY)
			return;
		process = __atomic_load_n(&local->process, __ATOMIC_ACQUIRE);
	}
	/* Acquire of `word`: the id is that of the word; pairs with turn_on(). */
	channels = __atomic_load_n(__atomic_load_n(&tracepoint->word, __ATOMIC_ACQUIRE),
				   __ATOMIC_RELAXED) &
		   __atomic_load_n(&process->channels, __ATOMIC_RELAXED);
	event.id = tracepoint->id;
	for (; channels; channels &= channels - 1)
		ring_write(local, (uint32_t)__builtin_ctzll(channels), &event);
}
