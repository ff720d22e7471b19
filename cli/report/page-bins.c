/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * page-bins.c - what a trace looks like from afar.
 *
 * Each row, as of a thread, is a list of extents in the order of time. At first each event
 * and each slice has one of its own; when there are too many in all rows together, those
 * that lie in one bin become one, bins being twice as wide as before, and so
 * on. So a small trace is exact, and a large one takes no more memory.
 */
#include <config.h>

#include "cli/report/page.h"

#include <errno.h>
#include <stdlib.h>

#define SPANS_MOST 300000
#define SPANS_A_ROW 4 /* that many there may be, whatever the number of rows */
#define SHIFT_MOST 60

uint32_t page_bins_row(struct export *export, struct page_bins *bins, enum page_row_kind kind,
		       uint32_t owner, uint32_t depth)
{
	if (bins->nr_rows == bins->room) {
		size_t room = bins->room ? bins->room * 2 : 64;
		struct page_row *larger = realloc(bins->rows, room * sizeof(*larger));

		if (!larger) {
			export_fail(export, ENOMEM);
			return UINT32_MAX;
		}
		bins->rows = larger;
		bins->room = room;
	}
	bins->rows[bins->nr_rows] = (struct page_row){ kind, owner, depth, NULL, 0, 0 };
	return bins->nr_rows++;
}

/* Is `next` told together with what is before it? */
static bool is_one(const struct page_bins *bins, const struct page_row *row,
		   const struct page_extent *last, const struct page_extent *next)
{
	int64_t width = INT64_C(1) << bins->shift;

	if (last->begin >> bins->shift != next->begin >> bins->shift)
		return false;
	return row->kind != PAGE_ROW_LANE ||
	       (last->end - last->begin < width && next->end - next->begin < width);
}

static void merge(const struct page_row *row, struct page_extent *last,
		  const struct page_extent *next)
{
	if (next->begin < last->begin)
		last->begin = next->begin;
	if (next->end > last->end)
		last->end = next->end;
	if (row->kind == PAGE_ROW_LEVEL) {
		last->count = next->count;
		if (next->busy > last->busy)
			last->busy = next->busy;
		return;
	}
	if (next->busy > last->busy)
		last->name = next->name;
	last->busy += next->busy;
	last->count += next->count;
}

static void merge_row(struct page_bins *bins, struct page_row *row)
{
	size_t kept = 0;

	for (size_t i = 0; i < row->used; i++) {
		if (kept > 0 && is_one(bins, row, &row->extents[kept - 1], &row->extents[i]))
			merge(row, &row->extents[kept - 1], &row->extents[i]);
		else
			row->extents[kept++] = row->extents[i];
	}
	bins->extents -= row->used - kept;
	row->used = kept;
	if (kept > 0 && kept < row->room / 4) {
		struct page_extent *smaller = realloc(row->extents, kept * sizeof(*smaller));

		if (smaller) {
			row->extents = smaller;
			row->room = kept;
		}
	}
}

static void make_room(struct page_bins *bins)
{
	size_t most = bins->nr_rows * SPANS_A_ROW;

	if (most < SPANS_MOST)
		most = SPANS_MOST;
	if (bins->extents < most)
		return;
	while (bins->extents > most / 2 && bins->shift < SHIFT_MOST) {
		bins->shift++;
		for (size_t i = 0; i < bins->nr_rows; i++)
			merge_row(bins, &bins->rows[i]);
	}
}

void page_bins_add(struct export *export, struct page_bins *bins, uint32_t number,
		   const struct page_extent *extent)
{
	struct page_row *row;

	if (number == UINT32_MAX)
		return;
	row = &bins->rows[number];
	if (row->used > 0 && is_one(bins, row, &row->extents[row->used - 1], extent)) {
		merge(row, &row->extents[row->used - 1], extent);
		return;
	}
	if (row->used == row->room) {
		size_t room = row->room ? row->room * 2 : 8;
		struct page_extent *larger = realloc(row->extents, room * sizeof(*larger));

		if (!larger) {
			export_fail(export, ENOMEM);
			return;
		}
		row->extents = larger;
		row->room = room;
	}
	row->extents[row->used++] = *extent;
	bins->extents++;
	make_room(bins);
}

void page_bins_finish(struct export *export, struct page_bins *bins, const char *name)
{
	struct page_bytes out = { 0 };

	page_put(&out, bins->shift);
	page_put(&out, bins->nr_rows);
	for (size_t i = 0; i < bins->nr_rows; i++) {
		const struct page_row *row = &bins->rows[i];
		int64_t previous = 0;

		page_put(&out, row->kind);
		page_put(&out, row->owner);
		page_put(&out, row->depth);
		page_put(&out, row->used);
		for (size_t s = 0; s < row->used; s++) {
			const struct page_extent *extent = &row->extents[s];

			page_put_signed(&out, extent->begin - previous);
			previous = extent->begin;
			page_put(&out, (uint64_t)(extent->end - extent->begin));
			page_put(&out, extent->count);
			page_put(&out, extent->busy);
			page_put(&out, extent->name);
		}
	}
	page_write(export, name, 0, &out);
	page_bytes_free(&out);
}

void page_bins_free(struct page_bins *bins)
{
	for (size_t i = 0; i < bins->nr_rows; i++)
		free(bins->rows[i].extents);
	free(bins->rows);
}
