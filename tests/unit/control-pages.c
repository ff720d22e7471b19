/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The control pages: what is published is read whole while it changes, no
 * generation comes twice, words change bit by bit.
 */
#include "sessiond/memory/control-pages.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "sessiond/storage/saved-state.h"
#include "tests/utils/tap.h"

#define READERS 2
#define CHANGES 200000u
#define LATEST (500 * CHANGES)

static bool done;

struct reader {
	const struct lttngmap_control *control;
	uint64_t reads, torn, given_up, stale;
};

/* The library's way of reading a channel; every published one has equal fields. */
static void *read_channels(void *data)
{
	struct reader *reader = data;
	const struct lttngmap_control *control = reader->control;
	const struct lttngmap_channel *shared = &control->channels[3];
	uint32_t last = 0;

	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
		unsigned int tries = 0;
		uint32_t before, timeout, generation;
		uint64_t contexts;

		do {
			before = __atomic_load_n(&control->sequence, __ATOMIC_ACQUIRE);
			timeout = __atomic_load_n(&shared->blocking_timeout_ms, __ATOMIC_RELAXED);
			contexts = __atomic_load_n(&shared->contexts, __ATOMIC_RELAXED);
			generation = __atomic_load_n(&shared->generation, __ATOMIC_RELAXED);
			__atomic_thread_fence(__ATOMIC_ACQUIRE);
		} while ((before & 1 ||
			  __atomic_load_n(&control->sequence, __ATOMIC_RELAXED) != before) &&
			 ++tries < LTTNGMAP_SEQLOCK_TRIES);
		if (tries == LTTNGMAP_SEQLOCK_TRIES) {
			reader->given_up++;
			continue;
		}
		__atomic_store_n(&reader->reads, reader->reads + 1, __ATOMIC_RELAXED);
		reader->torn += timeout != contexts;
		reader->stale += generation != 0 && generation < last;
		if (generation)
			last = generation;
	}
	return NULL;
}

static bool all_have_read(const struct reader *readers)
{
	for (int i = 0; i < READERS; i++)
		if (!__atomic_load_n(&readers[i].reads, __ATOMIC_RELAXED))
			return false;
	return true;
}

static void test_seqlock(struct control_pages *pages)
{
	struct reader readers[READERS] = { { 0 } };
	pthread_t threads[READERS];
	struct lttngmap_channel channel = { .subbuf_shift = 16 };

	for (int i = 0; i < READERS; i++) {
		readers[i].control = control_pages_get(pages);
		pthread_create(&threads[i], NULL, read_channels, &readers[i]);
	}
	/* On a busy machine a reader's turn may come late. */
	for (uint32_t i = 1; i <= CHANGES || (!all_have_read(readers) && i < LATEST); i++) {
		channel.blocking_timeout_ms = i;
		channel.contexts = i;
		control_pages_publish(pages, 3, &channel);
		if (i % 16 == 0)
			control_pages_withdraw(pages, 3);
		if (i % 1000 == 0)
			usleep(1);
	}
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	for (int i = 0; i < READERS; i++) {
		pthread_join(threads[i], NULL);
		diag("%llu reads, %llu given up", (unsigned long long)readers[i].reads,
		     (unsigned long long)readers[i].given_up);
		ok(readers[i].reads > 0, "a reader reads");
		is(readers[i].torn, 0, "and never half of a change");
		is(readers[i].stale, 0, "nor an earlier one again");
	}
	is(control_pages_get(pages)->sequence & 1, 0, "the sequence is even in the end");
}

static void test_generations(struct control_pages *pages)
{
	const struct lttngmap_control *control = control_pages_get(pages);
	struct lttngmap_channel channel = { .generation = 77,
					    .mode = LTTNGMAP_MODE_OVERWRITE,
					    .subbuf_shift = 20,
					    .subbufs_shift = 3 };
	uint32_t first = control_pages_publish(pages, 0, &channel);
	uint32_t second;

	ok(first != 0 && control->channels[0].generation == first, "a generation of its own");
	is(control->channels[0].mode, LTTNGMAP_MODE_OVERWRITE, "the rest as given");
	is(control->channels[0].subbuf_shift, 20, "shift too");
	control_pages_withdraw(pages, 0);
	is(control->channels[0].generation, 0, "none when withdrawn");
	second = control_pages_publish(pages, 0, &channel);
	ok(second > first, "never the same again");
	is(control->channels[1].generation, 0, "another slot is not touched");
}

static void test_words(struct control_pages *pages)
{
	const struct lttngmap_control *control = control_pages_get(pages);
	struct lttngmap_process process = { .flags = 5, .channels = 9 };

	control_pages_set_event(pages, 12, 63, true);
	control_pages_set_event(pages, 12, 0, true);
	control_pages_set_event(pages, 65535, 0, true);
	is(control->event_words[12], (long long)(UINT64_C(1) << 63 | 1), "two channels' bits");
	control_pages_set_event(pages, 12, 63, false);
	is(control->event_words[12], 1, "one of them goes");
	control_pages_clear_events(pages, 0, 65536);
	ok(control->event_words[12] == 0 && control->event_words[65535] == 0,
	   "all events of a channel go");

	control_pages_init_process(&process);
	ok(process.magic == LTTNGMAP_PROCESS_MAGIC && process.flags == 0 && process.channels == 0,
	   "a new process takes part in nothing");
	control_pages_set_process(&process, 5, true);
	control_pages_set_process(&process, 6, true);
	control_pages_set_process(&process, 5, false);
	is(process.channels, 1 << 6, "a process's channels");
	control_pages_set_process_flag(&process, LTTNGMAP_PROCESS_NO_DOORBELL);
	is(process.flags, LTTNGMAP_PROCESS_NO_DOORBELL, "a process's flags");
}

/* A daemon that was killed inside of an update of slot 1, and its next life. */
static void test_lives(struct saved_state *saved_state)
{
	const struct lttngmap_channel channel = { .mode = LTTNGMAP_MODE_BLOCKING,
						  .subbuf_shift = 14,
						  .subbufs_shift = 2,
						  .contexts = 3 };
	struct lttngmap_control *control = saved_state->control.map;
	uint32_t untouched, half, gone;
	struct control_pages *pages;
	uint64_t instance = control->instance;

	saved_state->head->lives = 2;
	is(control_pages_create(saved_state, LTTNGMAP_CLOCK_MONOTONIC, 7, &pages), 0,
	   "a second life");
	is((long long)control->instance, (long long)instance, "is the same instance");
	untouched = control_pages_publish(pages, 0, &channel);
	half = control_pages_publish(pages, 1, &channel);
	gone = control_pages_publish(pages, 2, &channel);
	control->sequence++;
	control->channels[1].contexts = 1;
	control_pages_destroy(pages);

	control_pages_create(saved_state, LTTNGMAP_CLOCK_MONOTONIC, 7, &pages);
	control_pages_begin(pages);
	ok(control->sequence & 1, "a repair is an update");
	is(control_pages_publish_again(pages, 0, &channel), untouched, "what is whole stays");
	ok(control_pages_publish_again(pages, 1, &channel) > half, "what is not is new");
	control_pages_withdraw(pages, 2);
	ok(control->sequence & 1, "all of it one");
	control_pages_end(pages);
	is(control->sequence & 1, 0, "after which nobody waits");
	is((long long)control->channels[1].contexts, 3, "for what is there as it should");
	is(control->channels[2].generation, 0, "and no more than that");
	ok(control_pages_publish(pages, 2, &channel) > gone, "generations go on");
	control_pages_destroy(pages);
}

static void test_cpus(void)
{
	static const struct {
		const char *list;
		int rings;
	} lists[] = {
		{ "0\n", 1 },
		{ "0-3\n", 4 },
		{ "0-1,4-7\n", 8 },
		{ "0,2,9", 10 },
		{ "", -EINVAL },
		{ "a\n", -EINVAL },
		{ "3-1\n", -EINVAL },
		{ "0-\n", -EINVAL },
		{ "0;1\n", -EINVAL },
		{ "-1\n", -EINVAL },
		{ "0-99999999\n", -EINVAL },
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		is(control_pages_parse_cpus(lists[i].list), lists[i].rings, lists[i].list);
	ok(control_pages_cpu_rings() >= sysconf(_SC_NPROCESSORS_ONLN), "this machine's CPUs");
}

int main(void)
{
	struct control_pages *pages, *other;
	struct saved_state *saved_state, *other_saved_state;

	if (saved_state_create(7, &saved_state) != 0 ||
	    saved_state_create(7, &other_saved_state) != 0)
		bail_out("there is no saved state");
	is(control_pages_create(saved_state, LTTNGMAP_CLOCK_MONOTONIC, 7, &pages), 0,
	   "control pages");
	is(control_pages_create(other_saved_state, LTTNGMAP_CLOCK_TSC, 7, &other), 0, "and others");
	ok(control_pages_get(pages)->instance != control_pages_get(other)->instance,
	   "instances differ");
	is(control_pages_get(pages)->magic, LTTNGMAP_CONTROL_MAGIC, "magic");
	is(control_pages_get(pages)->clock, LTTNGMAP_CLOCK_MONOTONIC, "clock");
	is(control_pages_get(pages)->cpu_rings, 7, "rings");
	ok(control_pages_get(pages)->size >= sizeof(struct lttngmap_control), "size");
	control_pages_destroy(other);
	saved_state_destroy(other_saved_state);
	test_generations(pages);
	test_words(pages);
	test_seqlock(pages);
	test_cpus();
	control_pages_destroy(pages);
	test_lives(saved_state);
	saved_state_destroy(saved_state);
	return done_testing();
}
