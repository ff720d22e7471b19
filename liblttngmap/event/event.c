/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * event.c - the general way of an event that is on, into every channel in which it is on.
 */
#include <stddef.h>

#include <lttngmap/abi.h>
#include <lttngmap/event-class.h>

#include "liblttngmap/base/arch.h"
#include "liblttngmap/attach/attach.h"
#include "liblttngmap/attach/channel.h"
#include "liblttngmap/event/event-fast.h"
#include "liblttngmap/base/local.h"
#include "liblttngmap/attach/module.h"
#include "liblttngmap/ring/ring.h"
#include "liblttngmap/ring/ring-filter.h"
#include "liblttngmap/event/ring-write.h"

static void write_channels(struct local *local, uint64_t channels, const struct ring_event *event)
{
	for (; channels; channels &= channels - 1)
		ring_write(local, (uint32_t)__builtin_ctzll(channels), event);
}

void event_write_flagged(const struct lttngmap_tracepoint *tracepoint, const void *fields,
			 size_t size, const void *ip, uint32_t flags)
{
	const uint64_t *at = __atomic_load_n(&tracepoint->word, __ATOMIC_ACQUIRE);
	uint64_t word = __atomic_load_n(at, __ATOMIC_RELAXED);
	struct ring_event event = { .fields = fields, .size = size, .ip = ip, .flags = flags };
	const struct lttngmap_process *process;
	struct local *local;
	uint64_t channels;
	uintptr_t offset;

	if (UNLIKELY(word == ATTACH_REQUEST_WORD)) {
		/* Without another daemon: it was not on. */
		if (!module_answer_attach_request() && attach_daemon_left())
			return;
		at = __atomic_load_n(&tracepoint->word, __ATOMIC_ACQUIRE);
		word = __atomic_load_n(at, __ATOMIC_RELAXED);
	}
	/* Acquire, of both: pairs with attach(); what they point at is there. */
	local = __atomic_load_n(&local_pages, __ATOMIC_ACQUIRE);
	if (UNLIKELY(!local))
		return;
	if (UNLIKELY(!arch_thread_has_storage())) {
		ring_discard(local, NULL, 1);
		return;
	}
	process = __atomic_load_n(&local->process, __ATOMIC_ACQUIRE);
	if (UNLIKELY(!process)) {
		enum attach_result result = attach_child(local);

		if (result == ATTACH_STALE && module_register_again(local))
			event_write_flagged(tracepoint, fields, size, ip, flags);
		else if (result == ATTACH_BUSY || result == ATTACH_STALE)
			channel_lose(local);
		else if (result != ATTACH_READY)
			attach_lose(local, at);
		if (result != ATTACH_READY)
			return;
		process = __atomic_load_n(&local->process, __ATOMIC_ACQUIRE);
	}
	/* Not on any more: the word was of a daemon that this process has left meanwhile. */
	offset = (uintptr_t)at - (uintptr_t)__atomic_load_n(&local->control, __ATOMIC_RELAXED) -
		 offsetof(struct lttngmap_control, event_words);
	if (UNLIKELY(offset >= LTTNGMAP_EVENT_IDS * sizeof(*at))) {
		/* Or a child that was forked since: once more, as itself. */
		if (!__atomic_load_n(&local->process, __ATOMIC_ACQUIRE))
			event_write_flagged(tracepoint, fields, size, ip, flags);
		else
			attach_lose(local, at);
		return;
	}
	event.id = (uint32_t)(offset / sizeof(*at));
	channels = word & __atomic_load_n(&process->channels, __ATOMIC_RELAXED);
	event_fast_allow(local, channels);
	write_channels(local, channels, &event);
}

void event_write_general(const struct lttngmap_tracepoint *tracepoint, const void *fields,
			 size_t size, const void *ip)
{
	event_write_flagged(tracepoint, fields, size, ip, 0);
}

void event_write_left(const void *fields, size_t size, const void *ip, struct local *local,
		      uint64_t channels, uint32_t id)
{
	struct ring_event event = { .fields = fields, .size = size, .ip = ip, .id = id };

	write_channels(local, channels, &event);
}

void event_write_filtered(const struct lttngmap_tracepoint *tracepoint, const void *fields,
			  size_t size, const void *ip, const struct local *local, uint64_t word)
{
	if (!ring_filter_rejects(local, word, fields, size))
		event_write_general(tracepoint, fields, size, ip);
}

int lttngmap_event_write_at_once(const struct lttngmap_tracepoint *tracepoint, const void *fields,
				 size_t size, const void *ip)
{
	const uint64_t *at = __atomic_load_n(&tracepoint->word, __ATOMIC_ACQUIRE);
	/* Acquire, of both: as above. */
	struct local *local = __atomic_load_n(&local_pages, __ATOMIC_ACQUIRE);
	const struct lttngmap_process *process =
		local ? __atomic_load_n(&local->process, __ATOMIC_ACQUIRE) : NULL;
	struct ring_event event = { .fields = fields, .size = size, .ip = ip };
	uint64_t channels;
	uintptr_t offset;

#if defined(__AVX__) || !defined(__OPTIMIZE__)
	/* Compiled so, %xmm0 is written in a way that clears %ymm0's rest, or memset() called. */
	return 0;
#endif
	if (!process || !arch_thread_has_storage())
		return 0;
	offset = (uintptr_t)at - (uintptr_t)__atomic_load_n(&local->control, __ATOMIC_RELAXED) -
		 offsetof(struct lttngmap_control, event_words);
	if (offset >= LTTNGMAP_EVENT_IDS * sizeof(*at))
		return 0;
	event.id = (uint32_t)(offset / sizeof(*at));
	channels = __atomic_load_n(at, __ATOMIC_RELAXED) &
		   __atomic_load_n(&process->channels, __ATOMIC_RELAXED);
	/* If several channels record the event, the first one could not be taken back. */
	if (!channels || channels & (channels - 1))
		return !channels;
	return ring_write_at_once(local, (uint32_t)__builtin_ctzll(channels), &event);
}

int lttngmap_event_may_pass(const struct lttngmap_tracepoint *tracepoint, const void *fields,
			    size_t size, const struct lttngmap_known *known, size_t nr_known)
{
	const uint64_t *at = __atomic_load_n(&tracepoint->word, __ATOMIC_ACQUIRE);
	/* Acquire, of both: as above. */
	struct local *local = __atomic_load_n(&local_pages, __ATOMIC_ACQUIRE);
	const struct lttngmap_process *process =
		local ? __atomic_load_n(&local->process, __ATOMIC_ACQUIRE) : NULL;
	const struct lttngmap_control *control =
		local ? __atomic_load_n(&local->control, __ATOMIC_RELAXED) : NULL;
	struct ring_event event = { .fields = fields, .size = size };
	uint64_t channels;
	uintptr_t offset;

	/* lttngmap_event_write() asks, fetches and counts. */
	if (!process || !control)
		return 1;
	offset =
		(uintptr_t)at - (uintptr_t)control - offsetof(struct lttngmap_control, event_words);
	if (offset >= LTTNGMAP_EVENT_IDS * sizeof(*at))
		return 1;
	event.id = (uint32_t)(offset / sizeof(*at));
	channels = __atomic_load_n(at, __ATOMIC_RELAXED) &
		   __atomic_load_n(&process->channels, __ATOMIC_RELAXED);
	for (; channels; channels &= channels - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(channels);
		uint32_t flags = __atomic_load_n(&control->channels[slot].flags, __ATOMIC_RELAXED);

		if (!(flags & LTTNGMAP_CHANNEL_FILTERED) ||
		    ring_filter_may_pass(local, slot, &event, known, nr_known))
			return 1;
	}
	return 0;
}
