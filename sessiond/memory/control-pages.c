/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/memory/control-pages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "sessiond/memory/filter-pages.h"
#include "sessiond/storage/saved-state.h"

/* More CPUs than this would not leave a ring any place in a slot. */
#define CPUS_MAX 8192l

struct control_pages {
	struct saved_state *saved_state;
	struct filter_pages *filters;
	/* The last generation given out for each slot; in the saved state. */
	uint32_t *generations;
	bool begun;
};

static struct lttngmap_control *control_of(const struct control_pages *pages)
{
	return pages->saved_state->control.map;
}

/* The first daemon's. 0 or -errno. */
static int begin_control(struct lttngmap_control *control, uint64_t size, enum lttngmap_clock clock,
			 uint32_t cpu_rings)
{
	control->magic = LTTNGMAP_CONTROL_MAGIC;
	control->major = LTTNGMAP_ABI_MAJOR;
	control->minor = LTTNGMAP_ABI_MINOR;
	control->size = (uint32_t)size;
	control->clock = clock;
	control->cpu_rings = cpu_rings;
	if (getrandom(&control->instance, sizeof(control->instance), 0) !=
	    (ssize_t)sizeof(control->instance))
		return -EIO;
	return 0;
}

int control_pages_create(struct saved_state *saved_state, enum lttngmap_clock clock,
			 uint32_t cpu_rings, struct control_pages **result)
{
	struct control_pages *pages = calloc(1, sizeof(*pages));
	int error;

	*result = NULL;
	if (!pages)
		return -ENOMEM;
	pages->saved_state = saved_state;
	pages->generations = saved_state->head->generations;
	error = saved_state_is_new(saved_state)
			? begin_control(control_of(pages), saved_state->control.size, clock,
					cpu_rings)
			: 0;
	if (error == 0)
		error = filter_pages_create(control_of(pages), &pages->filters);
	if (error) {
		free(pages);
		return error;
	}
	*result = pages;
	return 0;
}

void control_pages_destroy(struct control_pages *pages)
{
	if (pages)
		filter_pages_destroy(pages->filters);
	free(pages);
}

int control_pages_fd(const struct control_pages *pages)
{
	return pages->saved_state->control.fd;
}

struct filter_pages *control_pages_filters(const struct control_pages *pages)
{
	return pages->filters;
}

uint64_t control_pages_size(const struct control_pages *pages)
{
	return pages->saved_state->control.size;
}

const struct lttngmap_control *control_pages_get(const struct control_pages *pages)
{
	return control_of(pages);
}

/* Odd from here on, also where a daemon that was killed in between left it so. */
static void sequence_begin(struct lttngmap_control *control)
{
	uint32_t sequence = __atomic_load_n(&control->sequence, __ATOMIC_RELAXED);

	__atomic_store_n(&control->sequence, (sequence + 1) | 1, __ATOMIC_RELAXED);
	/*
	 * The odd sequence is seen before any new content. Pairs with the fence
	 * between a reader's content and its second look at the sequence.
	 */
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static void sequence_end(struct lttngmap_control *control)
{
	uint32_t sequence = __atomic_load_n(&control->sequence, __ATOMIC_RELAXED);

	/*
	 * All content is seen before the even sequence. Pairs with the acquire
	 * load of a reader's first look at the sequence.
	 */
	__atomic_store_n(&control->sequence, sequence + 1, __ATOMIC_RELEASE);
}

void control_pages_begin(struct control_pages *pages)
{
	sequence_begin(control_of(pages));
	pages->begun = true;
}

void control_pages_end(struct control_pages *pages)
{
	pages->begun = false;
	sequence_end(control_of(pages));
}

static void write_channel(struct control_pages *pages, uint32_t slot,
			  const struct lttngmap_channel *channel)
{
	struct lttngmap_control *control = control_of(pages);
	struct lttngmap_channel *published = &control->channels[slot];
	uint64_t words[sizeof(*channel) / sizeof(uint64_t)];

	memcpy(words, channel, sizeof(words));
	if (!pages->begun)
		sequence_begin(control);
	/*
	 * Word by word, so that readers, who compare `generation` outside of the
	 * seqlock, never see half of one.
	 */
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		__atomic_store_n((uint64_t *)published + i, words[i], __ATOMIC_RELAXED);
	if (!pages->begun)
		sequence_end(control);
}

uint32_t control_pages_publish(struct control_pages *pages, uint32_t slot,
			       const struct lttngmap_channel *channel)
{
	struct lttngmap_channel copy = *channel;

	copy.generation = ++pages->generations[slot];
	write_channel(pages, slot, &copy);
	return copy.generation;
}

uint32_t control_pages_publish_again(struct control_pages *pages, uint32_t slot,
				     const struct lttngmap_channel *channel)
{
	const struct lttngmap_channel *published = &control_of(pages)->channels[slot];
	struct lttngmap_channel copy = *channel;

	copy.generation = published->generation;
	if (copy.generation && memcmp(&copy, published, sizeof(copy)) == 0)
		return copy.generation;
	return control_pages_publish(pages, slot, channel);
}

void control_pages_withdraw(struct control_pages *pages, uint32_t slot)
{
	control_pages_suspend(pages, slot, 0);
}

void control_pages_suspend(struct control_pages *pages, uint32_t slot, uint32_t life)
{
	struct lttngmap_channel none = { .generation = 0, .life = life };

	write_channel(pages, slot, &none);
}

void control_pages_say_leaving(struct control_pages *pages)
{
	/* Release: it is seen before any channel that is withdrawn. */
	__atomic_or_fetch(&control_of(pages)->left, LTTNGMAP_LEFT_COUNTS, __ATOMIC_RELEASE);
}

void control_pages_set_event(struct control_pages *pages, uint32_t id, uint32_t slot, bool on)
{
	uint64_t *word = &control_of(pages)->event_words[id];
	uint64_t value = __atomic_load_n(word, __ATOMIC_RELAXED);
	uint64_t changed = on ? value | UINT64_C(1) << slot : value & ~(UINT64_C(1) << slot);

	/*
	 * Release: a process that sees the bit also sees the channel, published
	 * earlier. Pairs with the acquire of the library's first look at a channel.
	 */
	if (changed != value)
		__atomic_store_n(word, changed, __ATOMIC_RELEASE);
}

void control_pages_clear_events(struct control_pages *pages, uint32_t slot, uint32_t ids)
{
	for (uint32_t id = 0; id < ids; id++)
		control_pages_set_event(pages, id, slot, false);
}

void control_pages_init_process(struct lttngmap_process *page)
{
	memset(page, 0, sizeof(*page));
	page->magic = LTTNGMAP_PROCESS_MAGIC;
}

void control_pages_set_process(struct lttngmap_process *page, uint32_t slot, bool on)
{
	uint64_t bit = UINT64_C(1) << slot;

	/* Release: as of the event words. */
	if (on)
		__atomic_or_fetch(&page->channels, bit, __ATOMIC_RELEASE);
	else
		__atomic_and_fetch(&page->channels, ~bit, __ATOMIC_RELEASE);
}

void control_pages_set_process_flag(struct lttngmap_process *page, uint32_t flag)
{
	__atomic_or_fetch(&page->flags, flag, __ATOMIC_RELEASE);
}

int control_pages_parse_cpus(const char *list)
{
	long highest = -1;

	for (const char *at = list;;) {
		char *end;
		long first, last;

		errno = 0;
		first = last = strtol(at, &end, 10);
		if (end == at || errno != 0 || first < 0)
			return -EINVAL;
		if (*end == '-') {
			at = end + 1;
			last = strtol(at, &end, 10);
			if (end == at || errno != 0 || last < first)
				return -EINVAL;
		}
		if (last >= CPUS_MAX)
			return -EINVAL;
		if (last > highest)
			highest = last;
		if (*end == '\0' || *end == '\n')
			return (int)highest + 1;
		if (*end != ',')
			return -EINVAL;
		at = end + 1;
	}
}

int control_pages_cpu_rings(void)
{
	FILE *file = fopen("/sys/devices/system/cpu/possible", "re");
	char list[4096];
	int rings = -EINVAL;
	long configured;

	if (file) {
		if (fgets(list, sizeof(list), file))
			rings = control_pages_parse_cpus(list);
		fclose(file);
	}
	if (rings > 0)
		return rings;
	/* No sysfs, as in some sandboxes. */
	configured = sysconf(_SC_NPROCESSORS_CONF);
	return configured > 0 && configured < CPUS_MAX ? (int)configured : -EINVAL;
}
