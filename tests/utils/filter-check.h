/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#ifndef LTTNGMAP_TESTS_FILTER_CHECK_H
#define LTTNGMAP_TESTS_FILTER_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "liblttngmap/ring/filter.h"

/*
 * Is this a filter that a compiler may have made: known instructions, jumps
 * that stay inside, an end that is reached? filter_run says false on one that
 * is none, and is safe with any.
 */
bool filter_check(const void *filter, size_t size);

/*
 * filter_run(); ends the test if filter_fails_at_once() has another opinion,
 * which a writer would have gone by, or filter_may_pass() of a part of the fields.
 */
bool filter_run_checked(const void *filter, size_t size, const void *fields, size_t fields_size,
			const struct filter_contexts *contexts);

#endif /* LTTNGMAP_TESTS_FILTER_CHECK_H */
