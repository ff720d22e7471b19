/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * trace-repair.h - `lttngmap-consumerd --repair`: traces as their writer's death
 * left them, or the machine's, made whole as the next consumer would have.
 */
#ifndef CONSUMERD_TRACE_TRACE_REPAIR_H
#define CONSUMERD_TRACE_TRACE_REPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/record/packet-check.h"

/*
 * All traces in `path` and below: torn tails are cut, indexes made to agree,
 * metadata checked. Prints what it did, as JSON if `json`. A trace
 * that is being written is left alone. An exit status.
 */
int trace_repair_all(const char *path, bool json);

/*
 * The trace's id and clock, and what its records are, from the text of its metadata, into a format
 * whose layout is empty, or NULL for want of memory. NULL; else what is wrong with the text, which
 * need not end in a NUL; it may stand in `fault`.
 */
const char *trace_repair_check_metadata(const char *text, size_t size, struct stream_format *format,
					char fault[RECORD_TRACE_FAULT_SIZE]);

#endif /* CONSUMERD_TRACE_TRACE_REPAIR_H */
