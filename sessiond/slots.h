/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * slots.h - which channel slots, 0 to LTTNGMAP_CHANNELS - 1, are in use.
 *
 * A slot is given out again only when a second has passed since it was freed,
 * so that no writer that was interrupted in its last event is still at it,
 * and when no ring set of it lives any more: a reader may hold one for long.
 *
 * Main thread; slots_hold and slots_drop: any thread.
 */
#ifndef SESSIOND_SLOTS_H
#define SESSIOND_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/abi.h>

#define SLOTS_QUARANTINE_USEC UINT64_C(1000000)

struct slots {
	struct {
		bool taken;
		bool used;           /* was given out before */
		uint64_t freed_usec; /* CLOCK_MONOTONIC */
		unsigned long held;  /* atomic */
	} slot[LTTNGMAP_CHANNELS];
};

/* The lowest free slot; -EAGAIN: only some that rest yet; -ENOSPC: none at all. */
int slots_take(struct slots *slots, uint64_t now_usec);
void slots_free(struct slots *slots, uint32_t slot, uint64_t now_usec);

/* In a new life of the daemon: this one is taken; then all others rest. */
void slots_restore(struct slots *slots, uint32_t slot);
void slots_rest(struct slots *slots, uint64_t now_usec);

/* One more, or one less, ring set of the slot. */
void slots_hold(struct slots *slots, uint32_t slot);
void slots_drop(struct slots *slots, uint32_t slot);

#endif /* SESSIOND_SLOTS_H */
