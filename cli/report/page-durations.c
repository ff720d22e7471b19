/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * page-durations.c - how long slices of a name took: a histogram whose buckets are an
 * eighth of a doubling wide, so that each is known to an eighth of itself.
 */
#include <config.h>

#include "cli/report/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_AT_FIRST 256
#define NAMES_MOST 20000 /* that have a histogram */

static uint32_t place_of(const struct page_durations *durations, uint32_t category, uint32_t name)
{
	uint64_t hash = ((uint64_t)category << 32 | name) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t place = (hash >> 32) & (durations->nr_places - 1);

	while (durations->places[place]) {
		const struct page_duration *found = &durations->list[durations->places[place] - 1];

		if (found->category == category && found->name == name)
			break;
		place = (place + 1) & (durations->nr_places - 1);
	}
	return place;
}

static int grow(struct page_durations *durations)
{
	uint32_t nr_places = durations->nr_places ? durations->nr_places * 2 : PLACES_AT_FIRST;
	uint32_t *places = calloc(nr_places, sizeof(*places));
	struct page_duration *larger = realloc(durations->list, nr_places / 2 * sizeof(*larger));

	if (larger)
		durations->list = larger;
	if (!larger || !places) {
		free(places);
		return -ENOMEM;
	}
	free(durations->places);
	durations->places = places;
	durations->nr_places = nr_places;
	durations->room = nr_places / 2;
	for (uint32_t i = 0; i < durations->count; i++)
		places[place_of(durations, larger[i].category, larger[i].name)] = i + 1;
	return 0;
}

static struct page_duration *get(struct page_durations *durations, uint32_t category, uint32_t name)
{
	uint32_t place;

	if (durations->count == durations->room && grow(durations) < 0)
		return NULL;
	place = place_of(durations, category, name);
	if (!durations->places[place]) {
		durations->list[durations->count] = (struct page_duration){ .category = category,
									    .name = name,
									    .least = UINT64_MAX };
		durations->places[place] = ++durations->count;
	}
	return &durations->list[durations->places[place] - 1];
}

/* The first eight are 0 to 7; then eight each from 8 on, from 16 on, ... */
static unsigned bucket_of(uint64_t ns)
{
	unsigned exponent;

	if (ns < 8)
		return ns;
	exponent = 63 - __builtin_clzll(ns);
	return (exponent - 2) * 8 + (ns >> (exponent - 3) & 7);
}

static bool count(struct page_duration *duration, unsigned bucket)
{
	uint64_t *larger;

	if (bucket >= duration->nr_buckets) {
		larger = realloc(duration->buckets, (bucket + 1) * sizeof(*larger));
		if (!larger)
			return false;
		memset(larger + duration->nr_buckets, 0,
		       (bucket + 1 - duration->nr_buckets) * sizeof(*larger));
		duration->buckets = larger;
		duration->nr_buckets = bucket + 1;
	}
	duration->buckets[bucket]++;
	return true;
}

void page_durations_add(struct export *export, uint32_t category, const struct page_slice *slice)
{
	struct page_durations *durations = &page_of(export)->durations;
	struct page_duration *duration = get(durations, category, slice->name);
	uint64_t ns = (uint64_t)(slice->end - slice->begin);

	if (!duration || (durations->count <= NAMES_MOST && !count(duration, bucket_of(ns)))) {
		export_fail(export, ENOMEM);
		return;
	}
	duration->count++;
	duration->sum += ns;
	if (ns < duration->least)
		duration->least = ns;
	if (ns >= duration->most) {
		duration->most = ns;
		duration->most_begin = slice->begin;
		duration->most_track = slice->track;
	}
}

void page_durations_free(struct page_durations *durations)
{
	for (uint32_t i = 0; i < durations->count; i++)
		free(durations->list[i].buckets);
	free(durations->list);
	free(durations->places);
}
