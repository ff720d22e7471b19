/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* page-flame.c - call stacks, as a tree of their frames, and the time in each. */
#include <config.h>

#include "cli/report/page.h"

#include <errno.h>
#include <stdlib.h>

#define FRAMES_MOST 200000
#define PLACES_AT_FIRST 1024

/* Where the frame of that name above `frame` is, or is to be. */
static size_t place_of(const struct page_flame *flame, const struct page_frame *frame,
		       uint32_t name)
{
	uint64_t hash =
		((uintptr_t)frame ^ (uint64_t)name << 40 ^ name) * UINT64_C(0x9e3779b97f4a7c15);
	size_t place = (hash >> 32) & (flame->places - 1);

	while (flame->table[place] &&
	       (flame->table[place]->name != name || flame->table[place]->parent != frame))
		place = (place + 1) & (flame->places - 1);
	return place;
}

static int grow(struct page_flame *flame)
{
	struct page_flame larger = *flame;

	larger.places = flame->places ? flame->places * 2 : PLACES_AT_FIRST;
	larger.table = calloc(larger.places, sizeof(struct page_frame *));
	if (!larger.table)
		return -ENOMEM;
	for (size_t i = 0; i < flame->places; i++) {
		struct page_frame *frame = flame->table[i];

		if (frame)
			larger.table[place_of(&larger, frame->parent, frame->name)] = frame;
	}
	free(flame->table);
	flame->table = larger.table;
	flame->places = larger.places;
	return 0;
}

struct page_frame *page_flame_child(struct export *export, struct page_frame *frame, uint32_t name)
{
	struct page_flame *flame = &page_of(export)->flame;
	struct page_frame *child;
	size_t place;

	if (flame->frames * 2 >= flame->places && grow(flame) < 0)
		goto no_memory;
	place = place_of(flame, frame, name);
	if (flame->table[place])
		return flame->table[place];
	if (flame->frames == FRAMES_MOST) {
		flame->is_full = true;
		return NULL;
	}
	child = calloc(1, sizeof(*child));
	if (!child)
		goto no_memory;
	*child = (struct page_frame){ .name = name, .parent = frame, .sibling = frame->child };
	frame->child = child;
	flame->table[place] = child;
	flame->frames++;
	return child;
no_memory:
	export_fail(export, ENOMEM);
	return NULL;
}

void page_flame_add(struct page_frame *frame, int64_t ns)
{
	frame->total += ns > 0 ? (uint64_t)ns : 0;
	frame->count++;
}

/* A frame, then those above it, with their depth. */
void page_flame_finish(struct export *export)
{
	struct page_flame *flame = &page_of(export)->flame;
	struct page_frame *frame = flame->root.child;
	struct page_bytes out = { 0 };
	uint32_t depth = 0;

	page_put(&out, flame->frames);
	while (frame) {
		page_put(&out, depth);
		page_put(&out, frame->name);
		page_put(&out, frame->total);
		page_put(&out, frame->count);
		if (frame->child) {
			frame = frame->child;
			depth++;
			continue;
		}
		while (frame != &flame->root && !frame->sibling) {
			frame = frame->parent;
			depth--;
		}
		frame = frame == &flame->root ? NULL : frame->sibling;
	}
	page_write(export, "flame", 0, &out);
	page_bytes_free(&out);
}

void page_flame_free(struct page_flame *flame)
{
	struct page_frame *frame = &flame->root;

	while (flame->root.child) {
		struct page_frame *parent;

		while (frame->child)
			frame = frame->child;
		parent = frame->parent;
		parent->child = frame->sibling;
		free(frame);
		frame = parent;
	}
	free(flame->table);
}
