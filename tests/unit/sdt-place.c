/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sdt-place.c - where the jumps of probes may land and where not, who has which bytes, and
 * that pages come and go with those who use them.
 */
#include <errno.h>
#include <sys/mman.h>

#include "sdt/place.h"
#include "tests/utils/tap.h"

#define PAGE UINT64_C(4096)
#define PAGES_MAX 8192

/* Room that nobody else has: of so many pages, with one in between. */
static uint64_t room;

static void find_room(size_t pages)
{
	void *memory = mmap(NULL, pages * PAGE, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED || munmap(memory, pages * PAGE) != 0)
		bail_out("no room");
	room = (uint64_t)memory;
}

static bool is_mapped(uint64_t page)
{
	unsigned char in_core;

	return mincore((void *)page, PAGE, &in_core) == 0;
}

static void test_one(void)
{
	uint64_t first = 0, second = 0;

	find_room(2);
	is(sdt_place_take(room + 100, &first), 0, "a place that is free");
	is(first, room + PAGE - 64, "with a stub at the page's end");
	is(sdt_place_take(room + 100, &second), -EBUSY, "the same place again");
	is(sdt_place_take(room + 104, &second), -EBUSY, "its last byte");
	is(sdt_place_take(room + 96, &second), -EBUSY, "its first byte");
	is(sdt_place_take(first + 10, &second), -EBUSY, "its stub");
	is(sdt_place_take(room + 105, &second), 0, "the next byte");
	is(second, first - 64, "and the next stub");
	sdt_place_give(room + 105, second);
	ok(is_mapped(room), "the page is there while one is");
	sdt_place_give(room + 100, first);
	ok(!is_mapped(room), "and no longer");
	is(sdt_place_take(room + 96, &second), 0, "what was given back can be taken");
	sdt_place_give(room + 96, second);
}

static void test_two_pages(void)
{
	uint64_t across = 0, other = 0;

	find_room(2);
	is(sdt_place_take(room + PAGE - 2, &across), 0, "across two pages");
	is(across, room + PAGE - 128, "its stub is behind no landing");
	ok(is_mapped(room) && is_mapped(room + PAGE), "both are there");
	is(sdt_place_take(room + PAGE + 2, &other), -EBUSY, "it has the second one's bytes");
	is(sdt_place_take(room + PAGE + 3, &other), 0, "but no more");
	sdt_place_give(room + PAGE - 2, across);
	ok(!is_mapped(room) && is_mapped(room + PAGE), "one of them goes");
	sdt_place_give(room + PAGE + 3, other);
	ok(!is_mapped(room + PAGE), "then the other");
	/* The second page is somebody's: nothing stays of the first. */
	if (mmap((void *)(room + PAGE), PAGE, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
		bail_out("no page");
	is(sdt_place_take(room + PAGE - 2, &across), -EEXIST, "the second page is taken");
	ok(!is_mapped(room), "and the first is let go");
	munmap((void *)(room + PAGE), PAGE);
}

static void test_full_page(void)
{
	uint64_t stubs[64], stub;
	int error = 0;
	unsigned count = 0;

	find_room(1);
	/* Landings of five bytes from the begin, until there is no room for one more stub. */
	while (count < 64 && !error) {
		error = sdt_place_take(room + count * 5, &stubs[count]);
		count += !error;
	}
	is(error, -EBUSY, "a page is full");
	ok(count >= 58, "with a landing and a stub of each, %u times", count);
	for (unsigned i = 0; i < count; i++)
		sdt_place_give(room + i * 5, stubs[i]);
	is(sdt_place_take(room + count * 5, &stub), 0, "and has room again");
	sdt_place_give(room + count * 5, stub);
	ok(!is_mapped(room), "until it goes");
}

static void test_nowhere(void)
{
	uint64_t stub;

	is(sdt_place_take(0x1000, &stub), -EPERM, "where NULL leads");
	is(sdt_place_take(0xffff, &stub), -EPERM, "near it");
	is(sdt_place_take(UINT64_MAX, &stub), -ERANGE, "beyond all");
	is(sdt_place_take((UINT64_C(1) << 47) - PAGE, &stub), -ERANGE, "on the last page");
	is(sdt_place_take((uint64_t)&stub - (64 << 20), &stub), -EEXIST,
	   "where the stack may grow");
	is(sdt_place_take((uint64_t)test_nowhere, &stub), -EEXIST, "in code");
}

static void test_all(void)
{
	static uint64_t stubs[PAGES_MAX];
	uint64_t stub;
	int error = 0;

	find_room(2 * PAGES_MAX + 2);
	for (unsigned i = 0; i < PAGES_MAX && !error; i++)
		error = sdt_place_take(room + 2 * i * PAGE, &stubs[i]);
	is(error, 0, "as many pages as there may be");
	is(sdt_place_take(room + 2 * PAGES_MAX * PAGE, &stub), -ENOSPC, "but no more");
	is(sdt_place_take(room + 16, &stub), 0, "a page that is there is no more");
	sdt_place_give(room + 16, stub);
	for (unsigned i = 0; i < PAGES_MAX; i++)
		sdt_place_give(room + 2 * i * PAGE, stubs[i]);
	is(sdt_place_take(room + 2 * PAGES_MAX * PAGE, &stub), 0, "when some are given back, more");
	sdt_place_give(room + 2 * PAGES_MAX * PAGE, stub);
}

int main(void)
{
	test_one();
	test_two_pages();
	test_full_page();
	test_nowhere();
	test_all();
	return done_testing();
}
