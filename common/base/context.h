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
	uint8_t base;     /* 10 or 16 */
	const char *what; /* for people */
};

/* By enum lttngmap_context. */
extern const struct context_kind context_kinds[LTTNGMAP_CONTEXTS];

/* The context of that name, or -EINVAL. */
int context_find(const char *name);

#endif /* COMMON_BASE_CONTEXT_H */
