/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The fast way of an event (liblttngmap/event/event-fast.h), by itself: the general way finds no
 * pages here and writes nothing. So every check of the fast way shows: where it leaves an event to
 * the general way, no record is there.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/rseq.h>
#include <sys/wait.h>
#include <unistd.h>

#include <urcu.h>

#include <lttngmap/event-class.h>
#include <lttngmap/filter-code.h>

#include "liblttngmap/base/arch.h"
#include "liblttngmap/ring/context.h"
#include "liblttngmap/event/event-fast.h"
#include "liblttngmap/ring/ring.h"
#include "liblttngmap/base/vfork.h"
#include "tests/utils/ring-bench-set.h"
#include "tests/utils/tap.h"

#define ID 3
#define SUBBUF_SHIFT 16
#define SUBBUF_SIZE (UINT64_C(1) << SUBBUF_SHIFT)
#define SUBBUFS 4
#define META_PAGE 4096
/* A restartable sequence is aborted now and then, and an event of it is lost here. */
#define TRIES 1000

static struct bench_set bench;
static struct lttngmap_ring *ring;
static struct ring_channel *view;
static struct lttngmap_tracepoint tracepoint;
static struct local *pages;
static unsigned char fields[LTTNGMAP_RECORD_MAX + 16];

static uint64_t position(void)
{
	return ring->commit[0] & LTTNGMAP_POSITION_MASK;
}

/* The view is made by the general way; after that there is none. */
static void set_up(uint64_t contexts)
{
	const struct bench_set_config config = {
		.mode = LTTNGMAP_MODE_OVERWRITE,
		.clock = LTTNGMAP_CLOCK_TSC,
		.subbuf_shift = SUBBUF_SHIFT,
		.subbufs_shift = 2,
		.use_rseq = true,
	};

	bench_set_create(&bench, &config);
	ring = (struct lttngmap_ring *)bench.rings;
	pages = bench.local;
	view = &pages->channels[0];
	bench.control->channels[0].contexts = contexts;
	bench_set_write(&bench, &(struct ring_event){ fields, 16, NULL, ID, 0 });
	tracepoint.word = &bench.control->event_words[ID];
	local_pages = NULL;
}

static void tear_down(void)
{
	local_pages = pages;
	bench_set_destroy(&bench);
}

/* Tries once; how many records there are more. */
static int emit(size_t size, const void *ip)
{
	uint64_t before = ring->commit[0];

	lttngmap_event_write(&tracepoint, fields, size, ip);
	return (int)((ring->commit[0] >> LTTNGMAP_COUNT_SHIFT) - (before >> LTTNGMAP_COUNT_SHIFT));
}

static bool is_written(size_t size, const void *ip)
{
	for (int i = 0; i < TRIES; i++)
		if (emit(size, ip) == 1)
			return true;
	return false;
}

static void is_left(const char *why)
{
	int written = 0;

	for (int i = 0; i < 10; i++)
		written += emit(12, NULL);
	ok(written == 0, "left to the general way: %s", why);
}

/* The record that ends at the position, of sub-buffer q, with `before` bytes before the fields. */
static bool is_there(uint64_t q, uint64_t at, size_t before, size_t size)
{
	const char *data = bench.data + META_PAGE + (q << SUBBUF_SHIFT) + (at & (SUBBUF_SIZE - 1)) +
			   LTTNGMAP_RECORD_HEADER_SIZE + before;

	return memcmp(data, fields, size) == 0 &&
	       position() - at == LTTNGMAP_RECORD_HEADER_SIZE + before + size;
}

static void test_sizes(uint64_t contexts, size_t before)
{
	static const size_t sizes[] = { 0, 1, 4, 8, 12, 15, 16, 17, 24, 301, 3900 };
	/* There is one size for all events with contexts. */
	const size_t largest = LTTNGMAP_RECORD_MAX - LTTNGMAP_RECORD_HEADER_SIZE -
			       (contexts ? CONTEXTS_OF_IP_SIZE : 0);
	unsigned good = 0;

	set_up(contexts);
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t at = position();

		good += is_written(sizes[i], NULL) && is_there(0, at, before, sizes[i]);
	}
	ok(good == sizeof(sizes) / sizeof(sizes[0]), "records of all sizes, %zu bytes of contexts",
	   before);
	is(emit(largest + 1, NULL), 0, "… but one byte beyond the largest");
	is(emit(SIZE_MAX - 7, NULL), 0, "… nor a size that wraps");
	ok(is_written(largest, NULL), "… the largest");
	tear_down();
}

static void test_channel(void)
{
	static const uint64_t others = 1;
	static const struct lttngmap_process another;
	static struct ring_channel other_pages;
	const uint64_t *words;
	const uint64_t *epoch;
	uint32_t cpus;

	set_up(0);
	words = view->event_words;
	cpus = view->fast_cpus;
	ok(is_written(12, NULL), "an event is written");
	bench.control->channels[0].generation++;
	is_left("a channel that changed");
	bench.control->channels[0].generation--;
	view->fast_cpus = 0;
	is_left("a view that is not for it, or wiped");
	view->fast_cpus = cpus;
	view->event_words = NULL;
	is_left("pages that were wiped");
	view->event_words = words;
	bench.process->channels = 2;
	is_left("a channel that the process has no part in");
	/* A search for no bit leaves what was there before: the size. */
	pages->channels[1] = *view;
	pages->channels[1].bit = 0;
	is(emit(1, NULL), 0, "… whatever another view is");
	bench.process->channels = 3;
	bench.control->event_words[ID] = 2;
	is_left("one of a channel without a view");
	bench.control->event_words[ID] = 1;
	tracepoint.word = &others;
	is_left("the word of another daemon");
	tracepoint.word = &bench.control->event_words[ID];
	local_first.cached = &pages->channels[1];
	ok(is_written(12, NULL), "an event of a channel that is not the one cached last");
	ok(is_written(24, NULL), "… a long one");
	epoch = pages->channels[1].epoch;
	pages->channels[1].epoch = NULL;
	is_left("… of pages that were wiped just now");
	pages->channels[1].epoch = epoch;
	other_pages.event_words = &others;
	local_first.cached = &other_pages;
	is_left("a channel of the pages of another daemon");
	event_fast_allow(pages, 1);
	ok(is_written(12, NULL), "… until an event went the general way");
	pages->process = &another;
	event_fast_allow(pages, 1);
	is_left("a process that is attached in the same pages since, and has no part in the "
		"channel");
	pages->process = bench.process;
	event_fast_allow(pages, 1);
	ok(is_written(12, NULL), "… until it has");
	tear_down();
}

/* As in a process that has another pointer guard. */
static void allow_with_guard(uint64_t guard)
{
	const uint64_t ours = arch_thread_guard();

	__asm__ volatile("movq %0, %%fs:48" : : "r"(guard) : "memory");
	event_fast_allow(pages, 1);
	__asm__ volatile("movq %0, %%fs:48" : : "r"(ours) : "memory");
}

/* A raw thread's storage may be zeros, or have any other number there. */
static void test_guard(void)
{
	uint64_t guard;

	set_up(0);
	guard = local_first.guard;
	is(guard, arch_thread_guard(), "open: the threads' pointer guard");
	local_first.guard = guard ^ 1 << 16;
	is_left("a thread with another pointer guard");
	local_first.guard = LOCAL_CLOSED;
	is_left("a process that may not");
	allow_with_guard(0);
	is(local_first.guard, LOCAL_CLOSED, "… nor with a guard that raw threads may have");
	allow_with_guard(LOCAL_CLOSED + 7);
	is(local_first.guard, LOCAL_CLOSED, "… nor with one that means closed");
	event_fast_allow(pages, 1);
	ok(is_written(12, NULL), "… until it may");
	lttngmap_vfork_count(1);
	is_left("the child of a vfork");
	event_fast_allow(pages, 1);
	is_left("… whatever went the general way meanwhile");
	lttngmap_vfork_count(1);
	lttngmap_vfork_count(-1);
	event_fast_allow(pages, 1);
	is_left("… and with one of two that were there");
	lttngmap_vfork_count(-1);
	is(local_first.guard, LOCAL_CLOSED, "without a child: closed");
	pages->use_rseq = false;
	event_fast_allow(pages, 1);
	is_left("a process without restartable sequences");
	pages->use_rseq = true;
	event_fast_allow(pages, 1);
	ok(is_written(12, NULL), "an event is written again");
	tear_down();
}

/* Its child says by its end how many events it wrote. */
static void test_vfork(void)
{
	int status = -1;
	pid_t child;

	set_up(0);
	child = vfork();
	if (child == 0)
		_exit(emit(12, NULL) + emit(12, NULL));
	ok(child > 0 && waitpid(child, &status, 0) == child && status == 0,
	   "left to the general way: events of a vfork's child");
	is(local_first.guard, LOCAL_CLOSED, "… then closed");
	event_fast_allow(pages, 1);
	ok(is_written(12, NULL), "… until it is opened");
	tear_down();
}

static void test_clock(void)
{
	uint64_t opened, timestamp;

	set_up(0);
	opened = ring->opened[lttngmap_ring_side(0)];
	ring->opened[lttngmap_ring_side(0)] -= UINT64_C(1) << 47;
	is_left("a sub-buffer that is open for long");
	ring->opened[lttngmap_ring_side(0)] = opened + (UINT64_C(1) << 47);
	is_left("one that was opened later than now");
	ring->opened[lttngmap_ring_side(0)] = opened;
	timestamp = ring->commit[1];
	ring->commit[1] += UINT64_C(1) << 40;
	is_left("a clock behind the last record");
	ring->commit[1] = timestamp;
	ok(is_written(12, NULL), "an event is written again");
	ok(ring->commit[1] > timestamp && ring->commit[1] - timestamp < UINT64_C(1) << 40,
	   "… its time is the last one's");
	tear_down();
}

static void test_count(void)
{
	set_up(0);
	ring->commit[0] |= UINT64_C(0xffff) << LTTNGMAP_COUNT_SHIFT;
	ring->commit[1] |= UINT64_C(0x1234) << LTTNGMAP_COUNT_SHIFT;
	is_left("a count that carries");
	is(ring->commit[0] >> LTTNGMAP_COUNT_SHIFT, 0xffff, "… its low bits stay");
	ring->commit[0] -= UINT64_C(1) << LTTNGMAP_COUNT_SHIFT;
	ok(is_written(12, NULL), "the count before it");
	is(ring->commit[0] >> LTTNGMAP_COUNT_SHIFT, 0xffff, "… goes on");
	is(ring->commit[1] >> LTTNGMAP_COUNT_SHIFT, 0x1234, "… its high bits stay");
	tear_down();
}

/* As a switch leaves it: sub-buffer q, `room` bytes before its end. */
static void go_to(uint64_t q, uint64_t room)
{
	ring->start[lttngmap_ring_side(q)] = view->least_start + (q << SUBBUF_SHIFT);
	ring->opened[lttngmap_ring_side(q)] = ring->opened[lttngmap_ring_side(0)];
	ring->commit[0] = UINT64_C(1) << LTTNGMAP_COUNT_SHIFT | (((q + 1) << SUBBUF_SHIFT) - room);
}

static void test_place(void)
{
	static const unsigned char zeros[64];
	uint64_t at;

	memset(fields, 0xa5, sizeof(fields));
	set_up(0);
	go_to(1, 1000);
	at = position();
	ok(is_written(12, NULL) && is_there(1, at, 0, 12), "a record in an odd sub-buffer");
	/* A forked child that gave up its rights may have written it. */
	ring->start[lttngmap_ring_side(1)] = view->least_start - 2 * SUBBUF_SIZE;
	is_left("a place before the ring data");
	ring->start[lttngmap_ring_side(1)] = 0;
	is_left("a place behind that of the CPUs, or a sub-buffer that was never opened");
	ring->start[lttngmap_ring_side(1)] = (uintptr_t)fields - (uintptr_t)view->data_end;
	is_left("a place anywhere else");
	go_to(2, RING_FAST_TAIL - 1);
	is_left("a record that does not fit with what is stored behind it");
	go_to(2, RING_FAST_TAIL);
	at = position();
	ok(is_written(0, NULL) && is_there(2, at, 0, 0), "one that does");
	ok(memcmp(bench.data + META_PAGE + 3 * SUBBUF_SIZE, zeros, sizeof(zeros)) == 0,
	   "… and nothing beyond the sub-buffer");
	go_to(0, RING_FAST_TAIL + 8 + 17);
	at = position();
	ok(is_written(17, NULL) && is_there(0, at, 0, 17), "one of more than 16 bytes");
	go_to(0, RING_FAST_TAIL + 8 + 16);
	is(emit(17, NULL), 0, "… but not where it does not fit");
	ok(memcmp(bench.data + META_PAGE + SUBBUF_SIZE, zeros, sizeof(zeros)) == 0,
	   "… and nothing beyond the sub-buffer");
	tear_down();
}

static void test_ip(void)
{
	struct __attribute__((packed)) {
		int32_t vtid;
		uint64_t ip;
	} contexts;
	const char *record;
	uint32_t cpus;
	uint64_t at;

	set_up(CONTEXTS_OF_VTID);
	at = position();
	ok(is_written(12, (const void *)0x123456789abcdef), "an event with vtid alone");
	record = bench.data + META_PAGE + at + LTTNGMAP_RECORD_HEADER_SIZE;
	memcpy(&contexts.vtid, record, sizeof(contexts.vtid));
	is(contexts.vtid, gettid(), "… the thread's id");
	ok(is_there(0, at, sizeof(contexts.vtid), 12), "… then the fields");
	pages->epoch++;
	is_left("a thread's id alone that its parent asked for");
	tear_down();
	set_up(CONTEXTS_OF_IP & ~CONTEXTS_OF_VTID);
	at = position();
	ok(is_written(12, (const void *)0x123456789abcdef), "an event with ip alone");
	record = bench.data + META_PAGE + at + LTTNGMAP_RECORD_HEADER_SIZE;
	memcpy(&contexts.ip, record, sizeof(contexts.ip));
	is(contexts.ip, 0x123456789abcdef, "… where it was");
	ok(is_there(0, at, sizeof(contexts.ip), 12), "… then the fields");
	tear_down();
	set_up(CONTEXTS_OF_IP);
	at = position();
	ok(is_written(12, (const void *)0x123456789abcdef), "an event with vtid and ip");
	record = bench.data + META_PAGE + at + LTTNGMAP_RECORD_HEADER_SIZE;
	memcpy(&contexts, record, sizeof(contexts));
	is(contexts.vtid, gettid(), "… the thread's id");
	is(contexts.ip, 0x123456789abcdef, "… where it was");
	ok(is_there(0, at, sizeof(contexts), 12), "… then the fields");
	pages->epoch++;
	is_left("a thread's id that its parent asked for");
	pages->epoch--;
	bench.control->channels[0].generation++;
	is_left("a channel that changed");
	bench.control->channels[0].generation--;
	cpus = view->ip_cpus;
	view->ip_cpus = 0;
	is_left("a view that was wiped");
	view->ip_cpus = cpus;
	ok(is_written(12, NULL), "an event is written again");
	tear_down();
	set_up(CONTEXTS_OF_IP | UINT64_C(1) << LTTNGMAP_CONTEXT_VPID);
	is_left("other contexts");
	tear_down();
}

/* What code that keeps a program's registers calls: it writes the same record, or none. */
static void test_at_once(uint64_t contexts, size_t before)
{
	unsigned good = 0;
	uint64_t at;

	set_up(contexts);
	local_pages = pages;
	for (size_t size = 0; size <= 128; size++) {
		int is_done = 0;

		at = position();
		for (int i = 0; i < TRIES && !is_done; i++)
			is_done = lttngmap_event_write_at_once(&tracepoint, fields, size,
							       (const void *)0x123456789abcdef);
		good += is_done && is_there(0, at, before, size);
	}
	ok(good == 129, "at once: records of all sizes, %zu bytes of contexts", before);
	at = position();
	is(lttngmap_event_write_at_once(&tracepoint, fields, 129, NULL), !contexts,
	   "… a larger one only without contexts");
	context_vtid.epoch++;
	is(lttngmap_event_write_at_once(&tracepoint, fields, 12, NULL),
	   !(contexts & CONTEXTS_OF_VTID), "… and none with an id that was not asked for");
	context_vtid.epoch--;
	view->contexts |= UINT64_C(1) << LTTNGMAP_CONTEXT_VPID;
	is(lttngmap_event_write_at_once(&tracepoint, fields, 12, NULL), 0,
	   "… nor one with other contexts");
	tear_down();
}

/* Event ID's filter: its first field, an int, is below 0. Of slot 0, in a memory of its own. */
static const struct {
	struct lttngmap_filter_program program;
	struct lttngmap_filter_instruction test;
} below_0 = {
	{ .nr_instructions = 1 },
	{ .code = LTTNGMAP_FILTER_TEST | LTTNGMAP_FILTER_IF_LESS,
	  .registers = 2 | LTTNGMAP_FILTER_SIGNED },
};

/* Does an event reach the general way, which stores that of the process that is in the pages? */
static bool goes_general(size_t size)
{
	struct lttngmap_process another = *pages->process;
	struct ring_channel as_it_was = *view;
	bool was_general;

	local_pages = pages;
	local_first.process = &another;
	lttngmap_event_write(&tracepoint, fields, size, NULL);
	was_general = local_first.process == pages->process;
	local_first.process = pages->process;
	local_pages = NULL;
	*view = as_it_was;
	return was_general;
}

static void test_filter(void)
{
	const uint32_t *generation;
	uint64_t *words, before;
	int32_t number = 5;

	set_up(0);
	words = calloc(1, LTTNGMAP_FILTER_WORDS_SIZE + sizeof(below_0));
	if (!words)
		bail_out("no memory");
	memcpy((char *)words + LTTNGMAP_FILTER_WORDS_SIZE, &below_0, sizeof(below_0));
	words[ID] = lttngmap_filter_word(LTTNGMAP_FILTER_WORDS_SIZE, sizeof(below_0));
	pages->filters = (const char *)words;
	pages->filter_words = words;
	pages->control_size = LTTNGMAP_FILTER_WORDS_SIZE + sizeof(below_0);
	view->contexts = RING_CHANNEL_FILTERED;
	view->bit = 0;
	generation = view->control_generation;
	before = ring->commit[0];
	memcpy(fields, &number, sizeof(number));
	ok(!goes_general(12), "an event that its filter rejects does not reach the general way");
	ok(!goes_general(4), "… nor a short one");
	ok(!goes_general(2), "… nor one without that field");
	ok(!goes_general(24), "… nor a long one");
	is(ring->commit[0], before, "… and is not written");
	number = -5;
	memcpy(fields, &number, sizeof(number));
	ok(goes_general(12), "left to the general way: one that passes");
	number = 5;
	memcpy(fields, &number, sizeof(number));
	view->contexts = 0;
	ok(goes_general(12), "left to the general way: a view without filters, or wiped");
	view->contexts = RING_CHANNEL_FILTERED;
	bench.control->channels[0].generation++;
	ok(goes_general(12), "left to the general way: a channel that changed");
	bench.control->channels[0].generation--;
	view->control_generation = NULL;
	ok(goes_general(12), "left to the general way: a view that was wiped just now");
	view->control_generation = generation;
	words[ID] = 0;
	ok(goes_general(12), "left to the general way: an event without a filter");
	free(words);
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
	for (unsigned i = 0; i < sizeof(fields); i++)
		fields[i] = (unsigned char)(i * 7 + 1);
	rcu_register_thread();
	ring_set_table_create();
	test_sizes(0, 0);
	test_sizes(CONTEXTS_OF_IP, 12);
	test_sizes(CONTEXTS_OF_VTID, 4);
	test_sizes(CONTEXTS_OF_IP & ~CONTEXTS_OF_VTID, 8);
	test_channel();
	test_guard();
	test_vfork();
	test_clock();
	test_count();
	test_place();
	test_ip();
	test_at_once(0, 0);
	test_at_once(CONTEXTS_OF_VTID, 4);
	test_at_once(CONTEXTS_OF_IP & ~CONTEXTS_OF_VTID, 8);
	test_at_once(CONTEXTS_OF_IP, 12);
	test_filter();
	ring_set_table_destroy();
	rcu_unregister_thread();
	return done_testing();
}
