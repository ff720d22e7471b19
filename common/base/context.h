/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * context.h - the contexts of enum lttngmap_context by name, and as what they
 * stand in a record. The names are LTTng's, so that readers of its traces
 * know them.
 */
#ifndef COMMON_BASE_CONTEXT_H
#define COMMON_BASE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/abi.h>

struct context_kind {
	const char *name;
	uint8_t size; /* bytes */
	bool is_signed;
	bool is_text;     /* bytes up to the first NUL */
	bool is_sequence; /* a 32-bit count, then elements of that size */
	uint8_t base;     /* 10 or 16 */
	const char *what; /* for people */
};

/* By enum lttngmap_context. */
extern const struct context_kind context_kinds[LTTNGMAP_CONTEXTS];

#define CONTEXT_TEXT_SIZE 32

/*
 * The context of that name; `callstack` may have its depth behind it, ":64". *bits is what it has
 * in a channel's set of contexts. -EINVAL: there is no such; -ERANGE: no such depth.
 */
int context_find(const char *text, uint64_t *bits);
/* All bits that this context may have in such a set. */
uint64_t context_mask(unsigned context);
/* What context_find() makes this of: a context of the set. Returns `text`. */
const char *context_text(unsigned context, uint64_t contexts, char text[CONTEXT_TEXT_SIZE]);
/* Could a channel have that set? */
bool context_is_set(uint64_t contexts);

#endif /* COMMON_BASE_CONTEXT_H */
