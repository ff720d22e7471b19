/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/filter-pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <urcu/list.h>

#include <lttngmap/filter-code.h>

/* Blocks have powers of two of bytes, from this to LTTNGMAP_FILTER_SIZE_MAX. */
#define BLOCK_SHIFT_MIN 6
#define BLOCK_SHIFT_MAX 16
_Static_assert(LTTNGMAP_FILTER_SIZE_MAX == 1u << BLOCK_SHIFT_MAX, "a block for the largest");
#define BLOCK_KINDS (BLOCK_SHIFT_MAX - BLOCK_SHIFT_MIN + 1)

/* A process may still be at it. */
#define REST_SECONDS 1

struct freed_block {
	struct cds_list_head node;
	uint64_t offset;
	time_t since;
};

struct filter_pages {
	struct lttngmap_control *control;
	struct cds_list_head freed[BLOCK_KINDS]; /* the oldest first */
};

static uint64_t *word_of(const struct filter_pages *pages, uint32_t slot, uint32_t id)
{
	return (uint64_t *)((char *)pages->control + pages->control->filters) +
	       (uint64_t)slot * LTTNGMAP_EVENT_IDS + id;
}

static unsigned int kind_of(uint64_t size)
{
	unsigned int kind = 0;

	while (UINT64_C(1) << (BLOCK_SHIFT_MIN + kind) < size)
		kind++;
	return kind;
}

static time_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

int filter_pages_create(struct lttngmap_control *control, struct filter_pages **result)
{
	struct filter_pages *pages = calloc(1, sizeof(*pages));

	*result = pages;
	if (!pages)
		return -ENOMEM;
	pages->control = control;
	for (unsigned int i = 0; i < BLOCK_KINDS; i++)
		CDS_INIT_LIST_HEAD(&pages->freed[i]);
	/* A daemon that takes up another one's control puts its filters behind those. */
	if (!control->filters) {
		control->filters = sizeof(*control);
		control->filter_end = sizeof(*control) + LTTNGMAP_FILTER_WORDS_SIZE;
	}
	return 0;
}

void filter_pages_destroy(struct filter_pages *pages)
{
	struct freed_block *block, *next;

	if (!pages)
		return;
	for (unsigned int i = 0; i < BLOCK_KINDS; i++)
		cds_list_for_each_entry_safe(block, next, &pages->freed[i], node)
			free(block);
	free(pages);
}

/* Where a block lies, or 0: there is no room. */
static uint64_t take_block(struct filter_pages *pages, unsigned int kind)
{
	struct lttngmap_control *control = pages->control;
	struct cds_list_head *freed = &pages->freed[kind];
	uint64_t offset = control->filter_end;

	if (!cds_list_empty(freed)) {
		struct freed_block *oldest = cds_list_first_entry(freed, struct freed_block, node);

		/* Seconds are counted whole: one more is one at least. */
		if (now() - oldest->since > REST_SECONDS) {
			offset = oldest->offset;
			cds_list_del(&oldest->node);
			free(oldest);
			return offset;
		}
	}
	if (FILTER_PAGES_CONTROL_SIZE - offset < UINT64_C(1) << (BLOCK_SHIFT_MIN + kind))
		return 0;
	control->filter_end += UINT64_C(1) << (BLOCK_SHIFT_MIN + kind);
	return offset;
}

/* Without memory to note it the block is lost, which does no harm. */
static void release_block(struct filter_pages *pages, uint64_t word)
{
	struct freed_block *block;

	if (!word)
		return;
	block = malloc(sizeof(*block));
	if (!block)
		return;
	block->offset = lttngmap_filter_offset(word);
	block->since = now();
	cds_list_add_tail(&block->node, &pages->freed[kind_of(lttngmap_filter_size(word))]);
}

int filter_pages_set(struct filter_pages *pages, uint32_t slot, uint32_t id, const void *filter,
		     size_t size)
{
	uint64_t *word = word_of(pages, slot, id), old = *word, offset;
	const char *there = (const char *)pages->control + lttngmap_filter_offset(old);

	if (lttngmap_filter_size(old) == size && (!size || memcmp(there, filter, size) == 0))
		return 0;
	if (!size) {
		__atomic_store_n(word, 0, __ATOMIC_RELEASE);
		release_block(pages, old);
		return 0;
	}
	if (size > LTTNGMAP_FILTER_SIZE_MAX)
		return -ENOSPC;
	offset = take_block(pages, kind_of(size));
	if (!offset)
		return -ENOSPC;
	memcpy((char *)pages->control + offset, filter, size);
	/* Release: who finds the word finds all of the filter. */
	__atomic_store_n(word, lttngmap_filter_word(offset, size), __ATOMIC_RELEASE);
	release_block(pages, old);
	return 0;
}

void filter_pages_clear(struct filter_pages *pages, uint32_t slot, uint32_t ids)
{
	for (uint32_t id = 0; id < ids; id++)
		filter_pages_set(pages, slot, id, NULL, 0);
}
