/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-pages.h - the part of the global control in which the processes find
 * filters (lttngmap/abi.h): a word for each channel and event, and the filters
 * themselves.
 *
 *   control            | filter words       | filters
 *   struct             | 64 channels x      | each where it was put; the memory of
 *   lttngmap_control   | 65536 events       | one that nobody names rests a second
 *
 * The memory for filters is shared out by pages of 64 KiB. All of a page is charged to one user,
 * whoever owns the session; a limited one may have its share of them (quota_share()).
 *
 * All is sparse. The main thread writes; processes read at any moment. A page is charged to the
 * control group of the process that touched it first, also when it comes back from swap. So the
 * kernel is asked for pages before they are touched: it refuses where a load would wait for a
 * group that is full.
 */
#ifndef SESSIOND_MEMORY_FILTER_PAGES_H
#define SESSIOND_MEMORY_FILTER_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lttngmap/abi.h>

#include "sessiond/base/geometry.h"

struct filter_pages;

/* In `control`, which has that size and outlives this. 0 or -errno. */
int filter_pages_create(struct lttngmap_control *control, struct filter_pages **pages);
void filter_pages_destroy(struct filter_pages *pages);

/*
 * The slot has a first filter: filters are charged to that user from now on. The slot's words are
 * cleared. `ids`: those from there on were never given out. 0, or -ENOMEM: a page cannot be had.
 */
int filter_pages_begin(struct filter_pages *pages, uint32_t slot, uint32_t ids, uint32_t user,
		       bool limited);
/* The same, for a slot that an earlier daemon filled: its filters stay. Before any is set. */
void filter_pages_adopt(struct filter_pages *pages, uint32_t slot, uint32_t ids, uint32_t user,
			bool limited);
/*
 * Sets the filter of an event in a channel: `size` bytes of lttngmap/filter-code.h, a multiple of
 * 8, which are copied; 0: no filter. 0, or the old filter stays: -ENOSPC, the memory is full;
 * -ENOMEM, a page of it cannot be had.
 */
int filter_pages_set(struct filter_pages *pages, uint32_t slot, uint32_t id, const void *filter,
		     size_t size);
/*
 * A channel was withdrawn: no filter decides; ids from `ids` on were never given out. Where a page
 * cannot be had, all stay until the slot has a first filter again.
 */
void filter_pages_clear(struct filter_pages *pages, uint32_t slot, uint32_t ids);

#endif /* SESSIOND_MEMORY_FILTER_PAGES_H */
