/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/base/local.h"

#include <stddef.h>

struct local *local_pages;
struct local_first local_first = {
	.cached = offsetof(struct local, channels),
	.one_record = (UINT64_C(1) << LTTNGMAP_COUNT_SHIFT) + LTTNGMAP_RECORD_HEADER_SIZE,
};

/* An event reads the first field of struct local only, where it is NULL. */
static const struct lttngmap_process *const nobody;
_Static_assert(offsetof(struct local, process) == 0, "the first field is `process`");
const struct local *const local_nobody = (const void *)&nobody;
__thread const struct local *local_fast = (const void *)&nobody;
