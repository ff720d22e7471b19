/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * statedump.c - call who has to tell readers of the process's state.
 *
 * `statedump_due` counts the channels that were seen to start, `statedump_by` is
 * the thread that tells. Both are of the pages that a fork empties, so that the
 * child tells its own state, and waits for nobody whom it does not have.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include <lttngmap/event-class.h>

#include "arch.h"
#include "statedump.h"

/* What tells may itself be the first in another channel, and so on. */
#define ROUNDS_MAX (LTTNGMAP_CHANNELS + 1)

static struct lttngmap_statedump *registered;

static void write_all(void)
{
	struct lttngmap_statedump *at = __atomic_load_n(&registered, __ATOMIC_ACQUIRE);

	for (; at; at = at->next)
		at->write();
}

void statedump_due(struct local *local)
{
	uint64_t nobody;
	uint32_t due;
	int saved_errno;

	/* Where there is nothing to tell, the event's path calls nothing of the C library's. */
	if (!__atomic_load_n(&registered, __ATOMIC_ACQUIRE))
		return;
	saved_errno = errno;
	due = __atomic_add_fetch(&local->statedump_due, 1, __ATOMIC_SEQ_CST);
	for (unsigned rounds = 0; rounds < ROUNDS_MAX; rounds++) {
		nobody = 0;
		if (!__atomic_compare_exchange_n(&local->statedump_by, &nobody, arch_thread_token(),
						 false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			break;
		due = __atomic_load_n(&local->statedump_due, __ATOMIC_SEQ_CST);
		write_all();
		__atomic_store_n(&local->statedump_by, 0, __ATOMIC_SEQ_CST);
		/* Whoever found us at it counted before that, so that it is seen here. */
		if (__atomic_load_n(&local->statedump_due, __ATOMIC_SEQ_CST) == due)
			break;
	}
	errno = saved_errno;
}

void lttngmap_statedump_register(struct lttngmap_statedump *statedump)
{
	struct local *local;

	if (statedump->struct_size < sizeof(*statedump) || !statedump->write)
		return;
	statedump->next = __atomic_load_n(&registered, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&registered, &statedump->next, statedump, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	/* Events of earlier constructors went without. */
	local = __atomic_load_n(&local_pages, __ATOMIC_ACQUIRE);
	if (!local)
		return;
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++) {
		if (__atomic_load_n(&local->channels[slot].generation, __ATOMIC_ACQUIRE)) {
			statedump_due(local);
			return;
		}
	}
}
