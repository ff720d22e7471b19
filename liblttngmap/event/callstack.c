/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/event/callstack.h"

#include "liblttngmap/attach/sandbox.h"
#include "liblttngmap/base/vfork.h"
#include "liblttngmap/unwind/stack.h"

/* How many of the first addresses stand before the event's caller. */
static size_t count_own(const struct unwind_objects *objects, const uint64_t *addresses,
			size_t count, uintptr_t ip)
{
	size_t own = 0;

	for (size_t i = 0; i < count && i < CALLSTACK_OWN_FRAMES; i++)
		if (addresses[i] == ip)
			return i;
	while (own < count &&
	       addresses[own] - objects->own_start < objects->own_end - objects->own_start)
		own++;
	return own;
}

__attribute__((noinline)) size_t callstack_write(uint32_t depth, const void *ip, unsigned char *to)
{
	const struct unwind_objects *objects = unwind_objects_now();
	uint64_t *addresses = (uint64_t *)(((uintptr_t)to + sizeof(uint32_t) + 7) & ~(uintptr_t)7);
	struct unwind_registers here;
	size_t count = 0, own = 0;
	uint32_t kept;
	bool is_whole;

	if (objects) {
		UNWIND_REGISTERS_HERE(here);
		count = unwind_thread(objects, here, !vfork_depth && !sandbox_is_on(), addresses,
				      depth + CALLSTACK_OWN_FRAMES, &is_whole);
		own = count_own(objects, addresses, count, (uintptr_t)ip);
	}
	if (count == own) {
		addresses[own = 0] = (uintptr_t)ip;
		count = 1;
	}
	kept = count - own < depth ? (uint32_t)(count - own) : depth;
	__builtin_memcpy(to, &kept, sizeof(kept));
	/* Inwards. */
	for (uint32_t i = 0; i < kept; i++)
		__builtin_memcpy(to + sizeof(kept) + i * sizeof(*addresses), addresses + own + i,
				 sizeof(*addresses));
	return sizeof(kept) + kept * sizeof(*addresses);
}
