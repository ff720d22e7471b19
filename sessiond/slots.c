/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/slots.h"

#include <errno.h>

int slots_take(struct slots *slots, uint64_t now_usec)
{
	int error = -ENOSPC;

	for (uint32_t i = 0; i < LTTNGMAP_CHANNELS; i++) {
		if (slots->slot[i].taken)
			continue;
		if ((slots->slot[i].used &&
		     now_usec - slots->slot[i].freed_usec < SLOTS_QUARANTINE_USEC) ||
		    /* Acquire: who dropped it last has done with the slot's memory. */
		    __atomic_load_n(&slots->slot[i].held, __ATOMIC_ACQUIRE) != 0) {
			error = -EAGAIN;
			continue;
		}
		slots->slot[i].taken = true;
		slots->slot[i].used = true;
		return (int)i;
	}
	return error;
}

void slots_free(struct slots *slots, uint32_t slot, uint64_t now_usec)
{
	slots->slot[slot].taken = false;
	slots->slot[slot].freed_usec = now_usec;
}

void slots_restore(struct slots *slots, uint32_t slot)
{
	slots->slot[slot].taken = true;
	slots->slot[slot].used = true;
}

void slots_rest(struct slots *slots, uint64_t now_usec)
{
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++) {
		if (slots->slot[slot].taken)
			continue;
		slots->slot[slot].used = true;
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
