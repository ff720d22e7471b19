/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/base/local.h"

struct local *local_pages;

/* An event finds that its word is none of this channel's. */
static const struct ring_channel nothing;
struct local_first local_first = {
	.guard = LOCAL_CLOSED,
	.cached = &nothing,
	.one_record = (UINT64_C(1) << LTTNGMAP_COUNT_SHIFT) + LTTNGMAP_RECORD_HEADER_SIZE,
};

void local_close_fast(void)
{
	uint64_t guard = __atomic_load_n(&local_first.guard, __ATOMIC_RELAXED), closed;

	do {
		closed = local_is_closed(guard) ? guard + 1 : LOCAL_CLOSED + 1;
	} while (!__atomic_compare_exchange_n(&local_first.guard, &guard, closed, true,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

void local_open_fast(void)
{
	__atomic_fetch_sub(&local_first.guard, 1, __ATOMIC_RELAXED);
}
