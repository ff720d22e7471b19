/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sdt/place.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define PAGE UINT64_C(4096)
/* Each is a map of its own, of which the kernel allows a process some 65000. */
#define PAGES_MAX 8192u
#define HASHES 8192u
/* Where a NULL with an offset leads is left free, whoever may map it. */
#define ADDRESS_MIN UINT64_C(65536)
#define ADDRESS_END (UINT64_C(1) << 47)
/* The main thread's stack may grow so far at least, whatever its limit is. */
#define STACK_ROOM_MIN (UINT64_C(128) << 20)
#define STACK_ROOM_MAX (UINT64_C(4) << 30)

/* A page of landings and stubs: a word for each 64 bytes, in it a bit for each of them. */
struct page {
	uint64_t at;
	uint16_t next; /* of the same hash, or of those that are free: a number, from 1 */
	uint16_t users;
	uint64_t used[PAGE / SDT_STUB_SIZE];
};

_Static_assert(SDT_STUB_SIZE == 64, "a stub is a word's bits");

/* Made at the first stub, by the caller's lock. */
static struct page *pages;
static unsigned nr_pages; /* so many were ever used */
static uint16_t free_pages, heads[HASHES];

/* Sparse: a page of memory for seven of them, when they are used. */
static bool make_tables(void)
{
	void *memory;

	if (pages)
		return true;
	memory = mmap(NULL, PAGES_MAX * sizeof(*pages), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	pages = memory;
	return true;
}

/* Where the main thread's stack is, or may be one day. Its top has the random bytes. */
static bool is_stack(uint64_t address)
{
	uint64_t top = getauxval(AT_RANDOM), room = STACK_ROOM_MAX;
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < room)
		room = limit.rlim_cur;
	if (room < STACK_ROOM_MIN)
		room = STACK_ROOM_MIN;
	return address + PAGE > top - room && address < top + (1u << 20);
}

static int map_page(uint64_t at)
{
	void *mapped = mmap((void *)at, PAGE, PROT_READ | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (mapped == MAP_FAILED)
		return -errno;
	if (mapped == (void *)at)
		return 0;
	/* A kernel that does not know the flag takes the place as a wish. */
	munmap(mapped, PAGE);
	return -EEXIST;
}

static uint64_t page_of(uint64_t address)
{
	return address & ~(PAGE - 1);
}

static uint16_t *head_of(uint64_t at)
{
	uint64_t number = at / PAGE;

	return &heads[(number ^ number >> 13) % HASHES];
}

static struct page *find_page(uint64_t at)
{
	unsigned i = *head_of(at);

	while (i && pages[i - 1].at != at)
		i = pages[i - 1].next;
	return i ? &pages[i - 1] : NULL;
}

static struct page *add_page(uint64_t at)
{
	uint16_t *head = head_of(at), number = free_pages;
	struct page *page;

	if (number)
		free_pages = pages[number - 1].next;
	else
		number = (uint16_t)++nr_pages;
	page = &pages[number - 1];
	*page = (struct page){ .at = at, .next = *head };
	*head = number;
	return page;
}

static int get_page(uint64_t at)
{
	struct page *page = find_page(at);
	int error;

	if (!page) {
		if (!free_pages && nr_pages == PAGES_MAX)
			return -ENOSPC;
		error = map_page(at);
		if (error)
			return error;
		page = add_page(at);
	}
	page->users++;
	return 0;
}

static void put_page(uint64_t at)
{
	uint16_t *link = head_of(at), number;
	struct page *page = find_page(at);

	if (!page || --page->users > 0)
		return;
	munmap((void *)at, PAGE);
	number = (uint16_t)(page - pages + 1);
	while (*link != number)
		link = &pages[*link - 1].next;
	*link = page->next;
	page->next = free_pages;
	free_pages = number;
}

/* A landing may lie on two pages. */
static int get_pages(uint64_t landing)
{
	uint64_t first = page_of(landing), last = page_of(landing + SDT_LANDING_SIZE - 1);
	int error = get_page(first);

	if (error || last == first)
		return error;
	error = get_page(last);
	if (error)
		put_page(first);
	return error;
}

static void put_pages(uint64_t landing)
{
	uint64_t first = page_of(landing), last = page_of(landing + SDT_LANDING_SIZE - 1);

	put_page(first);
	if (last != first)
		put_page(last);
}

/* ---- bytes ----------------------------------------------------------------------------- */

static uint64_t *word_of(uint64_t address, uint64_t *bit)
{
	*bit = UINT64_C(1) << address % SDT_STUB_SIZE;
	return &find_page(page_of(address))->used[address % PAGE / SDT_STUB_SIZE];
}

/* All of them or none. */
static bool take_landing(uint64_t landing)
{
	uint64_t bit;

	for (unsigned i = 0; i < SDT_LANDING_SIZE; i++)
		if (*word_of(landing + i, &bit) & bit)
			return false;
	for (unsigned i = 0; i < SDT_LANDING_SIZE; i++)
		*word_of(landing + i, &bit) |= bit;
	return true;
}

static void give_landing(uint64_t landing)
{
	uint64_t bit;

	for (unsigned i = 0; i < SDT_LANDING_SIZE; i++)
		*word_of(landing + i, &bit) &= ~bit;
}

/* On the landing's page, from its end: other landings may come anywhere. 0: none is left. */
static uint64_t take_stub(uint64_t landing)
{
	struct page *page = find_page(page_of(landing));

	for (unsigned i = PAGE / SDT_STUB_SIZE; i-- > 0;) {
		if (page->used[i])
			continue;
		page->used[i] = UINT64_MAX;
		return page->at + i * SDT_STUB_SIZE;
	}
	return 0;
}

int sdt_place_take(uint64_t landing, uint64_t *stub)
{
	int error;

	if (landing >= ADDRESS_END - PAGE)
		return -ERANGE;
	if (landing < ADDRESS_MIN)
		return -EPERM;
	if (is_stack(landing))
		return -EEXIST;
	if (!make_tables())
		return -ENOMEM;
	error = get_pages(landing);
	if (error)
		return error;
	if (take_landing(landing)) {
		*stub = take_stub(landing);
		if (*stub)
			return 0;
		give_landing(landing);
	}
	put_pages(landing);
	return -EBUSY;
}

void sdt_place_give(uint64_t landing, uint64_t stub)
{
	find_page(page_of(stub))->used[stub % PAGE / SDT_STUB_SIZE] = 0;
	give_landing(landing);
	put_pages(landing);
}
