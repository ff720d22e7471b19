/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* export-text.c - numbers for strings, by a table with open addressing. */
#include <config.h>

#include "cli/export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_AT_FIRST 256

static uint32_t place_of(const struct export_texts *texts, const char *text)
{
	uint32_t hash = 2166136261u, place;

	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		hash = (hash ^ *c) * 16777619u;
	place = hash & (texts->nr_places - 1);
	while (texts->places[place] && strcmp(texts->texts[texts->places[place]], text) != 0)
		place = (place + 1) & (texts->nr_places - 1);
	return place;
}

static int grow(struct export_texts *texts)
{
	uint32_t nr_places = texts->nr_places ? texts->nr_places * 2 : PLACES_AT_FIRST;
	uint32_t *places = calloc(nr_places, sizeof(*places));
	char **larger = realloc(texts->texts, nr_places / 2 * sizeof(*larger));

	if (larger)
		texts->texts = larger;
	if (!larger || !places) {
		free(places);
		return -ENOMEM;
	}
	free(texts->places);
	texts->places = places;
	texts->nr_places = nr_places;
	texts->room = nr_places / 2;
	for (uint32_t i = 1; i < texts->count; i++)
		places[place_of(texts, texts->texts[i])] = i;
	if (texts->count == 0) {
		texts->texts[0] = NULL;
		texts->count = 1;
	}
	return 0;
}

uint32_t export_text(struct export *export, const char *text)
{
	struct export_texts *texts = &export->texts;
	uint32_t place;
	char *copy;

	if (texts->count == texts->room && grow(texts) < 0) {
		export_fail(export, ENOMEM);
		return 0;
	}
	place = place_of(texts, text);
	if (texts->places[place])
		return texts->places[place];
	copy = strdup(text);
	if (!copy) {
		export_fail(export, ENOMEM);
		return 0;
	}
	texts->texts[texts->count] = copy;
	texts->places[place] = texts->count;
	return texts->count++;
}

const char *export_text_of(const struct export *export, uint32_t number)
{
	return number ? export->texts.texts[number] : "";
}

void export_texts_free(struct export_texts *texts)
{
	for (uint32_t i = 1; i < texts->count; i++)
		free(texts->texts[i]);
	free(texts->texts);
	free(texts->places);
	*texts = (struct export_texts){ 0 };
}
