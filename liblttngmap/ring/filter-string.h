/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* filter-string.h - the strings that a filter compares; filter.c calls this. */
#ifndef LIBLTTNGMAP_RING_FILTER_STRING_H
#define LIBLTTNGMAP_RING_FILTER_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "liblttngmap/ring/filter.h"

/* Memory that a filter program may read besides its stack. */
struct filter_source {
	const uint8_t *fields;
	size_t size;
	const uint8_t *pool;
	size_t pool_size;
	const struct filter_contexts *contexts;
};

/* All return false where the program has to end: what they need is not there. */

/* Enough for `size` bytes at `offset`? */
static inline bool filter_inside(uint64_t offset, uint64_t size, uint64_t end)
{
	return offset <= end && size <= end - offset;
}

bool filter_string_skip(const struct filter_source *source, uint64_t offset, uint64_t *after);
bool filter_sequence_skip(const struct filter_source *source, uint64_t offset,
			  uint64_t element_size, uint64_t *after);
/* r1 to r4 of KEY_NUMBER and KEY_STRING. */
bool filter_key_number(struct filter_key *key, const uint64_t *arguments, uint64_t *result);
bool filter_key_string(const struct filter_source *source, struct filter_key *key,
		       const uint64_t *arguments, uint64_t *result);
/* arguments: r1 to r4 of the helper of that name. */
bool filter_string_compare(const struct filter_source *source, const uint64_t *arguments,
			   uint64_t *result);
bool filter_string_glob(const struct filter_source *source, const uint64_t *arguments,
			uint64_t *result);

#endif /* LIBLTTNGMAP_RING_FILTER_STRING_H */
