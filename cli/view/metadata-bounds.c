/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * metadata-bounds.c - measures a metadata text in one pass.
 *
 * A declaration ends with ';' or ','. Its weight is 1 and the weights of all names and blocks in
 * it, times its array lengths. A name has the weight of the block behind it, or of the typealias or
 * typedef that ends with it. Members' names count, too, if a type has the same name: a sum that is
 * too large by these is still small in a trace that is sound.
 */
#include <config.h>

#include "cli/view/metadata-bounds.h"

#include <ctype.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char too_deep[] = "types that are nested too deeply";
static const char too_many[] = "too many members and array elements";
static const char no_memory[] = "more names than there is memory for";

struct name {
	const char *text;
	size_t length;
	uint64_t weight, depth;
};

/* A block that is open; number 0 is the whole text. */
struct block {
	struct name name;     /* that it declares; length 0: none */
	uint64_t sum, depth;  /* of the declarations that have ended */
	uint64_t now, nested; /* of the one that has not: weight, and depth */
	uint64_t arrays, nr_arrays;
	bool is_alias;
};

struct bounds {
	const char *at, *end, *begin; /* the current token is from `begin` to `at` */
	uint64_t line, tokens;
	struct name last; /* the word before the current token; length 0: there is none */
	unsigned signs;   /* in a row */
	struct block blocks[METADATA_DEPTH_MAX + 1];
	unsigned depth;
	void *names; /* tsearch()'s tree of struct name */
	const char *fault;
};

/* ---- tokens ------------------------------------------------------------------------ */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void skip_to(struct bounds *bounds, const char *stop)
{
	size_t length = strlen(stop);

	for (; bounds->at < bounds->end; bounds->at++) {
		bounds->line += *bounds->at == '\n';
		if ((size_t)(bounds->end - bounds->at) >= length &&
		    memcmp(bounds->at, stop, length) == 0) {
			bounds->at += length;
			return;
		}
	}
}

/* The current token is a quotation mark. */
static void skip_quoted(struct bounds *bounds)
{
	char quote = *bounds->begin;

	for (; bounds->at < bounds->end && *bounds->at != quote; bounds->at++) {
		if (*bounds->at == '\\' && bounds->end - bounds->at > 1)
			bounds->at++;
		bounds->line += *bounds->at == '\n';
	}
	bounds->at += bounds->at < bounds->end;
}

/* Takes the next token. False: there is none up to the text's end. */
static bool next(struct bounds *bounds)
{
	while (bounds->at < bounds->end) {
		size_t left = (size_t)(bounds->end - bounds->at);

		bounds->begin = bounds->at;
		if (left >= 2 && memcmp(bounds->at, "/*", 2) == 0) {
			bounds->at += 2;
			skip_to(bounds, "*/");
			continue;
		}
		if (left >= 2 && memcmp(bounds->at, "//", 2) == 0) {
			skip_to(bounds, "\n");
			continue;
		}
		bounds->line += *bounds->at == '\n';
		if (isspace((unsigned char)*bounds->at++))
			continue;
		if (is_word(*bounds->begin))
			while (bounds->at < bounds->end && is_word(*bounds->at))
				bounds->at++;
		bounds->tokens++;
		return true;
	}
	return false;
}

/* ---- names ------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return memcmp(x->text, y->text, x->length);
}

/* Another declaration of the same name may be meant: the larger one counts. */
static void declare(struct bounds *bounds, const struct name *name, uint64_t weight, uint64_t depth)
{
	struct name *copy = malloc(sizeof(*copy)), **found;

	if (!copy) {
		bounds->fault = no_memory;
		return;
	}
	*copy = *name;
	copy->weight = copy->depth = 0;
	found = tsearch(copy, &bounds->names, compare);
	if (!found || *found != copy)
		free(copy);
	if (!found) {
		bounds->fault = no_memory;
		return;
	}
	if (weight > (*found)->weight)
		(*found)->weight = weight;
	if (depth > (*found)->depth)
		(*found)->depth = depth;
}

/* ---- what is measured -------------------------------------------------------------- */

static uint64_t most(const struct bounds *bounds)
{
	return METADATA_ELEMENTS_MAX + 8 * bounds->tokens;
}

static void add(struct bounds *bounds, uint64_t weight, uint64_t depth)
{
	struct block *block = &bounds->blocks[bounds->depth];

	if (depth > block->nested)
		block->nested = depth;
	if (__builtin_add_overflow(block->now, weight, &block->now) || block->now > most(bounds))
		bounds->fault = too_many;
}

static void take_word(struct bounds *bounds)
{
	struct name name = { .text = bounds->begin,
			     .length = (size_t)(bounds->at - bounds->begin) };
	struct name *const *found = tfind(&name, &bounds->names, compare);

	if (found)
		add(bounds, (*found)->weight, (*found)->depth);
	if ((name.length == 9 && memcmp(name.text, "typealias", 9) == 0) ||
	    (name.length == 7 && memcmp(name.text, "typedef", 7) == 0))
		bounds->blocks[bounds->depth].is_alias = true;
	bounds->last = name;
}

/* Behind '['. The name of a length is none of a type. */
static void take_array(struct bounds *bounds)
{
	struct block *block = &bounds->blocks[bounds->depth];
	uint64_t length = 1, product;
	struct name last = bounds->last;

	if (++block->nr_arrays > METADATA_DEPTH_MAX)
		bounds->fault = too_deep;
	while (!bounds->fault && next(bounds) && *bounds->begin != ']') {
		char number[32] = "";
		size_t size = (size_t)(bounds->at - bounds->begin);

		if (!isdigit((unsigned char)*bounds->begin))
			continue;
		memcpy(number, bounds->begin, size < sizeof(number) ? size : sizeof(number) - 1);
		length = strtoull(number, NULL, 0);
		if (__builtin_mul_overflow(block->arrays, length ? length : 1, &product))
			bounds->fault = too_many;
		else
			block->arrays = product;
	}
	bounds->last = last;
}

static void end_declaration(struct bounds *bounds, bool is_last)
{
	struct block *block = &bounds->blocks[bounds->depth];
	uint64_t weight, depth = block->nested + block->nr_arrays;

	if (__builtin_mul_overflow(block->now, block->arrays, &weight) ||
	    __builtin_add_overflow(block->sum, weight, &block->sum))
		bounds->fault = too_many;
	else if (depth > METADATA_DEPTH_MAX)
		bounds->fault = too_deep;
	else if (block->is_alias && bounds->last.length)
		declare(bounds, &bounds->last, weight, depth);
	if (depth > block->depth)
		block->depth = depth;
	block->arrays = 1;
	block->nr_arrays = 0;
	if (!is_last)
		return;
	block->now = 1;
	block->nested = 0;
	block->is_alias = false;
}

static void begin_block(struct bounds *bounds)
{
	if (bounds->depth == METADATA_DEPTH_MAX) {
		bounds->fault = too_deep;
		return;
	}
	bounds->blocks[++bounds->depth] =
		(struct block){ .name = bounds->last, .now = 1, .arrays = 1 };
}

static void end_block(struct bounds *bounds)
{
	struct block *block = &bounds->blocks[bounds->depth];

	end_declaration(bounds, true);
	if (bounds->depth == 0 || bounds->fault)
		return;
	bounds->depth--;
	add(bounds, block->sum, block->depth + 1);
	if (block->name.length)
		declare(bounds, &block->name, block->sum, block->depth + 1);
}

static void take_sign(struct bounds *bounds)
{
	char sign = *bounds->begin;

	bounds->signs = strchr("+-~!*", sign) ? bounds->signs + 1 : 0;
	if (bounds->signs > METADATA_DEPTH_MAX)
		bounds->fault = too_deep;
	else if (sign == '"' || sign == '\'')
		skip_quoted(bounds);
	else if (sign == '[')
		take_array(bounds);
	else if (sign == '{' || sign == '(')
		begin_block(bounds);
	else if (sign == '}' || sign == ')')
		end_block(bounds);
	else if (sign == ';' || sign == ',')
		end_declaration(bounds, sign == ';');
	/* "typedef a b[2];" declares b. */
	if (sign != '[')
		bounds->last.length = 0;
}

const char *metadata_bounds_check(const char *text, size_t size, uint64_t *line)
{
	struct bounds *bounds = calloc(1, sizeof(*bounds));
	const char *fault = no_memory;

	*line = 1;
	if (!bounds)
		return fault;
	bounds->at = text;
	bounds->end = text + size;
	bounds->line = bounds->blocks[0].now = bounds->blocks[0].arrays = 1;
	while (!bounds->fault && next(bounds)) {
		if (is_word(*bounds->begin))
			take_word(bounds);
		else
			take_sign(bounds);
		if (is_word(*bounds->begin))
			bounds->signs = 0;
	}
	tdestroy(bounds->names, free);
	fault = bounds->fault;
	*line = bounds->line;
	free(bounds);
	return fault;
}
