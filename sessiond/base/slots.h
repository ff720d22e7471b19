/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * slots.h - which channel slots, 0 to LTTNGMAP_CHANNELS - 1, are in use.
 *
 * A slot is given out again on two conditions. A second has passed since it was freed, so that no
 * writer that was interrupted in its last event is still at it. And no ring set of it lives any
 * more, which a reader may hold for long.
 *
 * Main thread; slots_hold and slots_drop: any thread.
 */
#ifndef SESSIOND_BASE_SLOTS_H
#define SESSIOND_BASE_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/abi.h>

#define SLOTS_QUARANTINE_USEC UINT64_C(1000000)
/* A limited user has at most this many channels, and at most half of those that others left. */
#define SLOTS_PER_USER_MAX 16u
/* Channels that limited users leave to root. */
#define SLOTS_RESERVED 16u
/* A slot that rests since the daemon was started: its owner is not known. */
#define SLOTS_NOBODY UINT32_MAX

struct slots {
	struct {
		bool taken;
		bool used;           /* was given out before */
		uint32_t owner;      /* whose it is, also while it rests */
		uint64_t freed_usec; /* CLOCK_MONOTONIC */
		unsigned long held;  /* atomic */
	} slot[LTTNGMAP_CHANNELS];
};

/*
 * The lowest free slot, for that user's channel. -EAGAIN: only some that rest yet; -ENOSPC: none at
 * all; -EDQUOT: the user, who is `limited`, has its share, those that rest among them.
 */
int slots_take(struct slots *slots, uint32_t owner, bool limited, uint64_t now_usec);
void slots_free(struct slots *slots, uint32_t slot, uint64_t now_usec);

/* After a restart of the daemon: this one is taken; then all others rest. */
void slots_restore(struct slots *slots, uint32_t slot, uint32_t owner);
void slots_rest(struct slots *slots, uint64_t now_usec);

/* One more, or one less, ring set of the slot. */
void slots_hold(struct slots *slots, uint32_t slot);
void slots_drop(struct slots *slots, uint32_t slot);

#endif /* SESSIOND_BASE_SLOTS_H */
