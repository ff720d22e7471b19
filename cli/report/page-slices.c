/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* page-slices.c - every slice, in blocks, those that are long for themselves. */
#include <config.h>

#include "cli/report/page.h"

#include <stdlib.h>

#define SLICES_MOST 16384

static void write_block(struct export *export, struct page_slices *slices)
{
	struct page_block block = { slices->count, slices->from, slices->to };

	page_put(&slices->out, slices->count);
	page_put_section(&slices->out, &slices->items);
	page_write(export, slices->name, slices->blocks.count, &slices->out);
	page_blocks_add(export, &slices->blocks, &block);
	slices->count = 0;
}

void page_slices_add(struct export *export, const struct page_slice *slice)
{
	struct page *page = page_of(export);
	bool is_long = slice->begin < page->shorts_since;
	struct page_slices *slices = is_long ? &page->longs : &page->shorts;

	if (slices->count == 0) {
		slices->from = slice->begin;
		slices->to = slice->end;
		slices->previous = 0;
	}
	if (slice->begin < slices->from)
		slices->from = slice->begin;
	if (slice->end > slices->to)
		slices->to = slice->end;
	page_put_signed(&slices->items, slice->end - slices->previous);
	slices->previous = slice->end;
	page_put(&slices->items, (uint64_t)(slice->end - slice->begin) << 1 | slice->is_cut);
	page_put(&slices->items, slice->track);
	page_put(&slices->items, slice->depth);
	page_put(&slices->items, slice->name);
	if (++slices->count < SLICES_MOST)
		return;
	if (!is_long)
		page->shorts_since = slice->end;
	write_block(export, slices);
}

void page_slices_finish(struct export *export)
{
	struct page *page = page_of(export);

	if (page->shorts.count > 0)
		write_block(export, &page->shorts);
	if (page->longs.count > 0)
		write_block(export, &page->longs);
}

void page_slices_free(struct page_slices *slices)
{
	page_bytes_free(&slices->out);
	page_bytes_free(&slices->items);
	free(slices->blocks.blocks);
}
