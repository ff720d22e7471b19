/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* page-callers.c - what each caller allocated in all, freed since or not. */
#include <config.h>

#include "cli/report/page.h"

#include <errno.h>
#include <stdlib.h>

#define PLACES_AT_FIRST 1024

static uint32_t *place_of(const struct page_callers *callers, uint32_t where, uint32_t class)
{
	uint32_t mask = callers->nr_places - 1;
	uint32_t place = (where * 0x9e3779b1u + class * 0x85ebca6bu) >> 7 & mask;

	while (callers->places[place]) {
		const struct page_caller *caller = &callers->list[callers->places[place] - 1];

		if (caller->where == where && caller->class == class)
			break;
		place = (place + 1) & mask;
	}
	return &callers->places[place];
}

static int grow(struct page_callers *callers)
{
	struct page_callers larger = *callers;

	larger.nr_places = callers->nr_places ? callers->nr_places * 2 : PLACES_AT_FIRST;
	larger.list = realloc(callers->list, larger.nr_places / 2 * sizeof(*larger.list));
	if (!larger.list)
		return -ENOMEM;
	callers->list = larger.list;
	larger.places = calloc(larger.nr_places, sizeof(*larger.places));
	if (!larger.places)
		return -ENOMEM;
	for (uint32_t i = 0; i < larger.count; i++)
		*place_of(&larger, larger.list[i].where, larger.list[i].class) = i + 1;
	free(callers->places);
	*callers = larger;
	return 0;
}

void page_callers_add(struct export *export, const struct page_live_block *block)
{
	struct page_callers *callers = &page_of(export)->callers;
	uint32_t *place;

	if (callers->count * 2 >= callers->nr_places && grow(callers) < 0) {
		export_fail(export, ENOMEM);
		return;
	}
	place = place_of(callers, block->where, block->class);
	callers->is_nobody = !block->where && (callers->is_nobody || !callers->count);
	if (!*place) {
		callers->list[callers->count++] =
			(struct page_caller){ block->where, block->class, 0, 0 };
		*place = callers->count;
	}
	callers->list[*place - 1].bytes += block->size;
	callers->list[*place - 1].calls++;
}

void page_callers_free(struct page_callers *callers)
{
	free(callers->list);
	free(callers->places);
}
