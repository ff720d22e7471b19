/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter.h - the machine that runs a filter over a record's fields.
 *
 * The code is that of lttngmap/filter-code.h. With any bytes in the filter and
 * in the record, filter_run() reads nothing but these and its own stack, and
 * ends: that needs no check beforehand. The filter may change while it runs; the
 * result is worth nothing then, but nothing else happens.
 *
 * Signal-safe and thread-safe; no malloc, no system call, errno is kept, and
 * so are the floating-point flags and modes of the thread.
 */
#ifndef LIBLTTNGMAP_RING_FILTER_H
#define LIBLTTNGMAP_RING_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lttngmap/abi.h>
#include <lttngmap/event-class.h>

/* A context's value. It stands while the filter runs. */
struct filter_value {
	uint64_t number;    /* an integer, or the bits of a double */
	const char *string; /* `size` bytes, or fewer and a NUL; NULL: no string */
	size_t size;
};

/*
 * Where contexts are from. A caller has this as the first member of what
 * `get` needs to know. `get` fills `value` for a context's id, or returns
 * false where the context is unknown or has no value here; as signal-safe as
 * filter_run is to be.
 */
struct filter_contexts {
	bool (*get)(const struct filter_contexts *contexts, uint32_t id,
		    struct filter_value *value);
};

/*
 * Is the event to be recorded? `filter` is aligned to 8 bytes. `fields` are
 * those of a record, without its header. `contexts` may be NULL.
 */
bool filter_run(const void *filter, size_t size, const void *fields, size_t fields_size,
		const struct filter_contexts *contexts);

/* The key of an event in a map. */
struct filter_key {
	uint64_t key;   /* a number, or the hash of a text */
	uint64_t seed;  /* of the hash */
	uint32_t size;  /* of the text; 0: a number */
	uint32_t roles; /* of enum lttngmap_filter_role, in a map of latencies; else 0 */
	/* The text; zeros up to its end, where there is one. */
	uint64_t text[LTTNGMAP_MAP_TEXT_SIZE / 8];
};

/* The same of a map's filter; where the event counts, `key` and `add` are set. */
bool filter_run_map(const void *filter, size_t size, const void *fields, size_t fields_size,
		    const struct filter_contexts *contexts, struct filter_key *key, uint64_t *add);

/*
 * The same for a record of which only some bytes are known yet, and no context: false if the event
 * is not recorded whatever the others are. The record has to be laid out as a whole one; strings
 * that are not known may be empty. As safe as filter_run().
 */
bool filter_may_pass(const void *filter, size_t size, const void *fields, size_t fields_size,
		     const struct lttngmap_known *known, size_t nr_known);

#endif /* LIBLTTNGMAP_RING_FILTER_H */
