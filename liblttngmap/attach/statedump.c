/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * statedump.c - call who has to tell readers of the process's state.
 *
 * `statedump_by` is the thread that tells. `statedump_due` counts who registered when
 * events had been written already, `statedump_done` those of them that were told. All
 * are of the pages that a fork empties, so that the child tells its own state, and
 * waits for nobody whom it does not have.
 */
#include "liblttngmap/attach/statedump.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include <lttngmap/event-class.h>

#include "liblttngmap/base/arch.h"
#include "liblttngmap/attach/attach.h"

/* A statedump may make another one due, and so on. */
#define ROUNDS_MAX LTTNGMAP_CHANNELS

static struct lttngmap_statedump *registered;

/* 0: this thread has it now; else who has. */
static uint64_t claim(struct local *local)
{
	uint64_t holder = 0;

	__atomic_compare_exchange_n(&local->statedump_by, &holder, arch_thread_token(), false,
				    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
	return holder;
}

enum statedump_turn statedump_begin(struct local *local)
{
	uint64_t deadline = 0, holder;

	if (!__atomic_load_n(&registered, __ATOMIC_ACQUIRE))
		return STATEDUMP_NOTHING;
	while ((holder = claim(local)) != 0) {
		if (holder == arch_thread_token())
			return STATEDUMP_WITHIN;
		if (!attach_may_wait(local, holder, &deadline))
			return STATEDUMP_ELSEWHERE;
		if (!__atomic_load_n(&local->statedump_by, __ATOMIC_ACQUIRE))
			return STATEDUMP_WAITED;
	}
	return STATEDUMP_OURS;
}

void statedump_write(struct local *local)
{
	struct lttngmap_statedump *at = __atomic_load_n(&registered, __ATOMIC_ACQUIRE);
	int saved_errno = errno;

	__atomic_store_n(&local->statedump_done,
			 __atomic_load_n(&local->statedump_due, __ATOMIC_SEQ_CST),
			 __ATOMIC_RELAXED);
	for (; at; at = at->next)
		at->write();
	errno = saved_errno;
}

void statedump_end(struct local *local)
{
	for (unsigned rounds = 0; rounds < ROUNDS_MAX; rounds++) {
		__atomic_store_n(&local->statedump_by, 0, __ATOMIC_SEQ_CST);
		/* A thread that found this one writing counted before that, so its count is seen
		 * here. */
		if (__atomic_load_n(&local->statedump_due, __ATOMIC_SEQ_CST) ==
			    __atomic_load_n(&local->statedump_done, __ATOMIC_RELAXED) ||
		    claim(local) != 0)
			return;
		statedump_write(local);
	}
	__atomic_store_n(&local->statedump_by, 0, __ATOMIC_SEQ_CST);
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
		if (!__atomic_load_n(&local->channels[slot].generation, __ATOMIC_ACQUIRE))
			continue;
		__atomic_add_fetch(&local->statedump_due, 1, __ATOMIC_SEQ_CST);
		if (claim(local) == 0) {
			statedump_write(local);
			statedump_end(local);
		}
		return;
	}
}
