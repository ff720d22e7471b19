/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter.h - filter expressions, and compiling them for an event class.
 *
 * An expression is read once and compiled for each class that its rule
 * matches, into the code of lttngmap/filter-code.h. The language is that of
 * lttngmap-filter(7). The text may come from anybody: its length, its nesting
 * and the code made of it are bounded.
 *
 *   text --parse--> expression --compile, for a class--> program
 *                                  programs --combine--> program
 *
 * An expression belongs to one thread at a time; programs do not change.
 */
#ifndef SESSIOND_FILTER_FILTER_H
#define SESSIOND_FILTER_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sessiond/class/registry.h"

#define FILTER_TEXT_MAX 4096u /* bytes of an expression */
#define FILTER_MESSAGE_SIZE 320

/* An error and its place in the text, so that a caret line can be drawn below. */
struct filter_error {
	char message[FILTER_MESSAGE_SIZE]; /* "" where there is nothing to say */
	unsigned column;                   /* of the place's first byte, from 1 on */
	unsigned length;                   /* of the place, bytes; at least 1 */
	char field[LTTNGMAP_NAME_MAX + 1]; /* -ENOENT: the field as it was written */
	const char *in;                    /* "by" or "sum", of a map; NULL: the filter */
};

enum filter_type {
	FILTER_TYPE_UNKNOWN = 0, /* of what is missing; no context has it */
	FILTER_TYPE_SIGNED = 1,
	FILTER_TYPE_UNSIGNED = 2, /* 64 bits: a narrower one is SIGNED */
	FILTER_TYPE_DOUBLE = 3,
	FILTER_TYPE_STRING = 4,
};

/* A context that $ctx.NAME may name; `id` is what the machine asks for. */
struct filter_context {
	const char *name;
	uint32_t id;
	enum filter_type type;
};

struct filter_context_list {
	const struct filter_context *contexts;
	size_t nr_contexts;
};

struct filter_expression;

#define FILTER_MAP_KEYS_MAX 4
/* A context that is the event's name, which code has as a string. */
#define FILTER_CONTEXT_EVENT 65u

/* A map's keys, and the number that it adds up; NULL: none. */
struct filter_map {
	struct filter_expression *keys[FILTER_MAP_KEYS_MAX];
	unsigned key_at[FILTER_MAP_KEYS_MAX]; /* in the text of all */
	size_t nr_keys;                       /* 0: one count of all */
	struct filter_expression *add;
	uint64_t seed;        /* of the hash of a key that is a text */
	bool is_latency;      /* of pairs of events: those of rule 0, and those of rule 1 */
	bool is_one_rule;     /* rule 0 is both */
	uint64_t scale;       /* of latencies: ns of a tick, times 2^32 */
	bool is_histogram;    /* by the bucket of keys[0] */
	bool is_signed;       /* a class was compiled whose key has a sign */
	bool is_sum_unsigned; /* a class was compiled that adds numbers of 64 bits without a sign */
};

struct filter_program {
	size_t size;
	uint64_t bytes[]; /* `size` bytes, as lttngmap/filter-code.h has it */
};

/*
 * Read `text`. 0: error->message is "", or a remark worth showing to who
 * wrote it; -EINVAL: error says what is wrong; or -ENOMEM.
 */
int filter_expression_parse(const char *text, struct filter_expression **expression,
			    struct filter_error *error);
/* NULL is allowed. */
void filter_expression_destroy(struct filter_expression *expression);
/* The text that was given. */
const char *filter_expression_text(const struct filter_expression *expression);

/*
 * Compile for one class. `contexts` may be NULL: none is known.
 *   0        *program is for the caller, who frees it by filter_program_destroy
 *   -EINVAL  wrong for this class, as by its types: error says what and where
 *   -ENOENT  right, but the class has no such field, or its array no such
 *            element: no event of it can match. error names it.
 *   -E2BIG   needs more code than there may be, or is nested too deeply
 *   -ENOMEM
 * Where there is both, -EINVAL comes before -ENOENT.
 */
int filter_compile(struct filter_expression *expression, const struct registry_class *event_class,
		   const struct filter_context_list *contexts, struct filter_program **program,
		   struct filter_error *error);

/*
 * Reads a map's keys, with commas between, into an empty `map`, and sets is_histogram. As
 * filter_expression_parse(); the caller destroys the map by filter_map_clear() in any case.
 */
int filter_map_parse(struct filter_map *map, const char *text, bool is_histogram,
		     struct filter_error *error);
void filter_map_clear(struct filter_map *map);
/* True unless all keys that it makes are integers. */
bool filter_map_may_have_texts(const struct filter_map *map);
/*
 * The same as filter_compile() for a map's channel: the program also makes the key and the number
 * to add. `filter` may be NULL. `roles`: those of enum lttngmap_filter_role that the event has in a
 * map of latencies; else 0.
 */
int filter_compile_map(struct filter_expression *filter, struct filter_map *map, uint64_t roles,
		       const struct registry_class *event_class,
		       const struct filter_context_list *contexts, struct filter_program **program,
		       struct filter_error *error);

/*
 * One program that records an event when one of `programs` does: for several
 * rules that match the same class. The same program twice is kept once.
 * 0; -E2BIG: over LTTNGMAP_FILTER_SIZE_MAX; -EINVAL: there is none; -ENOMEM.
 */
int filter_combine(const struct filter_program *const *programs, size_t nr_programs,
		   struct filter_program **combined);
/* NULL is allowed. */
void filter_program_destroy(struct filter_program *program);

#endif /* SESSIOND_FILTER_FILTER_H */
