/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/session/channel-map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <lttngmap/filter-code.h>

#include "common/base/map-guard.h"
#include "sessiond/base/parts.h"
#include "sessiond/memory/memory-set.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/process-channel.h"
#include "sessiond/session/process.h"
#include "sessiond/session/session.h"

/* No program counts so far: an entry with more was not counted. */
#define COUNT_MAX (UINT64_C(1) << 56)

void channel_map_destroy(struct channel_map *map)
{
	if (!map)
		return;
	filter_map_clear(&map->expressions);
	free(map->by);
	free(map);
}

int channel_map_create(const struct channel_map_config *config, struct channel_map **result,
		       struct filter_error *error, bool *in_sum)
{
	struct channel_map *map = calloc(1, sizeof(*map));
	int status = map ? 0 : -ENOMEM;

	*in_sum = false;
	if (status == 0 && config->by) {
		map->by = strdup(config->by);
		status = map->by ? filter_map_parse(&map->expressions, config->by,
						    config->is_histogram, error)
				 : -ENOMEM;
	}
	if (status == 0 && config->sum) {
		*in_sum = true;
		status = filter_expression_parse(config->sum, &map->expressions.add, error);
	}
	if (status) {
		channel_map_destroy(map);
		return status;
	}
	if (config->is_latency)
		map->expressions.is_histogram = true;
	map->expressions.is_latency = config->is_latency;
	map->expressions.is_one_rule = config->is_one_rule;
	*result = map;
	return 0;
}

void channel_map_get_config(const struct channel_map *map, struct channel_map_config *config)
{
	const struct filter_map *expressions = &map->expressions;

	*config = (struct channel_map_config){
		.by = map->by,
		.sum = expressions->add ? filter_expression_text(expressions->add) : NULL,
		.is_histogram = expressions->is_histogram && !expressions->is_latency,
		.is_latency = expressions->is_latency,
		.is_one_rule = expressions->is_one_rule,
	};
}

/* ---- reading --------------------------------------------------------------------- */

/* The counts so far, as they were found. */
struct found {
	struct map_counts *counts;
	size_t room;
};

/* `text_at`: where its text is in `memory`; 0: it cannot have one. */
static int add_entry(struct found *found, const struct lttngmap_map_entry *entry,
		     const struct memory *memory, uint64_t text_at)
{
	struct map_counts *counts = found->counts;

	if (entry->count == 0 || entry->count == LTTNGMAP_MAP_CLAIMED)
		return 0;
	if (entry->count > COUNT_MAX) {
		counts->nr_damaged++;
		return 0;
	}
	if (counts->nr_counts == found->room) {
		size_t room = found->room ? found->room * 2 : 1024;
		struct map_count *larger =
			reallocarray(counts->counts, room, sizeof(counts->counts[0]));

		if (!larger)
			return -ENOMEM;
		counts->counts = larger;
		found->room = room;
	}
	counts->counts[counts->nr_counts++] = (struct map_count){
		.key = entry->key,
		.count = entry->count,
		.sum = entry->sum,
		.texts = text_at && entry->text == lttngmap_map_text_mark(entry->key) ? memory
										      : NULL,
		.text_at = text_at,
	};
	return 0;
}

/*
 * A memfd is read by pread(), which waits for no lock of the inode's, and makes no pages. A file's
 * lock a process can hold for ever, so that a file is mapped.
 */
static int read_table(const struct memory *memory, uint64_t at, void *table, size_t size)
{
	/* A map begins at a page. */
	const uint64_t before = at % 4096;
	ssize_t got;
	char *map;
	int error;

	if (!memory->place) {
		do
			got = pread(memory->fd, table, size, (off_t)at);
		while (got < 0 && errno == EINTR);
		return got == (ssize_t)size ? 0 : -EIO;
	}
	map = mmap(NULL, before + size, PROT_READ, MAP_SHARED, memory->fd, (off_t)(at - before));
	if (map == MAP_FAILED)
		return -errno;
	error = map_guard_add(map, before + size);
	if (!error)
		error = map_guard_copy(table, map + before, size);
	map_guard_remove(map);
	munmap(map, before + size);
	return error;
}

/* Pairs that wait for their second event. `table` has room for `size` bytes. */
static void count_open(const struct memory *memory, uint64_t at, void *table, size_t size,
		       struct map_counts *counts)
{
	const struct lttngmap_map_pair *pairs = table;

	if (read_table(memory, at, table, size) != 0) {
		counts->nr_unreadable++;
		return;
	}
	for (size_t i = 0; i < size / sizeof(*pairs); i++)
		counts->open += pairs[i].time != 0;
}

static int read_tables(const struct channel *channel, const struct memory *memory,
		       struct lttngmap_map_entry *table, struct found *found)
{
	const struct daemon *daemon = channel->session->daemon;
	const size_t nr_entries = (size_t)1 << (channel->subbuf_shift - 4);
	const size_t size = (nr_entries + 1) * sizeof(*table);
	const uint64_t ring_size = ((UINT64_C(1) << channel->subbufs_shift) + 1)
				   << channel->subbuf_shift;
	const bool has_texts = 1u << channel->subbufs_shift == LTTNGMAP_MAP_TEXT_SUBBUFS;
	const uint32_t nr_tables =
		daemon->cpu_rings + LTTNGMAP_EXTRA_RINGS - channel->map->expressions.is_latency;
	int error = 0;

	for (uint32_t i = 0; error == 0 && i < nr_tables; i++) {
		const uint64_t at = daemon->meta_page_size + i * ring_size;

		if (read_table(memory, at, table, size) != 0) {
			found->counts->nr_unreadable++;
			continue;
		}
		for (size_t k = 0; error == 0 && k < nr_entries; k++)
			error = add_entry(
				found, &table[k], memory,
				has_texts ? at + lttngmap_map_text_offset(k * sizeof(*table),
									  channel->subbuf_shift)
					  : 0);
		if (table[nr_entries].count <= COUNT_MAX) {
			found->counts->other.count += table[nr_entries].count;
			found->counts->other.sum += table[nr_entries].sum;
		}
	}
	if (error == 0 && channel->map->expressions.is_latency)
		count_open(memory, daemon->meta_page_size + nr_tables * ring_size, table,
			   nr_entries * sizeof(*table), found->counts);
	return error;
}

static int by_key(const void *a, const void *b)
{
	const struct map_count *left = a, *right = b;

	if (left->key != right->key)
		return left->key < right->key ? -1 : 1;
	return (left->texts != NULL) - (right->texts != NULL);
}

/* One of each key. */
static void join(struct map_counts *counts)
{
	struct map_count *all = counts->counts;
	size_t kept = 0;

	if (counts->nr_counts == 0)
		return;
	qsort(all, counts->nr_counts, sizeof(all[0]), by_key);
	for (size_t i = 1; i < counts->nr_counts; i++) {
		if (by_key(&all[i], &all[kept]) != 0) {
			all[++kept] = all[i];
			continue;
		}
		all[kept].count += all[i].count;
		all[kept].sum += all[i].sum;
	}
	counts->nr_counts = kept + 1;
}

/* Leaves the buckets of a histogram: events without the other one are no latencies. */
static void take_buckets(struct map_counts *counts, bool is_latency)
{
	size_t kept = 0;

	for (size_t i = 0; i < counts->nr_counts; i++) {
		const struct map_count *count = &counts->counts[i];

		if (is_latency && count->key == LTTNGMAP_MAP_NO_SECOND)
			counts->no_second += count->count;
		else if (is_latency && count->key == LTTNGMAP_MAP_NO_FIRST)
			counts->no_first += count->count;
		else if (count->key >= LTTNGMAP_FILTER_BUCKETS)
			counts->nr_damaged++;
		else
			counts->counts[kept++] = *count;
	}
	counts->nr_counts = kept;
}

int channel_map_read(const struct channel *channel, const struct process_channel *only,
		     struct map_counts *counts)
{
	const size_t nr_entries = (size_t)1 << (channel->subbuf_shift - 4);
	struct found found = { .counts = counts };
	const struct process_channel *process_channel;
	struct lttngmap_map_entry *table = calloc(nr_entries + 1, sizeof(*table));
	int error = table ? 0 : -ENOMEM;

	*counts = (struct map_counts){ .counts = NULL };
	cds_list_for_each_entry(process_channel, &channel->process_channels, node) {
		const struct process *owner = process_channel->process;

		if ((only && only != process_channel) || error || !owner ||
		    owner->memories->rings[channel->slot].fd < 0)
			continue;
		error = read_tables(channel, &owner->memories->rings[channel->slot], table, &found);
	}
	free(table);
	if (error) {
		free(counts->counts);
		*counts = (struct map_counts){ .counts = NULL };
		return error;
	}
	join(counts);
	if (channel->map->expressions.is_histogram)
		take_buckets(counts, channel->map->expressions.is_latency);
	return 0;
}

int channel_map_read_text(const struct map_count *count, uint8_t text[LTTNGMAP_MAP_TEXT_SIZE])
{
	return read_table(count->texts, count->text_at, text, LTTNGMAP_MAP_TEXT_SIZE);
}
