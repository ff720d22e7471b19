/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/base/slots.h"

#include <errno.h>

static bool rests(const struct slots *slots, uint32_t slot, uint64_t now_usec)
{
	return (slots->slot[slot].used &&
		now_usec - slots->slot[slot].freed_usec < SLOTS_QUARANTINE_USEC) ||
	       /* Acquire: who dropped it last has done with the slot's memory. */
	       __atomic_load_n(&slots->slot[slot].held, __ATOMIC_ACQUIRE) != 0;
}

/* A user leaves half of what is left to the next one. */
static bool has_share(const struct slots *slots, uint32_t owner, uint64_t now_usec)
{
	uint32_t own = 0, others = 0, share = LTTNGMAP_CHANNELS - SLOTS_RESERVED;

	for (uint32_t i = 0; i < LTTNGMAP_CHANNELS; i++) {
		if (!slots->slot[i].taken && !rests(slots, i, now_usec))
			continue;
		own += slots->slot[i].owner == owner;
		others += slots->slot[i].owner != owner && slots->slot[i].owner != SLOTS_NOBODY;
	}
	share = share > others ? (share - others + 1) / 2 : 0;
	return own >= (share < SLOTS_PER_USER_MAX ? share : SLOTS_PER_USER_MAX);
}

int slots_take(struct slots *slots, uint32_t owner, bool limited, uint64_t now_usec)
{
	int error = -ENOSPC;

	if (limited && has_share(slots, owner, now_usec))
		return -EDQUOT;
	for (uint32_t i = 0; i < LTTNGMAP_CHANNELS; i++) {
		if (slots->slot[i].taken)
			continue;
		if (rests(slots, i, now_usec)) {
			error = -EAGAIN;
			continue;
		}
		slots->slot[i].taken = true;
		slots->slot[i].used = true;
		slots->slot[i].owner = owner;
		return (int)i;
	}
	return error;
}

void slots_free(struct slots *slots, uint32_t slot, uint64_t now_usec)
{
	slots->slot[slot].taken = false;
	slots->slot[slot].freed_usec = now_usec;
}

void slots_restore(struct slots *slots, uint32_t slot, uint32_t owner)
{
	slots->slot[slot].owner = owner;
	slots->slot[slot].taken = true;
	slots->slot[slot].used = true;
}

void slots_rest(struct slots *slots, uint64_t now_usec)
{
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++) {
		if (slots->slot[slot].taken)
			continue;
		slots->slot[slot].used = true;
		slots->slot[slot].owner = SLOTS_NOBODY;
		slots->slot[slot].freed_usec = now_usec;
	}
}

void slots_hold(struct slots *slots, uint32_t slot)
{
	__atomic_add_fetch(&slots->slot[slot].held, 1, __ATOMIC_RELAXED);
}

void slots_drop(struct slots *slots, uint32_t slot)
{
	/* Release: pairs with the acquire in slots_take. */
	__atomic_sub_fetch(&slots->slot[slot].held, 1, __ATOMIC_RELEASE);
}
