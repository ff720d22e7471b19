/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * channel-map.h - what a map counts by, and what it has counted (doc/design/maps.md).
 *
 * A map is a session that has one channel and no trace: nothing is written there
 * but tables, and no consumer knows of it.
 *
 * Main thread.
 */
#ifndef SESSIOND_SESSION_CHANNEL_MAP_H
#define SESSIOND_SESSION_CHANNEL_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lttngmap/abi.h>

#include "sessiond/filter/filter.h"

struct channel;
struct memory;
struct process_channel;
struct session;

struct channel_map_config {
	const char *by;    /* expression; NULL: one count of all */
	const char *sum;   /* expression; NULL: none */
	bool is_histogram; /* of `by` */
	bool is_latency;  /* of pairs by `by`, or by thread: rule 0 begins them, rule 1 ends them */
	bool is_one_rule; /* rule 0 does both */
};

struct channel_map {
	struct filter_map expressions;
	char *by; /* as it was given, or NULL */
};

/* 0; -EINVAL, *error filled, and *in_sum says in which text; or -ENOMEM. */
int channel_map_create(const struct channel_map_config *config, struct channel_map **map,
		       struct filter_error *error, bool *in_sum);
/* NULL is allowed. */
void channel_map_destroy(struct channel_map *map);
void channel_map_get_config(const struct channel_map *map, struct channel_map_config *config);

struct map_count {
	uint64_t key; /* a number, or the hash of a text */
	uint64_t count;
	uint64_t sum;               /* modulo 2^64 */
	const struct memory *texts; /* that has the text, and where; NULL: a number */
	uint64_t text_at;
};

/* Counts of all CPUs and users, so far. */
struct map_counts {
	struct map_count *counts; /* by ascending keys, as unsigned numbers, or hashes */
	size_t nr_counts;
	struct map_count other; /* of keys that found no place */
	/* In a map of latencies: events without the other one, and pairs that wait for it. */
	uint64_t no_second, no_first, open;
	uint32_t nr_damaged;    /* entries that cannot be, and were left out */
	uint32_t nr_unreadable; /* tables that could not be read now */
};

/*
 * Reads the tables of a map's channel, none of which anybody waits for; `only` NULL: of all users.
 * 0 or -ENOMEM; the caller frees counts->counts.
 */
int channel_map_read(const struct channel *channel, const struct process_channel *only,
		     struct map_counts *counts);
/* A count's text, as any process of the user may have left it. 0 or -errno. */
int channel_map_read_text(const struct map_count *count, uint8_t text[LTTNGMAP_MAP_TEXT_SIZE]);

#endif /* SESSIOND_SESSION_CHANNEL_MAP_H */
