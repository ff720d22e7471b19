/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/event/event-long.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lttngmap/abi.h>
#include <lttngmap/event-class.h>

#include "liblttngmap/base/arch.h"
#include "liblttngmap/attach/memory-map.h"
#include "liblttngmap/event/event-fast.h"
#include "liblttngmap/base/local.h"
#include "liblttngmap/event/callstack.h"
#include "liblttngmap/ring/context.h"
#include "liblttngmap/ring/ring.h"

/* A buffer's least size, bytes; larger ones are twice, four times, … as large. */
#define BUFFER_SIZE_MIN (UINT64_C(16) << 10)
/* Before and behind the fields. */
#define BEFORE (CONTEXT_SIZE_MAX + CALLSTACK_ROOM(LTTNGMAP_CALLSTACK_MAX))
#define BEHIND 16

struct buffer {
	uintptr_t holder; /* token of the thread; 0: nobody */
	unsigned char *base;
	uint64_t size;
};

static struct buffer buffers[EVENT_LONG_BUFFERS];

/* The most bytes of fields that an event may have in the channel of the slot. */
static size_t room_in(const struct lttngmap_control *control, uint32_t slot)
{
	const struct lttngmap_channel *channel = &control->channels[slot];
	/* The daemon may change them meanwhile: then the event is lost, and counted. */
	uint32_t shift = __atomic_load_n(&channel->subbuf_shift, __ATOMIC_RELAXED);
	uint64_t contexts = __atomic_load_n(&channel->contexts, __ATOMIC_RELAXED);

	uint32_t depth = lttngmap_callstack_depth(contexts);

	if (shift < LTTNGMAP_SUBBUF_SHIFT_MIN || shift > LTTNGMAP_SUBBUF_SHIFT_MAX)
		return 0;
	return ((size_t)1 << shift) - LTTNGMAP_SUBBUF_HEAD - LTTNGMAP_SUBBUF_TAIL -
	       LTTNGMAP_RECORD_HEADER_SIZE - (contexts ? CONTEXT_SIZE_MAX : 0) -
	       (depth ? CALLSTACK_ROOM(depth) : 0);
}

size_t lttngmap_event_room(const struct lttngmap_tracepoint *tracepoint)
{
	const size_t least = LTTNGMAP_RECORD_MAX - LTTNGMAP_RECORD_HEADER_SIZE;
	const uint64_t *at = __atomic_load_n(&tracepoint->word, __ATOMIC_ACQUIRE);
	/* Acquire, of both: as in event.c. */
	struct local *local = __atomic_load_n(&local_pages, __ATOMIC_ACQUIRE);
	const struct lttngmap_process *process =
		local ? __atomic_load_n(&local->process, __ATOMIC_ACQUIRE) : NULL;
	const struct lttngmap_control *control =
		local ? __atomic_load_n(&local->control, __ATOMIC_RELAXED) : NULL;
	size_t room = SIZE_MAX;
	uint64_t channels;

	if (!control)
		control = memory_map_has_control() ? memory_map_control() : NULL;
	if (!control)
		return least;
	/* A child that was forked just now has its parent's word, and is in the same channels. */
	channels = __atomic_load_n(at, __ATOMIC_RELAXED);
	if (process)
		channels &= __atomic_load_n(&process->channels, __ATOMIC_RELAXED);
	for (; channels; channels &= channels - 1) {
		size_t here = room_in(control, (uint32_t)__builtin_ctzll(channels));

		if (here < room)
			room = here;
	}
	return room == SIZE_MAX || !room ? least : room;
}

/* The holder's buffer has so many bytes at least. */
static bool make_large(struct buffer *buffer, uint64_t size)
{
	uint64_t wanted = BUFFER_SIZE_MIN;

	if (buffer->size >= size)
		return true;
	while (wanted < size)
		wanted *= 2;
	buffer->base = memory_map_anew(buffer->base, buffer->size, wanted);
	buffer->size = buffer->base ? wanted : 0;
	return buffer->base != NULL;
}

unsigned char *lttngmap_event_reserve(size_t size)
{
	const uintptr_t token = arch_thread_token();

	if (size > (size_t)1 << LTTNGMAP_SUBBUF_SHIFT_MAX)
		return NULL;
	for (struct buffer *buffer = buffers; buffer < buffers + EVENT_LONG_BUFFERS; buffer++) {
		uintptr_t nobody = 0;

		if (__atomic_load_n(&buffer->holder, __ATOMIC_RELAXED) ||
		    !__atomic_compare_exchange_n(&buffer->holder, &nobody, token, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		if (make_large(buffer, BEFORE + size + BEHIND))
			return buffer->base + BEFORE;
		__atomic_store_n(&buffer->holder, 0, __ATOMIC_RELEASE);
		return NULL;
	}
	return NULL;
}

/* NULL: the fields are elsewhere. */
static struct buffer *buffer_of(const void *fields)
{
	for (struct buffer *buffer = buffers; buffer < buffers + EVENT_LONG_BUFFERS; buffer++)
		if (__atomic_load_n(&buffer->holder, __ATOMIC_RELAXED) == arch_thread_token() &&
		    (const unsigned char *)fields == buffer->base + BEFORE)
			return buffer;
	return NULL;
}

void lttngmap_event_write_long(const struct lttngmap_tracepoint *tracepoint, const void *fields,
			       size_t size, const void *ip, int is_cut)
{
	struct buffer *buffer = buffer_of(fields);

	event_write_flagged(tracepoint, fields, size, ip,
			    (buffer ? RING_EVENT_PLACED : 0) | (is_cut ? RING_EVENT_CUT : 0));
	if (buffer)
		__atomic_store_n(&buffer->holder, 0, __ATOMIC_RELEASE);
}
