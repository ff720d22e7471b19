/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * metadata-bounds.h - refuses metadata that babeltrace2 would crash on, or take gigabytes for.
 *
 * Babeltrace2 follows nested types by recursion, and makes an object of each element of an array,
 * and of each member of a structure wherever its name stands. A short text can name billions of
 * these. So each text is measured before, whichever tracer's dialect it is written in: blocks,
 * array lengths, and names of types, which count for all that was declared by them.
 */
#ifndef CLI_VIEW_METADATA_BOUNDS_H
#define CLI_VIEW_METADATA_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

/* Types in types, arrays of arrays, parentheses and signs: other tracers' have about ten. */
#define METADATA_DEPTH_MAX 64
/* Members and elements that the text does not spell out; besides, eight for each token of it. */
#define METADATA_ELEMENTS_MAX (UINT64_C(1) << 20)

/* NULL: the text is within the bounds; else what there is too much of, in line *line. */
const char *metadata_bounds_check(const char *text, size_t size, uint64_t *line);

#endif /* CLI_VIEW_METADATA_BOUNDS_H */
