/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Filters where processes find them: put, replaced, taken away, no room; and
 * what a writer does with words that name nothing good.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <lttngmap/filter-code.h>

#include "liblttngmap/ring/ring-filter.h"
#include "sessiond/memory/filter-pages.h"
#include "tests/utils/tap.h"

/* In place of libc's: time goes as the test says. */
static time_t seconds = 1000;

int clock_gettime(clockid_t id, struct timespec *now)
{
	(void)id;
	*now = (struct timespec){ .tv_sec = seconds };
	return 0;
}

static struct lttngmap_control *control;
static struct filter_pages *pages;

static uint64_t *word(uint32_t slot, uint32_t id)
{
	return (uint64_t *)((char *)control + control->filters) + slot * LTTNGMAP_EVENT_IDS + id;
}

/* A filter of `size` bytes that returns `value`. */
static const void *make_filter(size_t size, int32_t value)
{
	static uint64_t bytes[LTTNGMAP_FILTER_SIZE_MAX / 8];
	struct lttngmap_filter_program *program = (void *)bytes;
	struct lttngmap_filter_instruction *code = (void *)(program + 1);

	memset(bytes, 0, sizeof(bytes));
	*program = (struct lttngmap_filter_program){
		.nr_instructions = 2,
		.pool_size = (uint32_t)(size - sizeof(*program) - 2 * sizeof(*code)),
	};
	code[0] = (struct lttngmap_filter_instruction){
		.code = LTTNGMAP_FILTER_ALU64 | LTTNGMAP_FILTER_MOV,
		.immediate = value,
	};
	code[1].code = LTTNGMAP_FILTER_JMP | LTTNGMAP_FILTER_EXIT;
	return bytes;
}

/* Of a map: it stands in its word. */
static void test_key(void)
{
	const struct {
		struct lttngmap_filter_program program;
		struct lttngmap_filter_instruction key;
	} key = {
		{ .nr_instructions = 1 },
		{ .code = LTTNGMAP_FILTER_KEY | LTTNGMAP_FILTER_KEY_FIELD,
		  .registers = 2,
		  .offset = 12 },
	};
	const uint64_t wanted = lttngmap_filter_key_word(key.key.code, key.key.registers, 12);
	uint64_t end = control->filter_end;
	struct filter_pages *next;

	is(filter_pages_set(pages, 20, 9, &key, sizeof(key)), 0, "a key is put");
	is(*word(20, 9), wanted, "into its word");
	is(*word(20, 9) & 0xffff, 16, "with its end");
	is(control->filter_end, end, "and takes no memory");
	is(filter_pages_set(pages, 20, 9, &key, sizeof(key)), 0, "the same again");
	is(filter_pages_set(pages, 20, 9, make_filter(64, 1), 64), 0, "a program after it");
	is(lttngmap_filter_size(*word(20, 9)), 64, "is there");
	is(filter_pages_set(pages, 20, 9, &key, sizeof(key)), 0, "and the key again");
	is(*word(20, 9), wanted, "is there");
	if (filter_pages_create(control, &next) < 0)
		bail_out("no memory");
	filter_pages_adopt(next, 20, 100, 0, false);
	is(filter_pages_set(next, 20, 9, NULL, 0), 0, "the next daemon takes it away");
	is(*word(20, 9), 0, "and it is gone");
	filter_pages_destroy(next);
}

static void test_set(void)
{
	uint64_t first;

	is(filter_pages_set(pages, 3, 7, make_filter(64, 1), 64), 0, "a filter is put");
	first = *word(3, 7);
	is(lttngmap_filter_size(first), 64, "with its size");
	ok(memcmp((char *)control + lttngmap_filter_offset(first), make_filter(64, 1), 64) == 0,
	   "and its bytes");
	ok(!*word(3, 8) && !*word(4, 7), "for one event of one channel");
	is(filter_pages_set(pages, 3, 7, make_filter(64, 1), 64), 0, "the same again");
	is(*word(3, 7), first, "… stays where it is");
	is(filter_pages_set(pages, 3, 7, make_filter(64, 0), 64), 0, "another one");
	ok(*word(3, 7) != first, "… does not take its place");
	ok(memcmp((char *)control + lttngmap_filter_offset(first), make_filter(64, 1), 64) == 0,
	   "… which a process may still be reading");
	is(filter_pages_set(pages, 3, 8, make_filter(64, 2), 64), 0, "a third one, at once,");
	ok(*word(3, 8) != first, "… does not either");
	seconds += 2;
	is(filter_pages_set(pages, 3, 9, make_filter(64, 2), 64), 0, "one after two seconds");
	is(*word(3, 9), first, "… does");
	filter_pages_clear(pages, 3, 10);
	ok(!*word(3, 7) && !*word(3, 8) && !*word(3, 9), "a channel is cleared");
}

static void test_room(void)
{
	uint32_t filters = 0;
	uint64_t last = 0;

	is(filter_pages_set(pages, 0, 0, make_filter(64, 1), LTTNGMAP_FILTER_SIZE_MAX + 8), -ENOSPC,
	   "there is no filter beyond the largest");
	seconds += 2;
	while (filter_pages_set(pages, 1, filters, make_filter(LTTNGMAP_FILTER_SIZE_MAX - 8, 1),
				LTTNGMAP_FILTER_SIZE_MAX - 8) == 0) {
		last = lttngmap_filter_offset(*word(1, filters)) +
		       lttngmap_filter_size(*word(1, filters));
		filters++;
	}
	ok(filters >= GEOMETRY_FILTERS_SIZE / LTTNGMAP_FILTER_SIZE_MAX - 1, "there is room for %u",
	   filters);
	ok(last <= GEOMETRY_GLOBAL_SIZE, "which do not go beyond the memory");
	ok(!*word(1, filters), "what has no room is not there");
	seconds += 2;
	is(filter_pages_set(pages, 1, 0, NULL, 0), 0, "one goes");
	is(filter_pages_set(pages, 1, filters, make_filter(65528, 1), 65528), -ENOSPC,
	   "its room rests");
	seconds += 2;
	is(filter_pages_set(pages, 1, filters, make_filter(65528, 1), 65528), 0, "and is used");
	filter_pages_clear(pages, 1, filters + 1);
}

/* How many filters of that size the slot gets. */
static uint32_t fill(uint32_t slot, size_t size)
{
	uint32_t filters = 0;

	while (filters < LTTNGMAP_EVENT_IDS &&
	       filter_pages_set(pages, slot, filters, make_filter(size, 1), size) == 0)
		filters++;
	return filters;
}

static void test_shares(void)
{
	uint64_t kept;

	seconds += 2;
	filter_pages_begin(pages, 10, 0, 1000, true);
	filter_pages_begin(pages, 11, 0, 1001, true);
	filter_pages_begin(pages, 12, 0, 1000, true);
	is(fill(10, 65536), 56, "a user has an eighth of seven eighths");
	is(fill(11, 65536), 49, "the next one an eighth of what is left");
	is(fill(12, 64), 0, "the first one has no more in another channel");
	filter_pages_clear(pages, 10, 56);
	is(fill(12, 64), 0, "nor while what it had rests");
	seconds += 2;
	is(fill(12, 64), 49 * 1024, "then it has its share in small ones");
	kept = *word(12, 1024);

	/* The next daemon. */
	filter_pages_destroy(pages);
	if (filter_pages_create(control, &pages) != 0)
		bail_out("no memory");
	filter_pages_adopt(pages, 11, 49, 1001, true);
	filter_pages_adopt(pages, 12, 49 * 1024, 1000, true);
	seconds += 2;
	is(*word(12, 1024), kept, "in a new life of the daemon, filters stay");
	is(filter_pages_set(pages, 12, 60000, make_filter(64, 0), 64), -ENOSPC,
	   "and count as their user's");
	filter_pages_set(pages, 12, 1024, NULL, 0);
	seconds += 2;
	is(filter_pages_set(pages, 12, 60000, make_filter(64, 0), 64), 0, "one that went");
	is(lttngmap_filter_offset(*word(12, 60000)), lttngmap_filter_offset(kept),
	   "… makes room for another one there");
	is(fill(13, 65536), 512 - 49 - 49, "root has all that is left");
	filter_pages_clear(pages, 11, 49);
	filter_pages_clear(pages, 12, LTTNGMAP_EVENT_IDS);
	filter_pages_clear(pages, 13, 512);
}

/* As the writer asks; both ways to ask say the same. */
static enum channel_result run(struct local *local, uint32_t slot, uint32_t id)
{
	static const uint64_t fields[2];
	struct ring_event event = { .fields = fields, .size = sizeof(fields), .id = id };
	enum channel_result result;

	if (local->filters)
		local->filter_words =
			ring_filter_words((const void *)local->filters, local->control_size);
	result = ring_filter(local, slot, &event);
	if (ring_filter_rejects(local, (uint64_t)slot * LTTNGMAP_EVENT_IDS + id, fields,
				sizeof(fields)) &&
	    result != CHANNEL_OFF)
		bail_out("rejected at once, and not otherwise");
	return result;
}

static void test_writer(void)
{
	struct local local = { .filters = (const char *)control,
			       .control_size = GEOMETRY_GLOBAL_SIZE };
	uint64_t filters = control->filters;

	seconds += 2;
	is(run(&local, 63, 65535), CHANNEL_ON, "an event without a filter passes");
	filter_pages_set(pages, 63, 65535, make_filter(64, 1), 64);
	is(run(&local, 63, 65535), CHANNEL_ON, "one for which it is true passes");
	filter_pages_set(pages, 63, 65535, make_filter(64, 0), 64);
	is(run(&local, 63, 65535), CHANNEL_OFF, "one for which it is not does not");
	filter_pages_clear(pages, 63, 65536);

	*word(2, 0) = lttngmap_filter_word(GEOMETRY_GLOBAL_SIZE - 8, 64);
	is(run(&local, 2, 0), CHANNEL_LOST, "a filter that goes beyond the memory is none");
	*word(2, 0) = UINT64_MAX;
	is(run(&local, 2, 0), CHANNEL_LOST, "nor is one far beyond it");
	*word(2, 0) = lttngmap_filter_word(control->filters, 64);
	is(run(&local, 2, 0), CHANNEL_OFF, "bytes that are no filter let nothing pass");
	*word(2, 0) = 0;
	control->filters = GEOMETRY_GLOBAL_SIZE;
	is(run(&local, 2, 0), CHANNEL_LOST, "words beyond the memory are not looked at");
	control->filters = filters + 1;
	is(run(&local, 2, 0), CHANNEL_LOST, "nor unaligned ones");
	control->filters = 0;
	is(run(&local, 2, 0), CHANNEL_LOST, "nor those of a memory that has none");
	control->filters = filters;
	local.control_size = sizeof(*control);
	is(run(&local, 2, 0), CHANNEL_LOST, "nor what is not mapped");
	local.filters = NULL;
	is(run(&local, 2, 0), CHANNEL_LOST, "nor anything in a child that was forked just now");
}

/* Two pages go elsewhere, or come back: there is nothing where they were. */
static void move(void *from, void *to)
{
	size_t size = 2 * (size_t)sysconf(_SC_PAGESIZE);

	if (mremap(from, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
		bail_out("pages do not move");
}

static void *page_of(const void *at)
{
	return (void *)((uintptr_t)at & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1));
}

/* Like pages that the kernel cannot bring back from swap: the daemon does not touch them. */
static void test_pages_gone(void)
{
	void *aside = mmap(NULL, 2 * (size_t)sysconf(_SC_PAGESIZE), PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *words = page_of(word(20, 4096)), *blocks;
	uint64_t there;

	seconds += 2;
	is(filter_pages_begin(pages, 20, 8192, 0, false), 0, "a slot has filters");
	is(filter_pages_set(pages, 20, 4096, make_filter(4096, 1), 4096), 0, "one of them");
	there = *word(20, 4096);
	blocks = page_of((char *)control + lttngmap_filter_offset(there));

	move(blocks, aside);
	is(filter_pages_set(pages, 20, 4096, make_filter(4096, 0), 4096), -ENOMEM,
	   "no other in place of one whose page cannot be had");
	move(aside, blocks);

	move(words, aside);
	is(filter_pages_set(pages, 20, 4096, make_filter(64, 0), 64), -ENOMEM,
	   "none where the word's page cannot be had");
	is(filter_pages_begin(pages, 20, 8192, 0, false), -ENOMEM, "nor does a slot begin there");
	filter_pages_clear(pages, 20, 8192);
	move(aside, words);
	is(*word(20, 4096), there, "and the filter is as it was");
	filter_pages_clear(pages, 20, 8192);
	is(*word(20, 4096), 0, "until it can be cleared");
}

int main(void)
{
	/* Pages that nobody touches are not there. */
	control = calloc(1, GEOMETRY_GLOBAL_SIZE);
	if (!control || filter_pages_create(control, &pages) != 0)
		bail_out("no memory");
	test_set();
	test_key();
	test_room();
	test_shares();
	test_writer();
	test_pages_gone();
	filter_pages_destroy(pages);
	free(control);
	return done_testing();
}
