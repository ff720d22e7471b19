/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * An event that a map counts by a key of its filter's word (liblttngmap/event/event-map.c), by
 * itself: where the general way finds no pages, it counts nothing, so every check shows. Then with
 * the general way, interrupted at each instruction: by a handler that counts the same event, by
 * one that forks, and by the process's end. Each event is counted once, or not at all.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/wait.h>
#include <unistd.h>

#include <urcu.h>

#include <lttngmap/event-class.h>
#include <lttngmap/filter-code.h>

#include "liblttngmap/event/event-fast.h"
#include "liblttngmap/ring/filter-test.h"
#include "liblttngmap/ring/ring.h"
#include "tests/utils/breakpoint.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/tap.h"

#define ID 3
#define SUBBUF_SHIFT 12
#define ENTRIES (UINT64_C(1) << (SUBBUF_SHIFT - 4))
#define RING_SIZE (UINT64_C(3) << SUBBUF_SHIFT)
/* A restartable sequence is aborted now and then, and an event of it is lost here. */
#define TRIES 1000
#define STEPS_MAX 300

static struct bench_set bench;
static struct ring_channel *view;
static struct lttngmap_tracepoint tracepoint;
static struct local *pages;
static uint64_t *words;
static char *tables;
static unsigned char fields[64];
static size_t size;
static uint32_t rings;

static void set_up(void)
{
	const struct bench_set_config config = {
		.mode = LTTNGMAP_MODE_DISCARD,
		.clock = LTTNGMAP_CLOCK_TSC,
		.subbuf_shift = SUBBUF_SHIFT,
		.subbufs_shift = 1,
		.use_rseq = true,
	};

	bench_set_create(&bench, &config);
	pages = bench.local;
	rings = bench.control->cpu_rings + LTTNGMAP_EXTRA_RINGS;
	tables = pages->rings[0].data;
	mprotect(tables, pages->rings[0].data_size, PROT_READ | PROT_WRITE);
	words = calloc(1, LTTNGMAP_FILTER_WORDS_SIZE);
	if (!words)
		bail_out("no memory");
	pages->filters = (const char *)words;
	pages->filter_words = words;
	pages->control_size = LTTNGMAP_FILTER_WORDS_SIZE;
	tracepoint.word = &bench.control->event_words[ID];
	/* The first event makes the cached channel, which is none of a map yet. */
	bench_set_write(&bench, &(struct ring_event){ fields, 0, NULL, ID, 0 });
	memset(tables, 0, pages->rings[0].data_size);
	view = &pages->channels[0];
	view->fast_cpus = 0;
	view->contexts = RING_CHANNEL_FILTERED;
	view->bit = -UINT64_C(1);
	view->is_map = RING_MAP_OF_WORDS;
	view->data_end += view->least_start;
	view->least_start = 0;
	view->table_stride = RING_SIZE;
	view->table_entries = ENTRIES;
	view->key_words = words;
}

static void tear_down(void)
{
	local_pages = pages;
	bench_set_destroy(&bench);
	free(words);
}

static struct lttngmap_map_entry *table(uint32_t ring)
{
	return (struct lttngmap_map_entry *)(tables + ring * RING_SIZE);
}

/* Of all tables; with `key` only of entries that have it. */
static uint64_t counted(const uint64_t *key, unsigned *entries)
{
	uint64_t count = 0;

	*entries = 0;
	for (uint32_t ring = 0; ring < rings; ring++) {
		for (uint64_t i = 0; i <= ENTRIES; i++) {
			const struct lttngmap_map_entry *entry = &table(ring)[i];

			if (!entry->count || (key && (i == ENTRIES || entry->key != *key)))
				continue;
			count += entry->count;
			++*entries;
		}
	}
	return count;
}

static void emit(void)
{
	lttngmap_event_write(&tracepoint, fields, size, NULL);
}

/* By the fast way alone. Tries again where a section was aborted. */
static bool is_counted(void)
{
	unsigned entries;
	uint64_t before = counted(NULL, &entries);

	local_pages = NULL;
	for (int i = 0; i < TRIES && counted(NULL, &entries) == before; i++)
		emit();
	local_pages = pages;
	return counted(NULL, &entries) == before + 1;
}

static void is_left(const char *why)
{
	unsigned entries;
	uint64_t before = counted(NULL, &entries);

	local_pages = NULL;
	for (int i = 0; i < 10; i++)
		emit();
	local_pages = pages;
	ok(counted(NULL, &entries) == before, "left to the general way: %s", why);
}

static void set_key(unsigned kind, unsigned registers, unsigned offset)
{
	words[ID] = lttngmap_filter_key_word((uint8_t)(LTTNGMAP_FILTER_KEY | kind),
					     (uint8_t)registers, (uint16_t)offset);
}

/* All integers at all offsets of events of all sizes: the key is that of the filter's machine. */
static void test_keys(unsigned kind, const char *name)
{
	unsigned wrong = 0, beyond = 0, tried = 0;

	set_up();
	for (size = 0; size <= 25; size++) {
		for (unsigned registers = 0; registers < 16; registers++) {
			for (unsigned offset = 0; offset <= size; offset++) {
				uint64_t key;
				unsigned entries;
				bool is_there;

				memset(tables, 0, pages->rings[0].data_size);
				set_key(kind, registers, offset);
				is_there = filter_key_of_word(words[ID], fields, size, &key);
				tried++;
				if (!is_there) {
					local_pages = NULL;
					emit();
					local_pages = pages;
					beyond += counted(NULL, &entries) != 0;
					continue;
				}
				wrong += !is_counted() || counted(&key, &entries) != 1;
			}
		}
	}
	ok(wrong == 0, "%s: each key of %u is counted", name, tried);
	is(beyond, 0, "… and no field that is not there");
	tear_down();
}

static void test_checks(void)
{
	static const uint64_t other_words;
	uint64_t word;

	set_up();
	size = 12;
	set_key(LTTNGMAP_FILTER_KEY_FIELD, 2 | LTTNGMAP_FILTER_SIGNED, 0);
	word = words[ID];
	ok(is_counted(), "an event is counted");
	bench.control->channels[0].generation++;
	is_left("a channel that changed");
	bench.control->channels[0].generation--;
	view->cpu_rings = 0;
	is_left("a view that was wiped");
	view->cpu_rings = bench.control->cpu_rings;
	view->is_map = 1;
	is_left("a map without filters that are known");
	view->is_map = RING_MAP_OF_WORDS;
	view->bit = 1;
	is_left("a record in the table");
	view->bit = -UINT64_C(1);
	words[ID] = 0;
	is_left("an event without a filter");
	words[ID] = lttngmap_filter_word(0x50a0000, 64);
	is_left("a filter that is a program");
	words[ID] = word & ~LTTNGMAP_FILTER_KEY_WORD;
	is_left("a word that is none of a key");
	set_key(0x18, 2, 0);
	is_left("a kind of key that there is not");
	set_key(LTTNGMAP_FILTER_KEY_FIELD, 2 | LTTNGMAP_FILTER_SIGNED, 9);
	is_left("a field beyond the event");
	words[ID] = word;
	tracepoint.word = &other_words;
	is_left("the word of another daemon");
	tracepoint.word = &bench.control->event_words[ID];
	bench.process->channels = 0;
	is_left("a map that does not count this process");
	bench.process->channels = 3;
	bench.control->event_words[ID] = 3;
	ok(is_counted(), "an event of the map and of another channel is counted");
	bench.control->event_words[ID] = 1;
	ok(is_counted(), "an event is counted again");
	pages->channels[5] = *view;
	pages->channels[5].bit = 1 << 5;
	pages->channels[5].is_map = 0;
	local_first.cached = &pages->channels[5];
	ok(is_counted(), "an event of a map that is not the channel cached last");
	pages->channels[5].bit = -UINT64_C(1);
	pages->channels[5].is_map = 0;
	is_left("a guess that is no map any more");
	tear_down();
}

/* More keys than there is room for. Both ways search alike. */
static void test_full(void)
{
	const uint64_t wanted = 2 * ENTRIES;
	uint64_t sum, others;
	unsigned entries, wrong = 0, good = 0;

	set_up();
	size = 8;
	set_key(LTTNGMAP_FILTER_KEY_FIELD, 3, 0);
	for (uint64_t key = 1; key <= wanted; key++) {
		memcpy(fields, &key, sizeof(key));
		good += is_counted();
	}
	is(good, wanted, "as many keys again as there is room for");
	sum = counted(NULL, &entries);
	is(sum, wanted, "… all of them are counted");
	for (uint64_t key = 1; key <= wanted; key++)
		wrong += counted(&key, &entries) > 1 || entries > 1;
	is(wrong, 0, "… none twice");
	others = table(0)[ENTRIES].count;
	ok(others >= ENTRIES, "… those without room as others'");
	for (uint64_t i = 0; i < ENTRIES; i++)
		sum -= table(0)[i].count;
	is(sum, others, "… and no more");
	tear_down();
}

/* The general way counts in the same entry. */
static void test_general(void)
{
	uint64_t key = 77, other = 78;
	unsigned entries;

	set_up();
	size = 8;
	memcpy(fields, &key, sizeof(key));
	set_key(LTTNGMAP_FILTER_KEY_FIELD, 3, 0);
	ok(is_counted(), "an event the fast way");
	view->cpu_rings = 0;
	emit();
	view->cpu_rings = bench.control->cpu_rings;
	view->is_map = 1;
	emit();
	view->is_map = RING_MAP_OF_WORDS;
	ok(counted(&key, &entries) == 3 || entries == 2, "… and two the general way");
	memcpy(fields, &other, sizeof(other));
	emit();
	is(counted(&other, &entries), 1, "… and of another key, either way");
	tear_down();
}

/* ---- interrupted --------------------------------------------------------------- */

enum interrupt { COUNTS, FORKS, ENDS };

static uint8_t *addresses[STEPS_MAX];
static unsigned steps;
static enum interrupt interrupt;
static pid_t child;
static int child_status;

static void on_interrupt(void)
{
	if (interrupt == COUNTS)
		emit();
	if (interrupt == ENDS)
		_exit(0);
	if (interrupt != FORKS)
		return;
	child = fork();
	if (child > 0)
		waitpid(child, &child_status, 0);
}

struct tally {
	unsigned tried, wrong, crashed;
};

static void try_at(uint8_t *at, struct tally *tally)
{
	uint64_t key = 4711, least, most;
	pid_t self = getpid();
	unsigned entries, hits = 0;

	set_up();
	size = 12;
	memset(fields, 0, sizeof(fields));
	memcpy(fields, &key, sizeof(key));
	set_key(LTTNGMAP_FILTER_KEY_FIELD, 2 | LTTNGMAP_FILTER_SIGNED, 0);
	if (interrupt == FORKS)
		madvise(pages, sizeof(*pages), MADV_WIPEONFORK);
	child = -1;
	child_status = 0;
	if (interrupt == ENDS) {
		child = fork();
		if (child > 0) {
			waitpid(child, &child_status, 0);
			/* 1: the thread was interrupted, and began anew by another way. */
			hits = child_status == 0;
			if (WIFEXITED(child_status))
				child_status = 0;
		}
	}
	if (child <= 0 || interrupt == FORKS) {
		breakpoint_arm(at, on_interrupt);
		emit();
		hits = breakpoint_disarm();
		if (getpid() != self)
			_exit(interrupt == ENDS ? 1 : 0);
	}
	tally->tried += hits > 0;
	tally->crashed += child_status != 0;
	/* A child that ended is counted, or not; what it left is counted in. */
	emit();
	least = interrupt == COUNTS && hits ? 3 : interrupt == ENDS ? 1 : 2;
	most = interrupt == ENDS ? 2 : least;
	tally->wrong += counted(&key, &entries) < least || counted(&key, &entries) > most ||
			counted(NULL, &entries) != counted(&key, &entries);
	tear_down();
}

static void test_interrupted(enum interrupt how, const char *name)
{
	struct tally tally = { 0 };

	interrupt = how;
	for (unsigned i = 0; i < steps; i++)
		try_at(addresses[i], &tally);
	ok(tally.tried > steps / 2, "%s at %u of %u instructions", name, tally.tried, steps);
	is(tally.crashed, 0, "… none crashed");
	is(tally.wrong, 0, "… and each event is counted once");
}

static void trace_steps(void)
{
	uint64_t key = 4711;
	unsigned all;

	set_up();
	size = 12;
	memset(fields, 0, sizeof(fields));
	memcpy(fields, &key, sizeof(key));
	set_key(LTTNGMAP_FILTER_KEY_FIELD, 2 | LTTNGMAP_FILTER_SIGNED, 0);
	all = breakpoint_trace(emit, addresses, STEPS_MAX);
	/* From the function's begin on; before it, and behind it, are those of the test. */
	for (unsigned i = 0; i < all; i++) {
		if (addresses[i] == (uint8_t *)lttngmap_event_write) {
			memmove(addresses, addresses + i, (all - i) * sizeof(addresses[0]));
			all -= i;
			break;
		}
	}
	for (steps = 0; steps < all && *addresses[steps] != 0xc3; steps++)
		continue;
	tear_down();
}

int main(void)
{
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
#ifdef __SANITIZE_THREAD__
	skip_all("the thread sanitizer is shown the general way only");
#endif
	if (__rseq_size == 0 || sched_setaffinity(0, sizeof(cpu), &cpu) < 0)
		skip_all("restartable sequences are off, or CPU 0 is not to be had");
	/* No daemon: a child finds that it is not traced. */
	setenv("LTTNGMAP_RUNTIME_DIR", "/nonexistent", 1);
	for (unsigned i = 0; i < sizeof(fields); i++)
		fields[i] = (unsigned char)(i * 77 + 1);
	breakpoint_prepare();
	rcu_register_thread();
	ring_set_table_create();
	test_keys(LTTNGMAP_FILTER_KEY_FIELD, "an integer");
	test_keys(LTTNGMAP_FILTER_KEY_BUCKET, "its bucket");
	test_keys(LTTNGMAP_FILTER_KEY_NONE, "none");
	test_checks();
	test_full();
	test_general();
	trace_steps();
	ok(steps > 50, "an event is of %u instructions", steps);
	test_interrupted(COUNTS, "a handler that counts");
	test_interrupted(FORKS, "a handler that forks");
	test_interrupted(ENDS, "an end");
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
