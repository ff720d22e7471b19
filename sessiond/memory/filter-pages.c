/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/memory/filter-pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <urcu/list.h>

#include <lttngmap/filter-code.h>

#include "common/base/time.h"
#include "sessiond/quota/quota.h"

/* Blocks have powers of two of bytes, from this to LTTNGMAP_FILTER_SIZE_MAX. */
#define BLOCK_SHIFT_MIN 6
#define BLOCK_SHIFT_MAX 16
_Static_assert(LTTNGMAP_FILTER_SIZE_MAX == 1u << BLOCK_SHIFT_MAX, "a block for the largest");
#define BLOCK_KINDS (BLOCK_SHIFT_MAX - BLOCK_SHIFT_MIN + 1)

/* A page has the largest block, or smaller ones that are all of one size. */
#define PAGE_SIZE (UINT64_C(1) << BLOCK_SHIFT_MAX)
#define PAGES (GEOMETRY_FILTERS_SIZE / PAGE_SIZE)
#define PAGE_BLOCKS (1u << (BLOCK_SHIFT_MAX - BLOCK_SHIFT_MIN))
/* In place of a kind: blocks of an earlier daemon that are of several; no other is put there. */
#define KIND_MIXED BLOCK_KINDS

/* A process may still be at it. */
#define REST_SECONDS 1

struct freed_block {
	struct cds_list_head node;
	uint64_t word; /* that named it */
	time_t since;
};

struct page {
	uint32_t user; /* who is charged for all of it */
	uint32_t used; /* blocks that are named, or rest; 0: it is free */
	unsigned int kind;
	uint64_t blocks[PAGE_BLOCKS / 64]; /* a bit for each that is used */
};

struct filter_pages {
	struct lttngmap_control *control;
	struct cds_list_head freed; /* the oldest first */
	struct {
		uint32_t user;
		bool limited;
	} owners[LTTNGMAP_CHANNELS]; /* of the slots */
	/* An earlier daemon used pages below, and freed blocks there that may rest until then. */
	uint64_t earlier;
	time_t earlier_until;
	struct page pages[PAGES];
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

static uint64_t first_page(const struct filter_pages *pages)
{
	return pages->control->filters + LTTNGMAP_FILTER_WORDS_SIZE;
}

int filter_pages_create(struct lttngmap_control *control, struct filter_pages **result)
{
	struct filter_pages *pages = calloc(1, sizeof(*pages));

	*result = pages;
	if (!pages)
		return -ENOMEM;
	pages->control = control;
	CDS_INIT_LIST_HEAD(&pages->freed);
	if (!control->filters) {
		control->filters = sizeof(*control);
		control->filter_end = sizeof(*control) + LTTNGMAP_FILTER_WORDS_SIZE;
	}
	pages->earlier = (control->filter_end - first_page(pages) + PAGE_SIZE - 1) / PAGE_SIZE;
	pages->earlier_until = (time_t)(time_now_ms() / 1000) + REST_SECONDS;
	return 0;
}

void filter_pages_destroy(struct filter_pages *pages)
{
	struct freed_block *block, *next;

	if (!pages)
		return;
	cds_list_for_each_entry_safe(block, next, &pages->freed, node)
		free(block);
	free(pages);
}

/* One block more, from `at` in the page on; an earlier daemon's may begin anywhere. */
static void add_block(struct page *page, uint64_t at, unsigned int kind, uint32_t user)
{
	if (page->used++ == 0) {
		memset(page->blocks, 0, sizeof(page->blocks));
		page->user = user;
		page->kind = kind;
	}
	if (page->kind != kind || at % (UINT64_C(1) << (BLOCK_SHIFT_MIN + kind)) != 0)
		page->kind = KIND_MIXED;
	else
		page->blocks[(at >> (BLOCK_SHIFT_MIN + kind)) / 64] |=
			UINT64_C(1) << (at >> (BLOCK_SHIFT_MIN + kind)) % 64;
}

static void drop_block(struct page *page, uint64_t at, unsigned int kind)
{
	page->used--;
	if (page->kind == kind)
		page->blocks[(at >> (BLOCK_SHIFT_MIN + kind)) / 64] &=
			~(UINT64_C(1) << (at >> (BLOCK_SHIFT_MIN + kind)) % 64);
}

/* The word, if it names a block; 0: it has the filter itself, or there is none. */
static uint64_t block_of(uint64_t word)
{
	return word & LTTNGMAP_FILTER_KEY_WORD ? 0 : word;
}

/* The word of a filter that needs no block, or 0. */
static uint64_t word_without_block(const void *filter, size_t size)
{
	struct {
		struct lttngmap_filter_program program;
		struct lttngmap_filter_instruction instruction;
	} one;

	if (size != sizeof(one))
		return 0;
	memcpy(&one, filter, sizeof(one));
	if (one.program.nr_instructions != 1 || one.program.pool_size != 0 ||
	    (one.instruction.code & 7) != LTTNGMAP_FILTER_KEY || one.instruction.immediate != 0)
		return 0;
	return lttngmap_filter_key_word(one.instruction.code, one.instruction.registers,
					(uint16_t)one.instruction.offset);
}

/* The block that a word names is used from now on, or it is not; in each page that it touches. */
static void count_block(struct filter_pages *pages, uint64_t word, bool used, uint32_t user)
{
	unsigned int kind = kind_of(lttngmap_filter_size(word));
	uint64_t size = UINT64_C(1) << (BLOCK_SHIFT_MIN + kind);
	uint64_t begin = lttngmap_filter_offset(word) - first_page(pages);

	for (uint64_t i = begin / PAGE_SIZE; i < PAGES && i * PAGE_SIZE < begin + size; i++)
		if (used)
			add_block(&pages->pages[i], begin - i * PAGE_SIZE, kind, user);
		else
			drop_block(&pages->pages[i], begin - i * PAGE_SIZE, kind);
}

/* Blocks that have rested may be used again. */
static void end_rests(struct filter_pages *pages)
{
	struct freed_block *block, *next;

	cds_list_for_each_entry_safe(block, next, &pages->freed, node) {
		/* Seconds are counted whole: one more is one at least. */
		if ((time_t)(time_now_ms() / 1000) - block->since <= REST_SECONDS)
			break;
		count_block(pages, block->word, false, 0);
		cds_list_del(&block->node);
		free(block);
	}
	if ((time_t)(time_now_ms() / 1000) > pages->earlier_until)
		pages->earlier = 0;
}

static bool has_free_block(const struct page *page, unsigned int kind)
{
	return page->used > 0 && page->kind == kind && page->used < PAGE_BLOCKS >> kind;
}

/*
 * The page for one more block of the user: one that it has, or a free one, within its share. NULL:
 * there is none.
 */
static struct page *find_page(struct filter_pages *pages, uint32_t user, bool limited,
			      unsigned int kind)
{
	struct page *empty = NULL;
	uint64_t had = 0, left = 0;

	for (uint64_t i = 0; i < PAGES; i++) {
		struct page *page = &pages->pages[i];

		if (page->used == 0) {
			left += PAGE_SIZE;
			if (!empty && i >= pages->earlier)
				empty = page;
		} else if (page->user == user) {
			had += PAGE_SIZE;
			if (i >= pages->earlier && has_free_block(page, kind))
				return page;
		}
	}
	if (limited &&
	    quota_share(left, had, GEOMETRY_FILTERS_SIZE, QUOTA_CLASSES_USER) < PAGE_SIZE)
		return NULL;
	return empty;
}

/* Where a block for a filter of that slot lies, or 0: there is no room. */
static uint64_t take_block(struct filter_pages *pages, uint32_t slot, size_t size)
{
	unsigned int kind = kind_of(size);
	uint64_t offset, block = 0;
	struct page *page;

	end_rests(pages);
	page = find_page(pages, pages->owners[slot].user, pages->owners[slot].limited, kind);
	if (!page)
		return 0;
	while (page->used > 0 && page->blocks[block / 64] >> block % 64 & 1)
		block++;
	offset = first_page(pages) + (uint64_t)(page - pages->pages) * PAGE_SIZE +
		 (block << (BLOCK_SHIFT_MIN + kind));
	count_block(pages, lttngmap_filter_word(offset, size), true, pages->owners[slot].user);
	offset += UINT64_C(1) << (BLOCK_SHIFT_MIN + kind);
	if (pages->control->filter_end < offset)
		pages->control->filter_end = offset;
	return offset - (UINT64_C(1) << (BLOCK_SHIFT_MIN + kind));
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
	block->word = word;
	block->since = (time_t)(time_now_ms() / 1000);
	cds_list_add_tail(&block->node, &pages->freed);
}

static void forget(struct filter_pages *pages, uint64_t *word)
{
	uint64_t old = *word;

	if (!old)
		return;
	__atomic_store_n(word, 0, __ATOMIC_RELEASE);
	release_block(pages, block_of(old));
}

/* Are these pages there, for reading and writing? */
static bool are_had(const void *at, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE) - 1, begin = (uintptr_t)at & ~page;

	return size == 0 ||
	       madvise((void *)begin, (uintptr_t)at + size - begin, MADV_POPULATE_WRITE) == 0 ||
	       errno == EINVAL; /* before Linux 5.14 */
}

int filter_pages_begin(struct filter_pages *pages, uint32_t slot, uint32_t ids, uint32_t user,
		       bool limited)
{
	if (!are_had(word_of(pages, slot, 0), ids * sizeof(uint64_t)))
		return -ENOMEM;
	memset(word_of(pages, slot, 0), 0, ids * sizeof(uint64_t));
	pages->owners[slot].user = user;
	pages->owners[slot].limited = limited;
	return 0;
}

void filter_pages_adopt(struct filter_pages *pages, uint32_t slot, uint32_t ids, uint32_t user,
			bool limited)
{
	pages->owners[slot].user = user;
	pages->owners[slot].limited = limited;
	for (uint32_t id = 0; id < ids; id++)
		if (block_of(*word_of(pages, slot, id)))
			count_block(pages, *word_of(pages, slot, id), true, user);
}

/* A word that is not that of the filter yet, and its block, if it had one. */
static int put_filter(struct filter_pages *pages, uint32_t slot, uint64_t *word, const void *filter,
		      size_t size)
{
	const uint64_t old = *word;
	uint64_t offset;
	char *there;

	if (size > LTTNGMAP_FILTER_SIZE_MAX)
		return -ENOSPC;
	offset = take_block(pages, slot, size);
	if (!offset)
		return -ENOSPC;
	there = (char *)pages->control + offset;
	if (!are_had(there, size)) {
		release_block(pages, lttngmap_filter_word(offset, size));
		return -ENOMEM;
	}
	memcpy(there, filter, size);
	/* Release: who finds the word finds all of the filter. */
	__atomic_store_n(word, lttngmap_filter_word(offset, size), __ATOMIC_RELEASE);
	release_block(pages, block_of(old));
	return 0;
}

int filter_pages_set(struct filter_pages *pages, uint32_t slot, uint32_t id, const void *filter,
		     size_t size)
{
	const uint64_t whole = word_without_block(filter, size);
	uint64_t *word = word_of(pages, slot, id), old, block;
	char *there;

	if (!are_had(word, sizeof(*word)))
		return -ENOMEM;
	old = *word;
	block = block_of(old);
	there = (char *)pages->control + lttngmap_filter_offset(block);
	if (!are_had(there, lttngmap_filter_size(block)))
		return -ENOMEM;
	if (whole ? old == whole
		  : block == old && lttngmap_filter_size(block) == size &&
			    (!size || memcmp(there, filter, size) == 0))
		return 0;
	if (whole) {
		__atomic_store_n(word, whole, __ATOMIC_RELAXED);
		release_block(pages, block);
		return 0;
	}
	if (!size) {
		forget(pages, word);
		return 0;
	}
	return put_filter(pages, slot, word, filter, size);
}

void filter_pages_clear(struct filter_pages *pages, uint32_t slot, uint32_t ids)
{
	if (!are_had(word_of(pages, slot, 0), ids * sizeof(uint64_t)))
		return;
	for (uint32_t id = 0; id < ids; id++)
		forget(pages, word_of(pages, slot, id));
}
